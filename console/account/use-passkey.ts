import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { ApiResult } from '../api.ts';

/** The browser's part of passkeys. A refusal of the browser is returned with status 0 and the text for the user. */
export type Signed<Value> = ApiResult<Value> & { refusal?: string };

type Creation = Parameters<typeof startRegistration>[0]['optionsJSON'];
type Request = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** Asks for options, has the browser make a passkey of them, and sends it. */
export async function makePasskey<Value>(
  options: () => Promise<ApiResult<{ options: object }>>,
  save: (response: object) => Promise<ApiResult<Value>>,
): Promise<Signed<Value>> {
  const begun = await options();
  if (!begun.ok) return begun;
  return signed(() => startRegistration({ optionsJSON: begun.value.options as Creation }), save);
}

/** Asks for a challenge, has a passkey of the user sign it, and sends that. */
export async function usePasskey<Value>(
  challenge: () => Promise<ApiResult<{ options: object }>>,
  save: (response: object) => Promise<ApiResult<Value>>,
): Promise<Signed<Value>> {
  const begun = await challenge();
  if (!begun.ok) return begun;
  return signed(() => startAuthentication({ optionsJSON: begun.value.options as Request }), save);
}

async function signed<Value>(
  ask: () => Promise<object>,
  save: (response: object) => Promise<ApiResult<Value>>,
): Promise<Signed<Value>> {
  let response: object;
  try {
    response = await ask();
  } catch (error) {
    return { ok: false, status: 0, detail: '', refusal: passkeyRefusal(error instanceof Error ? error.name : '') };
  }
  return save(response);
}

/** `name` of the browser's error (Web Authentication level 3, sections 5.1.3 and 5.1.4). */
export function passkeyRefusal(name: string): string {
  switch (name) {
    case 'NotAllowedError':
    case 'AbortError':
      return 'No passkey was used. Try again, and follow what your browser asks.';
    case 'InvalidStateError':
      return 'This device has a passkey for your account already.';
    case 'SecurityError':
      return 'Passkeys need the usual address of this page, over https.';
    default:
      return 'This browser could not use a passkey. Try another browser or device.';
  }
}
