/** Functions for servers that tell a genuine request of the service from others; those of docs/webhooks.md, the first with types. */

export interface VerifyExample {
  name: string;
  title: string;
  code: string;
}

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(secret: string, header: string, body: Buffer | string, nowSeconds = Date.now() / 1000): boolean {
  const parts: Record<string, string | undefined> = Object.fromEntries(header.split(',').map((part) => part.split('=', 2)));
  const { t = '', v1 = '' } = parts;
  if (!/^\\d+$/.test(t) || Math.abs(nowSeconds - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(\`\${t}.\`).update(body).digest();
  const given = Buffer.from(v1, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
`;

const PYTHON = `import hashlib, hmac, re, time

def is_genuine(secret: str, header: str, body: bytes, now=None) -> bool:
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    t = parts.get("t", "")
    if not re.fullmatch("[0-9]{1,12}", t) or abs((now or time.time()) - int(t)) > 300:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), parts.get("v1", "").encode())
`;

const GO = `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

func IsGenuine(secret, header string, body []byte, now time.Time) bool {
	parts := map[string]string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	t, err := strconv.ParseInt(parts["t"], 10, 64)
	if err != nil || now.Unix()-t > 300 || t-now.Unix() > 300 {
		return false
	}
	given, err := hex.DecodeString(parts["v1"])
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(parts["t"] + "."))
	mac.Write(body)
	return hmac.Equal(given, mac.Sum(nil))
}
`;

const PHP = `<?php
function is_genuine(string $secret, string $header, string $body, ?int $now = null): bool {
    $parts = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        $parts[$name] = $value;
    }
    $t = $parts['t'] ?? '';
    if (!ctype_digit($t) || abs(($now ?? time()) - (int) $t) > 300) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', "$t.$body", $secret), $parts['v1'] ?? '');
}
`;

export const VERIFY_EXAMPLES: readonly VerifyExample[] = [
  { name: 'typescript', title: 'TypeScript (Node.js)', code: TYPESCRIPT },
  { name: 'python', title: 'Python', code: PYTHON },
  { name: 'go', title: 'Go', code: GO },
  { name: 'php', title: 'PHP', code: PHP },
];
