import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AnySql } from '../db/connect.ts';
import { refuseCrossSitePage } from '../http/cross-site.ts';
import { hasPermission, PERMISSIONS } from '../http/permissions.ts';
import { requestContextOf } from '../http/request-context.ts';
import { type Context, route } from '../http/route.ts';
import { DEFAULT_ZONE, time } from '../http/times.ts';
import { emailField, givenPassword, newPassword, personName, zoneField } from './account-fields.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { auditAccount } from './audit-account.ts';
import { authResult, signedInUser, workspaceOfUser } from './open-session.ts';
import { revokeSession } from './session-store.ts';
import { removeSessionCookie, saveSessionCookie } from './set-session-cookie.ts';
import { signIn, signInWithCode } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { findUser, workspacesOfUser } from './store.ts';

const TAG = 'Account and sign-in';
const PUBLIC = { method: 'POST', tag: TAG, credential: 'public', permission: null, before_activation: true } as const;

const secondStep = z
  .object({
    two_factor_required: z.literal(true).describe('distinguishes this response from a completed sign-in'),
    login_token: z.string().describe('for the second step: 10 minutes, 5 tries'),
    expires_at: time(),
    methods: z
      .array(z.enum(['passkey', 'authenticator', 'recovery_code']))
      .optional()
      .describe('what the second step may be made with; left out where the user has no passkey: a code'),
  })
  .meta({ id: 'TwoFactorRequired' });

const me = z
  .object({
    credential: z.enum(['session', 'api_key', 'oauth_app']).describe('what the request was made with'),
    user: signedInUser.nullable().describe('null for a key'),
    key: z
      .object({
        id: z.string().describe('32 hex characters'),
        name: z.string().describe('its label'),
        prefix: z.string().describe('its first 12 characters'),
        scopes: z.array(z.string()).nullable().describe('what it may do; null: all that keys may'),
      })
      .nullable()
      .describe('null unless the credential is a key'),
    workspace: z
      .object({
        id: z.string().describe('32 hex characters'),
        name: z.string().describe('1 to 120 characters'),
        state: workspaceOfUser.shape.state,
        currency: z.enum(['INR', 'USD']).describe('what credits and prices are counted in'),
        timezone: z.string().describe('IANA name'),
      })
      .nullable()
      .describe('the one that is acted in; null when none is open'),
    role: z.enum(['owner', 'admin', 'developer', 'viewer']).nullable().describe('a key shows developer'),
    permissions: z.array(z.enum(PERMISSIONS)).describe('what this credential may do here'),
    workspaces: z.array(workspaceOfUser).describe('for a key only its own'),
  })
  .meta({ id: 'Me' });

