import { Secret, TOTP } from 'otpauth';

/** Time-based codes (RFC 6238) as authenticator apps make them: SHA-1, six digits, steps of 30 seconds. Secrets are in base 32. */

const STEP_SECONDS = 30;
/** RFC 4226, section 4, asks for 160 bits. */
const SECRET_BYTES = 20;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, ...names });

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

export const stepAt = (wallMs: number): number => TOTP.counter({ period: STEP_SECONDS, timestamp: wallMs });

/** Returns the code of a step, with leading zeros. */
export const totpCode = (secret: string, step: number): string =>
  totpOf(secret).generate({ timestamp: step * STEP_SECONDS * 1000 });

/** Returns the step of a code, of the present one and its neighbours, if it comes after `lastStep`; else null. */
export function stepOfCode(secret: string, code: string, wallMs: number, lastStep: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: wallMs, window: 1 });
  const step = delta === null ? null : stepAt(wallMs) + delta;
  return step !== null && step > lastStep ? step : null;
}

/** Returns what the QR code for an authenticator app holds (Google Authenticator's Key URI format). */
export const otpauthUrl = (secret: string, issuer: string, email: string): string =>
  totpOf(secret, { issuer, label: email }).toString();
