import { expect, it } from 'vitest';
import { needsConfirmation } from '../../console/account/account-api.ts';
import { passkeyRefusal } from '../../console/account/use-passkey.ts';

it('the browser says why no passkey was used, and what to do', () => {
  expect(passkeyRefusal('NotAllowedError')).toContain('Try again');
  expect(passkeyRefusal('InvalidStateError')).toContain('has a passkey for your account already');
  expect(passkeyRefusal('SecurityError')).toContain('over https');
  expect(passkeyRefusal('')).toContain('Try another browser or device');
});

it('only a refusal that asks for it leads to the password', () => {
  const refused = (status: number, detail: string) => needsConfirmation({ ok: false, status, detail });
  expect(refused(403, 'enter your password again: POST /api/v1/account/confirm')).toBe(true);
  expect(refused(403, 'your role cannot do this')).toBe(false);
  expect(needsConfirmation({ ok: true, value: undefined })).toBe(false);
});
