import { ok } from '@oazapfts/runtime';
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import {
  postAccountPasskeys as addPasskey,
  postAccountConfirm as confirm,
  postAccountPasskeysChallenge as confirmationChallenge,
  postAuthLoginPasskey,
  postAccountPasskeysSetup as setUpPasskey,
  postAuthLoginPasskeyChallenge as signInChallenge,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What the browser makes or signs with passkeys, and what the API says to it. */

/** The browser used no passkey; the message is for the person. */
export class PasskeyRefusal extends Error {}

type Creation = Parameters<typeof startRegistration>[0]['optionsJSON'];
type Request = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type MadePasskey = Parameters<typeof addPasskey>[0]['response'];
type Signature = Parameters<typeof postAuthLoginPasskey>[0]['response'];

/** Has the browser make a passkey, and adds it to the account. */
export async function makePasskey(name: string) {
  const { options } = await ok(setUpPasskey());
  const response = await asked(() => startRegistration({ optionsJSON: options as unknown as Creation }));
  return ok(addPasskey({ name, response: response as MadePasskey }));
}

/** Confirms the session with a passkey of the person. */
export async function confirmWithPasskey(): Promise<void> {
  const { options } = await ok(confirmationChallenge());
  await ok(confirm({ passkey: await signature(options) }));
}

/** The second step of signing in. */
export async function signInWithPasskey(login_token: string) {
  const { options } = await ok(signInChallenge({ login_token }));
  return ok(postAuthLoginPasskey({ login_token, response: await signature(options) }));
}

const signature = async (options: object): Promise<Signature> =>
  (await asked(() => startAuthentication({ optionsJSON: options as Request }))) as Signature;

async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    throw new PasskeyRefusal(passkeyRefusal(error instanceof Error ? error.name : ''));
  }
}

/** `name` of the browser's error (Web Authentication level 3, sections 5.1.3 and 5.1.4). */
export function passkeyRefusal(name: string): string {
  switch (name) {
    case 'NotAllowedError':
    case 'AbortError':
      return t('No passkey was used. Try again, and follow what your browser asks.');
    case 'InvalidStateError':
      return t('This device has a passkey for your account already.');
    case 'SecurityError':
      return t('Passkeys need the usual address of this page, over https.');
    default:
      return t('This browser could not use a passkey. Try another browser or device.');
  }
}
