import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { conflict, notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { type RequestContext, requestContextOf } from '../http/request-context.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { changeAccount, changePassword, deleteAccount, readAccount, requestEmailChange } from './account.ts';
import { emailField, givenPassword, newPassword, personName, zoneField } from './account-fields.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { auditAccount } from './audit-account.ts';
import { confirmSession } from './confirm-session.ts';
import { recordFailure } from './failed-sign-ins.ts';
import { workspaceOfUser } from './open-session.ts';
import { listSessions, revokeSession, revokeSessions } from './session-store.ts';
import { removeSessionCookie } from './set-session-cookie.ts';
import { checkPassword } from './sign-in.ts';
import { findUser, type UserRow } from './store.ts';
import { consumeCode, disableTwoFactor, enableTwoFactor, startTwoFactorSetup, wrongCode } from './two-factor.ts';
import { assertionResponse, type RelyingParty } from './webauthn.ts';

const account = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('1 to 80 characters'),
    email: z.string().describe('what one signs in with'),
    pending_email: z.string().describe('waits for its link to be followed; empty when none does'),
    email_verified: z.boolean().describe('the link in the email was followed'),
    two_factor: z.boolean().describe('sign-in takes two steps'),
    authenticator: z.boolean().describe('the second step may be a code of an authenticator app'),
    recovery_codes_left: z.int().describe('of ten'),
    timezone: z.string().describe('IANA name'),
    avatar: z
      .union([z.int(), z.string()])
      .nullable()
      .describe('number of a drawing, or address of a picture; null: none'),
    created_at: time(),
    workspaces: z.array(workspaceOfUser).describe('those one is a member of'),
  })
  .meta({ id: 'Account' });

const session = z
  .object({
    id: z.string().describe('32 hex characters'),
    current: z.boolean().describe('the one this request is made with'),
    client: z.string().describe('browser and system'),
    address: z.string().describe('where the client was last seen, an IP address'),
    created_at: time(),
    last_seen_at: time(),
    expires_at: time(),
  })
  .meta({ id: 'Session' });

const SIGNED_IN = {
  tag: 'Account and sign-in',
  credential: 'account',
  permission: null,
  before_activation: true,
} as const;

const passwordOnly = z.object({ password: givenPassword().describe('the present one') });

