import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based codes (RFC 6238) as authenticator apps make them: SHA-1, six digits, steps of 30 seconds. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226, section 4, asks for 160 bits. */
const SECRET_BYTES = 20;
/** RFC 4648, section 6. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES));

export const stepAt = (wallMs: number): number => Math.floor(wallMs / STEP_MS);

/** The code of a step, with leading zeros. @param secret base 32 */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  // RFC 4226, section 5.3: the last four bits say where to read 31 bits.
  const at = mac[mac.length - 1]! & 0x0f;
  const number = (mac.readUInt32BE(at) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The step this code belongs to, of the present one and its neighbours, if it comes after `lastStep`; else null. */
export function stepOfCode(secret: string, code: string, wallMs: number, lastStep: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const now = stepAt(wallMs);
  let found: number | null = null;
  for (const step of [now - 1, now, now + 1]) {
    const same = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
    if (same && step > lastStep) found ??= step;
  }
  return found;
}

/** What a QR code for authenticator apps holds (Google Authenticator's Key URI format). */
export function otpauthUrl(secret: string, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}

export function base32(bytes: Buffer): string {
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += BASE32[(held >>> (bits - 5)) & 31];
      bits -= 5;
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(held << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    held = ((held << 5) | BASE32.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
