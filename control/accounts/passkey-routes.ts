import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { refuseCrossSitePage } from '../http/cross-site.ts';
import { pathId } from '../http/query.ts';
import { requestContextOf } from '../http/request-context.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { authResult } from './open-session.ts';
import { listPasskeys } from './passkey-store.ts';
import {
  addPasskey,
  changePasskeyName,
  removePasskey,
  signInWithPasskey,
  startConfirmation,
  startPasskeySignIn,
  startRegistration,
} from './passkeys.ts';
import { saveSessionCookie } from './set-session-cookie.ts';
import { assertionResponse, type RelyingParty, registrationResponse } from './webauthn.ts';

const TAG = 'Account and sign-in';
const SIGNED_IN = { tag: TAG, credential: 'account', permission: null, before_activation: true } as const;
const PUBLIC = { method: 'POST', tag: TAG, credential: 'public', permission: null, before_activation: true } as const;

const passkey = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('1 to 80 characters'),
    synced: z.boolean().describe("it is on more than one of the user's devices"),
    created_at: time(),
    last_used_at: time().nullable().describe('null: never'),
  })
  .meta({ id: 'Passkey' });

const passkeyName = () => z.string().trim().min(1).max(80).describe('to tell passkeys apart');

const challenge = (method: 'create' | 'get') =>
  z
    .object({
      options: z
        .record(z.string(), z.unknown())
        .describe(`for \`navigator.credentials.${method}\`, as JSON of Web Authentication level 3`),
      expires_at: time('of the challenge, which is used once'),
    })
    .meta({ id: method === 'create' ? 'PasskeySetup' : 'PasskeyChallenge' });
const registrationChallenge = challenge('create');
const assertionChallenge = challenge('get');

const loginToken = z.string().max(200).describe('from the first step');

/** Passkeys of the signed-in user, and signing in with one: 8 endpoints. */
export function passkeyRoutes(app: FastifyInstance, deps: AccountsDeps, party: RelyingParty | null): void {
  const options = <Options extends object>({ options, expires_at }: { options: Options; expires_at: Date }) => ({
    options: options as Record<string, unknown>,
    expires_at,
  });

  route(app, {
    ...SIGNED_IN,
    method: 'GET',
    path: '/api/v1/account/passkeys',
    summary: "The user's passkeys, oldest first",
    schema: { response: z.array(passkey) },
    success: 200,
    handler: async (_input, { user_id }) => listPasskeys(deps.sql, user_id),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/passkeys/setup',
    summary: 'Begin to add a passkey: what the browser makes it of',
    confirmed: true,
    schema: { response: registrationChallenge },
    success: 200,
    errors: [409],
    handler: async (_input, { user_id, session_id }) =>
      options(await startRegistration(deps, party, { user_id, session_id })),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/passkeys',
    summary: 'Add a passkey; the first second factor switches two-step sign-in on and shows the recovery codes once',
    confirmed: true,
    schema: {
      body: z.object({ name: passkeyName(), response: registrationResponse.describe('what the browser made') }),
      response: z
        .object({
          passkey: passkey.describe('as it is listed'),
          recovery_codes: z.array(z.string()).describe('ten, where two-step sign-in was off; otherwise empty'),
        })
        .meta({ id: 'PasskeyAdded' }),
    },
    success: 201,
    errors: [409],
    handler: async ({ body }, { user_id, session_id, request }) =>
      addPasskey(deps, party, requestContextOf(request), { user_id, session_id }, body),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/passkeys/challenge',
    summary: 'What a passkey has to sign for `POST /account/confirm`',
    schema: { response: assertionChallenge },
    success: 200,
    errors: [409],
    handler: async (_input, { user_id, session_id }) =>
      options(await startConfirmation(deps, party, { user_id, session_id })),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'PATCH',
    path: '/api/v1/account/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    schema: {
      params: z.object({ passkey_id: pathId('passkey') }),
      body: z.object({ name: passkeyName() }),
      response: passkey,
    },
    success: 200,
    errors: [404],
    handler: async ({ params, body }, { user_id, request }) =>
      changePasskeyName(deps, requestContextOf(request), { user_id, ...params, ...body }),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'DELETE',
    path: '/api/v1/account/passkeys/{passkey_id}',
    summary: 'Remove a passkey; with the last second factor two-step sign-in goes off',
    confirmed: true,
    schema: { params: z.object({ passkey_id: pathId('passkey') }) },
    success: 204,
    errors: [404],
    handler: async ({ params }, { user_id, request }) =>
      removePasskey(deps, requestContextOf(request), { user_id, ...params }),
  });

  route(app, {
    ...PUBLIC,
    path: '/api/v1/auth/login/passkey/challenge',
    summary: 'What a passkey has to sign as the second step of signing in',
    schema: { body: z.object({ login_token: loginToken }), response: assertionChallenge },
    success: 200,
    errors: [401, 409],
    handler: async ({ body }, { request }) => {
      refuseCrossSitePage(request);
      return options(await startPasskeySignIn(deps, party, body.login_token));
    },
  });

  route(app, {
    ...PUBLIC,
    path: '/api/v1/auth/login/passkey',
    summary: 'The second step of signing in, with a passkey',
    schema: {
      body: z.object({ login_token: loginToken, response: assertionResponse.describe('what the browser made') }),
      response: authResult,
    },
    success: 200,
    errors: [401, 409, 429],
    handler: async ({ body }, { request }) => {
      refuseCrossSitePage(request);
      const { token, device, result } = await signInWithPasskey(deps, party, requestContextOf(request), body);
      saveSessionCookie(request, token, device);
      return result;
    },
  });
}
