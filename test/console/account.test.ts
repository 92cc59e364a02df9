import { HttpError } from '@oazapfts/runtime';
import { describe, expect, it } from 'vitest';
import {
  isWrongCode,
  isWrongPassword,
  keyText,
  passkeyProblemText,
  passwordProblemText,
  qrPath,
  twoStepText,
  zonesWith,
} from '../../console/account/account-texts.ts';
import { PasskeyRefusal, passkeyRefusal } from '../../console/account/passkeys.ts';
import { needsConfirmation } from '../../console/data/confirmation.ts';
import { themeOf } from '../../console/theme.ts';

const refused = (status: number, data: object) => new HttpError(status, data, new Headers());

it('the browser says why no passkey was used, and what to do', () => {
  expect(passkeyRefusal('NotAllowedError')).toContain('Try again');
  expect(passkeyRefusal('InvalidStateError')).toContain('has a passkey for your account already');
  expect(passkeyRefusal('SecurityError')).toContain('over https');
  expect(passkeyRefusal('')).toContain('Try another browser or device');
});

it('only a refusal that asks for it leads to the password', () => {
  expect(needsConfirmation(refused(403, { code: 'confirmation_required', detail: 'once more' }))).toBe(true);
  expect(needsConfirmation(refused(403, { detail: 'your role cannot do this' }))).toBe(false);
  expect(needsConfirmation(new Error('no answer'))).toBe(false);
});

describe('why a change of the account was refused', () => {
  const password = refused(401, { detail: 'wrong email or password' });
  const code = refused(401, { detail: 'wrong or used code' });

  it('is the password or the code, or a session that ended', () => {
    expect([isWrongPassword(password), isWrongCode(password)]).toEqual([true, false]);
    expect([isWrongPassword(code), isWrongCode(code)]).toEqual([false, true]);
    expect(passwordProblemText(password)).toBe('That is not your password.');
    expect(passwordProblemText(code)).toBe('That code is not right.');
    expect(passwordProblemText(refused(401, { detail: 'invalid credentials' }))).toContain('signed out');
    expect(passwordProblemText(refused(429, {}))).toContain('Too many tries');
    expect(passwordProblemText(refused(400, { detail: 'a workspace always needs an owner' }))).toBe(
      'A workspace always needs an owner.',
    );
  });

  it('is what the browser, the address or the other passkeys say', () => {
    expect(passkeyProblemText(new PasskeyRefusal('No.'))).toBe('No.');
    expect(passkeyProblemText(refused(409, { detail: 'passkeys need a domain' }))).toContain('domain name');
    expect(passkeyProblemText(refused(409, { detail: 'there are 20' }))).toContain('or there are 20');
    expect(passkeyProblemText(refused(401, {}))).toContain('took too long');
  });
});

it('two-step sign-in is on with so many codes, or off', () => {
  expect(twoStepText({ two_factor: true, recovery_codes_left: 1 })).toContain('1 recovery code is left');
  expect(twoStepText({ two_factor: false, recovery_codes_left: 0 })).toContain('Off');
});

it('a QR code is drawn as one path, and its key written in groups', () => {
  expect(
    qrPath([
      [true, false],
      [false, true],
    ]),
  ).toBe('M0 0h1v1h-1zM1 1h1v1h-1z');
  expect(keyText('ABCDEFGHIJ')).toBe('ABCD EFGH IJ');
});

it('the present time zone can be chosen, also one that the browser does not list', () => {
  expect(zonesWith('UTC', ['Asia/Kolkata', 'Europe/Lisbon'])).toEqual(['Asia/Kolkata', 'Europe/Lisbon', 'UTC']);
  expect(zonesWith('', ['Asia/Kolkata'])).toEqual(['Asia/Kolkata']);
});

it('a stored theme that is none is that of the system', () => {
  expect([themeOf('dark'), themeOf('light'), themeOf('pink'), themeOf(null)]).toEqual([
    'dark',
    'light',
    'system',
    'system',
  ]);
});
