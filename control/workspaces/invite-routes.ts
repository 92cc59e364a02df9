import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { emailField, newPassword, personName } from '../accounts/account-fields.ts';
import { authResult } from '../accounts/open-session.ts';
import { saveSessionCookie } from '../accounts/set-session-cookie.ts';
import { authenticate, authorize, credentialOf, type Principal } from '../http/authenticate.ts';
import { refuseCrossSitePage } from '../http/cross-site.ts';
import { HttpError, type ValidationItem } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { requestContextOf } from '../http/request-context.ts';
import { route } from '../http/route.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import { type AcceptInviteDeps, createInviteAcceptance } from './accept-invite.ts';
import { createInvites, type InvitesDeps } from './invites.ts';
import { invitedRole, inviteInfoRecord, inviteRecord, newInviteRecord } from './workspace-record.ts';

const TAG = 'Workspace';
/** The invite's id for members who manage it, the token of its link for the invited. */
const params = z.object({ invite: pathId('invite') });

/** Empty for a signed-in user. */
const acceptBody = z
  .object({
    name: personName().optional().describe('of a new user'),
    password: newPassword().optional().describe('of a new user; 10 to 200 characters'),
  })
  .prefault({})
  .describe('a new user: both; a signed-in one: empty');

/** Endpoints for invites to the workspace. */
export function inviteRoutes(app: FastifyInstance, deps: InvitesDeps & AcceptInviteDeps): void {
  const invites = createInvites(deps);
  const acceptance = createInviteAcceptance(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/invites',
    tag: TAG,
    summary: 'Invites that were not accepted yet, newest first',
    credential: 'key',
    permission: 'members.view',
    before_activation: true,
    schema: { response: z.array(inviteRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => invites.list(workspace_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/invites',
    tag: TAG,
    summary: 'Invite somebody by mail',
    credential: 'session',
    permission: 'members.manage',
    confirmed: true,
    before_activation: true,
    schema: {
      body: z.object({
        email: emailField().describe('where the link is sent'),
        role: invitedRole.describe('owners are made, not invited'),
      }),
      response: newInviteRecord,
    },
    success: 201,
    errors: [409, 429],
    handler: async ({ body }, { workspace_id, actor }) => invites.create(workspace_id, actor, body),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/invites/{invite}',
    tag: TAG,
    summary: 'Take an invite back, by its id',
    credential: 'session',
    permission: 'members.manage',
    before_activation: true,
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => invites.revoke(workspace_id, actor, params.invite),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/invites/{invite}',
    tag: TAG,
    summary: 'What an invite is about, by the token of its link',
    credential: 'public',
    permission: null,
    schema: { params, response: inviteInfoRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }) => invites.findByToken(params.invite),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/invites/{invite}/accept',
    tag: TAG,
    summary: 'Join by the token of the link: as a new user, or signed in as the invited one with an empty body',
    credential: 'public',
    permission: null,
    schema: { params, body: acceptBody, response: authResult },
    success: 200,
    errors: [401, 403, 404, 409, 429],
    async handler({ params, body }, { request, zone }) {
      const principal = await signedInUser(request);
      const requestContext = requestContextOf(request);
      if (principal) return acceptance.asUser(params.invite, requestContext, principal);
      refuseCrossSitePage(request);
      const { name, password } = body;
      if (name === undefined || password === undefined) throw missing(body);
      const { token, result } = await acceptance.asNewUser(params.invite, requestContext, {
        name,
        password,
        timezone: zone,
      });
      saveSessionCookie(request, token);
      return result;
    },
  });
}

/**
 * Returns the signed-in user, if any. An expired cookie counts as none, because the browser sends it by itself.
 * @throws HttpError 401 for any other invalid credential, 403 for one that is not a session's.
 */
async function signedInUser(request: FastifyRequest): Promise<{ session_id: string; user_id: string } | null> {
  const sent = credentialOf(request);
  if (sent === null) return null;
  let principal: Principal;
  try {
    principal = await authenticate(request, request.server.findPrincipal, 'account');
  } catch (error) {
    const stale = error instanceof HttpError && error.status === 401 && sent === readSessionCookie(request);
    if (stale) return null;
    throw error;
  }
  authorize(principal, { credential: 'account', permission: null, beforeActivation: true });
  const { session_id, user_id } = principal;
  return session_id === null || user_id === null ? null : { session_id, user_id };
}

/** Returns the error for the fields that a new user left out. */
function missing(body: z.output<typeof acceptBody>): HttpError {
  const items: ValidationItem[] = (['name', 'password'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ type: 'missing', loc: ['body', field], msg: 'Field required', input: null }));
  return new HttpError(422, items);
}
