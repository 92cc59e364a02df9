import { describe, expect, it } from 'vitest';
import { newTotpSecret, otpauthUrl, stepAt, stepOfCode, totpCode } from '../../../control/accounts/totp.ts';

/** RFC 6238, appendix B: SHA-1, the last six of its eight digits. */
/** The secret of the standard's vectors, `12345678901234567890`, in base 32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTORS: [seconds: number, code: string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
];

describe('codes', () => {
  it.each(VECTORS)('are those of the standard at %i s', (seconds, code) => {
    expect(totpCode(SECRET, stepAt(seconds * 1000))).toBe(code);
  });

  it('are valid for their step and its neighbours', () => {
    const wallMs = 1_700_000_000_000;
    const now = stepAt(wallMs);
    const found = (steps: number, last = 0) => stepOfCode(SECRET, totpCode(SECRET, now + steps), wallMs, last);
    expect([found(-2), found(-1), found(0), found(1), found(2)]).toEqual([null, now - 1, now, now + 1, null]);
    expect([found(-1, now - 1), found(0, now - 1), found(0, now)]).toEqual([null, now, null]);
  });

  it.each(['', '12345', '1234567', 'abcdef', '12 456', '１２３４５６'])('must be six digits, not %j', (code) => {
    expect(stepOfCode(SECRET, code, 59_000, 0)).toBeNull();
  });
});

describe('secrets', () => {
  it('are 160 bits in base 32', () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('have a key URI for authenticator apps', () => {
    expect(otpauthUrl('ABCDEFGH', 'Voice Agent Service', 'a+b@example.com')).toBe(
      'otpauth://totp/Voice%20Agent%20Service:a%2Bb%40example.com?issuer=Voice%20Agent%20Service&secret=ABCDEFGH&algorithm=SHA1&digits=6&period=30',
    );
  });
});