/** Signing up, in and out, and who one is: 5 endpoints. */
export function signInRoutes(app: FastifyInstance, deps: AccountsDeps): void {
  const { sql, clock } = deps;

  route(app, {
    ...PUBLIC,
    path: '/api/v1/auth/signup',
    summary: 'A new user with a new workspace; signs in',
    schema: {
      body: z
        .object({
          name: personName().describe('of the person'),
          email: emailField().describe('what one will sign in with'),
          password: newPassword().describe('only a hash of it is stored'),
          workspace_name: z.string().trim().min(1).max(120).optional().describe("default `<name>'s workspace`"),
          timezone: zoneField().default(DEFAULT_ZONE).describe('IANA name'),
        })
        .meta({ id: 'Signup' }),
      response: authResult,
    },
    success: 201,
    errors: [409, 429],
    handler: async ({ body }, { request }) => {
      refuseCrossSitePage(request);
      const { token, device, result } = await signUp(deps, requestContextOf(request), body);
      saveSessionCookie(request, token, device);
      return result;
    },
  });

  route(app, {
    ...PUBLIC,
    path: '/api/v1/auth/login',
    summary: 'Sign in; with two-step sign-in on, the first step',
    schema: {
      body: z
        .object({
          email: z.string().trim().max(200).toLowerCase().describe('upper and lower case are the same'),
          password: givenPassword().describe('as it was chosen'),
        })
        .meta({ id: 'Login' }),
      response: z.union([authResult, secondStep]),
    },
    success: 200,
    errors: [401, 429],
    handler: async ({ body }, { request }) => {
      refuseCrossSitePage(request);
      const signedIn = await signIn(deps, requestContextOf(request), body);
      if ('login_token' in signedIn) return { two_factor_required: true as const, ...signedIn };
      saveSessionCookie(request, signedIn.token, signedIn.device);
      return signedIn.result;
    },
  });

  route(app, {
    ...PUBLIC,
    path: '/api/v1/auth/login/2fa',
    summary: 'The second step of signing in',
    schema: {
      body: z
        .object({
          login_token: z.string().max(200).describe('from the first step'),
          code: z.string().max(40).describe('six digits, or a recovery code'),
        })
        .meta({ id: 'TwoFactorLogin' }),
      response: authResult,
    },
    success: 200,
    errors: [401, 429],
    handler: async ({ body }, { request }) => {
      refuseCrossSitePage(request);
      const { token, device, result } = await signInWithCode(deps, requestContextOf(request), body);
      saveSessionCookie(request, token, device);
      return result;
    },
  });

  route(app, {
    method: 'GET',
    tag: TAG,
    credential: 'any',
    permission: null,
    before_activation: true,
    path: '/api/v1/auth/me',
    summary: 'Who this credential stands for, and what it may do',
    schema: { response: me },
    success: 200,
    handler: async (_input, context) => describePrincipal(sql, context),
  });

  route(app, {
    method: 'POST',
    tag: TAG,
    credential: 'account',
    permission: null,
    before_activation: true,
    path: '/api/v1/auth/logout',
    summary: 'Sign out: this session ends',
    schema: {},
    success: 204,
    handler: async (_input, { user_id, session_id, actor, request }) => {
      await sql.begin(async (tx) => {
        const nowMs = clock.wall();
        if (!(await revokeSession(tx, user_id, session_id, new Date(nowMs)))) return;
        const user = { id: user_id, name: actor.name };
        await auditAccount(tx, { user, actor, action: 'session.closed', at_ms: nowMs });
      });
      removeSessionCookie(request);
    },
  });
}

async function describePrincipal(sql: AnySql, context: Context): Promise<z.output<typeof me>> {
  const { user_id, key_id, session_id, workspace_id, role } = context;
  const user = user_id === null ? null : await findUser(sql, user_id);
  const workspace = workspace_id === '' ? null : await findWorkspaceFacts(sql, workspace_id);
  const own = user_id === null || session_id === null ? null : await workspacesOfUser(sql, user_id);
  const shownRole = role === 'api_key' ? 'developer' : role;
  const mine = workspace && { id: workspace.id, name: workspace.name, role: shownRole, state: workspace.state };
  return {
    credential: key_id !== null ? 'api_key' : session_id !== null ? 'session' : 'oauth_app',
    user: user && {
      id: user.id,
      name: user.name,
      email: user.email,
      two_factor: user.two_factor_enabled_at !== null,
    },
    key: key_id === null ? null : await findKeyFacts(sql, workspace_id, key_id),
    workspace,
    role: workspace ? shownRole : null,
    permissions: workspace ? PERMISSIONS.filter((permission) => hasPermission(role, permission)) : [],
    workspaces: own ?? (mine ? [mine] : []),
  };
}

type WorkspaceFacts = NonNullable<z.output<typeof me>['workspace']>;

async function findWorkspaceFacts(sql: AnySql, workspaceId: string): Promise<WorkspaceFacts | null> {
  const [row] = await sql<WorkspaceFacts[]>`
    select id, name, state, currency, timezone from workspaces where id = ${workspaceId}`;
  return row ?? null;
}

async function findKeyFacts(sql: AnySql, workspaceId: string, keyId: string) {
  const [row] = await sql<{ id: string; name: string; prefix: string; scopes: string[] | null }[]>`
    select id, name, prefix, scopes from api_keys where workspace_id = ${workspaceId} and id = ${keyId}`;
  return row ?? null;
}
