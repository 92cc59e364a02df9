import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `svc_`, 43 characters of base 62 (32 random bytes), 6 of checksum (CRC-32 of the rest). The checksum rejects typos
 * without a query and lets scanners of leaked secrets recognise a key.
 */
const PREFIX = 'svc_';
const KEY_PATTERN = /^svc_[0-9A-Za-z]{49}$/;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newApiKey(random: Buffer = randomBytes(32)): string {
  const secret = base62(BigInt(`0x${random.toString('hex')}`), SECRET_LENGTH);
  return PREFIX + secret + checksum(secret);
}

export function looksLikeApiKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/** The hash that is stored and looked up. */
export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The part of a key that is shown after its creation. */
export const displayPrefix = (key: string): string => key.slice(0, 12);

const checksum = (secret: string) => base62(BigInt(crc32(PREFIX + secret)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = DIGITS[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}
