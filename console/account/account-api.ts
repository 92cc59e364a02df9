import { type ApiResult, send } from '../api.ts';
import type { LoginResult } from '../api-records.ts';

/** Requests about the user's own sign-in. */

export interface SignInSettings {
  two_factor: boolean;
  recovery_codes_left: number;
}

export interface Passkey {
  id: string;
  name: string;
  synced: boolean;
  created_at: string;
  last_used_at: string | null;
}

/** What the browser is to do, as JSON of Web Authentication. */
interface Challenge<Options> {
  options: Options;
}
type Creation = PublicKeyCredentialCreationOptionsJSON;
type Request = PublicKeyCredentialRequestOptionsJSON;

/** What the browser made of it. */
type Made = object;

export const readSignIn = () => send<SignInSettings>('GET', '/account');

export const listPasskeys = () => send<Passkey[]>('GET', '/account/passkeys');

export const setUpPasskey = () => send<Challenge<Creation>>('POST', '/account/passkeys/setup');

export const addPasskey = (name: string, response: Made) =>
  send<{ recovery_codes: string[] }>('POST', '/account/passkeys', { name, response });

export const removePasskey = (id: string) => send<undefined>('DELETE', `/account/passkeys/${id}`);

export const confirmWithPassword = (password: string) => send<object>('POST', '/account/confirm', { password });

export const confirmationChallenge = () => send<Challenge<Request>>('POST', '/account/passkeys/challenge');

export const confirmWithPasskey = (passkey: Made) => send<object>('POST', '/account/confirm', { passkey });

export const signInChallenge = (login_token: string) =>
  send<Challenge<Request>>('POST', '/auth/login/passkey/challenge', { login_token });

export const signInWithPasskey = (login_token: string, response: Made) =>
  send<LoginResult>('POST', '/auth/login/passkey', { login_token, response });

/** Whether the password has to be entered again first. */
export const needsConfirmation = (result: ApiResult<unknown>): boolean =>
  !result.ok && result.status === 403 && result.detail.includes('/account/confirm');