/** The signed-in user's own account: 12 endpoints. */
export function accountRoutes(app: FastifyInstance, deps: AccountsDeps, party: RelyingParty | null): void {
  const { sql, clock } = deps;

  /** Checks the user's password once more. */
  async function confirmed(requestContext: RequestContext, userId: string, password: string): Promise<UserRow> {
    const user = await findUser(sql, userId);
    return checkPassword(deps, requestContext, user?.email ?? '', password);
  }

  route(app, {
    ...SIGNED_IN,
    method: 'GET',
    path: '/api/v1/account',
    summary: 'The signed-in user',
    schema: { response: account },
    success: 200,
    handler: async (_input, { user_id }) => readAccount(deps, user_id),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'PATCH',
    path: '/api/v1/account',
    summary: 'Change name, zone or avatar',
    schema: {
      body: z.object({
        name: personName().optional().describe('left out: stays'),
        timezone: zoneField().optional().describe('left out: stays'),
        avatar: z
          .union([z.int().min(0).max(1_000_000), z.string().max(500)])
          .nullable()
          .optional()
          .describe('number of a drawing, or address of a picture; null: none'),
      }),
      response: account,
    },
    success: 200,
    handler: async ({ body }, { user_id, request }) => {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      await changeAccount(deps, requestContextOf(request), user_id, given);
      return readAccount(deps, user_id);
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'DELETE',
    path: '/api/v1/account',
    summary: 'Delete the account; workspaces where nobody else is are closed',
    schema: { body: passwordOnly },
    success: 204,
    handler: async ({ body }, { user_id, request }) => {
      const requestContext = requestContextOf(request);
      await confirmed(requestContext, user_id, body.password);
      await deleteAccount(deps, requestContext, user_id);
      removeSessionCookie(request);
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/email',
    summary: 'Ask for another email; it takes effect once the mailed link is followed',
    schema: {
      body: z.object({
        email: emailField().describe('the new address'),
        password: givenPassword().describe('the present one'),
      }),
      response: account,
    },
    success: 200,
    errors: [409],
    handler: async ({ body }, { user_id, request }) => {
      const requestContext = requestContextOf(request);
      await confirmed(requestContext, user_id, body.password);
      await requestEmailChange(deps, requestContext, user_id, body.email);
      return readAccount(deps, user_id);
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/password',
    summary: 'Change the password; other sessions end',
    schema: {
      body: z.object({
        current_password: givenPassword().describe('as it was until now'),
        new_password: newPassword().describe('10 to 200 characters; ends all other sessions'),
      }),
    },
    success: 204,
    handler: async ({ body }, { user_id, session_id, request }) => {
      const requestContext = requestContextOf(request);
      const user = await confirmed(requestContext, user_id, body.current_password);
      await changePassword(deps, requestContext, user, body.new_password, session_id);
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/confirm',
    summary: 'Enter the password or a second factor again, or use a passkey, for what asks for it within 15 minutes',
    schema: {
      body: z.object({
        password: givenPassword().optional().describe('the present one; or `code` or `passkey`'),
        code: z.string().max(40).optional().describe('six digits, or a recovery code; instead of `password`'),
        passkey: assertionResponse
          .optional()
          .describe('what a passkey signed of `POST /account/passkeys/challenge`; instead of `password`'),
      }),
      response: z.object({ confirmed_until: time('until when this session counts as confirmed') }),
    },
    success: 200,
    handler: async ({ body }, { user_id, session_id, request }) =>
      confirmSession(deps, party, requestContextOf(request), { user_id, session_id }, body),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'GET',
    path: '/api/v1/account/sessions',
    summary: 'Where the user is signed in, the last 50',
    schema: { response: z.array(session) },
    success: 200,
    handler: async (_input, { user_id, session_id }) => {
      const sessions = await listSessions(sql, user_id, new Date(clock.wall()));
      return sessions.map(({ user_id: _, ...each }) => ({ ...each, current: each.id === session_id }));
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'DELETE',
    path: '/api/v1/account/sessions/{session_id}',
    summary: 'End a session',
    schema: { params: z.object({ session_id: pathId('session') }) },
    success: 204,
    errors: [404],
    handler: async ({ params }, { user_id, session_id, request, actor }) => {
      await sql.begin(async (tx) => {
        const nowMs = clock.wall();
        const ended = await revokeSession(tx, user_id, params.session_id, new Date(nowMs));
        if (!ended) throw notFound('session');
        const user = { id: user_id, name: actor.name };
        await auditAccount(tx, { user, actor, action: 'session.revoked', data: { sessions: 1 }, at_ms: nowMs });
      });
      if (params.session_id === session_id) removeSessionCookie(request);
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/sessions/revoke-others',
    summary: 'End every session but this one',
    schema: { response: z.object({ revoked: z.int().describe('how many ended') }) },
    success: 200,
    handler: async (_input, { user_id, session_id, actor }) =>
      sql.begin(async (tx) => {
        const nowMs = clock.wall();
        const revoked = await revokeSessions(tx, user_id, session_id, new Date(nowMs));
        const user = { id: user_id, name: actor.name };
        const data = { sessions: revoked };
        if (revoked > 0) await auditAccount(tx, { user, actor, action: 'session.revoked', data, at_ms: nowMs });
        return { revoked };
      }),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/2fa/setup',
    summary: 'Begin two-step sign-in: the secret for an authenticator app, valid for 15 minutes',
    schema: {
      body: passwordOnly,
      response: z.object({
        secret: z.string().describe('base 32'),
        otpauth_url: z.string().describe('what the QR code holds'),
      }),
    },
    success: 200,
    errors: [409],
    handler: async ({ body }, { user_id, request }) => {
      await confirmed(requestContextOf(request), user_id, body.password);
      return startTwoFactorSetup(deps, user_id);
    },
  });

  const code = z.string().max(40).describe('six digits');

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/2fa/enable',
    summary: 'Switch two-step sign-in on with a first code; the recovery codes are shown once',
    schema: {
      body: z.object({ code }),
      response: z.object({ recovery_codes: z.array(z.string()).describe('ten; each works once, shown only now') }),
    },
    success: 200,
    errors: [409],
    handler: async ({ body }, { user_id, request }) => ({
      recovery_codes: await enableTwoFactor(deps, requestContextOf(request), user_id, body.code),
    }),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'POST',
    path: '/api/v1/account/2fa/disable',
    summary: 'Switch two-step sign-in off',
    schema: {
      body: z.object({
        password: givenPassword().describe('the present one'),
        code: z.string().max(40).describe('or a recovery code'),
      }),
    },
    success: 204,
    errors: [409],
    handler: async ({ body }, { user_id, request }) => {
      const requestContext = requestContextOf(request);
      const user = await confirmed(requestContext, user_id, body.password);
      if (user.two_factor_enabled_at === null) throw conflict('two-step sign-in is off');
      if (!(await consumeCode(deps, requestContext, user, body.code))) {
        throw await recordFailure(deps, requestContext, user.email, wrongCode());
      }
      await disableTwoFactor(deps, requestContext, user_id);
    },
  });
}
