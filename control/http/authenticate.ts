import type { FastifyRequest } from 'fastify';
import { refuseCrossSite } from './cross-site.ts';
import { HttpError } from './errors.ts';
import { hasPermission, type Permission, type Role } from './permissions.ts';
import { readSessionCookie } from './session-cookie.ts';

/** The author of an action: shown as `created_by`, `started_by`, in hang-up reasons and in audit events. */
export interface Actor {
  kind: 'api_key' | 'user' | 'oauth_app' | 'service';
  id: string;
  /** A person's name, a key's label. */
  name: string;
  /** Where the request came from; absent for what the service does by itself. */
  origin?: { address: string; request_id: string };
}

export type WorkspaceState = 'onboarding' | 'active' | 'suspended' | 'closed';

/** What a credential stands for. */
export interface Principal {
  /** Empty when a user has no workspace, or asked for one that is not open to them. */
  workspace_id: string;
  workspace_state: WorkspaceState;
  role: Role;
  actor: Actor;
  /** The signed-in user, or the one who connected the app; null for a key. */
  user_id: string | null;
  session_id: string | null;
  key_id: string | null;
  /** Of a session whose end this request moved: its new end. */
  expires_at?: Date;
  /** Of a key or connected app; 120 when left out. */
  requests_per_minute?: number;
}

/**
 * Looks a credential up; returns null when it is unknown, expired or revoked.
 *
 * @param choice the workspace that `X-Workspace-ID` names; it only chooses among a user's own.
 */
export type FindPrincipal = (credential: string, choice: string | null) => Promise<Principal | null>;

/**
 * The credential an endpoint takes, as in endpoints.csv.
 *
 * - `key`: an API key, a connected app or a signed-in user, in a workspace
 * - `session`: a signed-in user, in a workspace
 * - `account`: a signed-in user; no workspace is chosen
 * - `any`: any valid one; there may be no workspace
 * - `public`: none
 */
export type Credential = 'key' | 'session' | 'account' | 'any' | 'public';

const BEARER = { 'WWW-Authenticate': 'Bearer' };

/** Every 401 names the scheme to use. */
export const unauthorized = (detail: string) => new HttpError(401, detail, { headers: BEARER });
export const invalidCredentials = () => unauthorized('invalid, expired or revoked credentials');

/** Looks each credential up with the function for its prefix. */
export function findByPrefix(finders: Record<string, FindPrincipal>): FindPrincipal {
  return async (credential, choice) => {
    // `svc_`, `svcs_` and `svco_` differ before the underscore.
    const find = finders[credential.slice(0, credential.indexOf('_') + 1)];
    return find ? find(credential, choice) : null;
  };
}

/** Returns the credential sent in `X-API-Key`, `Authorization: Bearer` or the cookie; null when there is none. */
export function credentialOf(request: FastifyRequest): string | null {
  return credentialInHeader(request) ?? readSessionCookie(request);
}

function credentialInHeader(request: FastifyRequest): string | null {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const { authorization } = request.headers;
  if (!authorization) return null;
  const [scheme, value] = authorization.split(' ', 2);
  // Another scheme is a credential too, only never a valid one.
  return scheme?.toLowerCase() === 'bearer' && value ? value : authorization;
}

/**
 * Returns who sent the request.
 *
 * @throws HttpError 401 without a valid credential; 403 `cross-site request refused` when another site made a browser send its
 *   cookie; 400 when the endpoint needs a workspace and none can be chosen.
 */
export async function authenticate(
  request: FastifyRequest,
  find: FindPrincipal,
  credential: Credential = 'key',
): Promise<Principal> {
  let sent = credentialInHeader(request);
  if (sent === null) {
    sent = readSessionCookie(request);
    if (sent === null) throw unauthorized('not signed in');
    refuseCrossSite(request);
  }
  const header = request.headers['x-workspace-id'];
  const principal = await find(sent, typeof header === 'string' && header !== '' ? header : null);
  if (!principal) throw invalidCredentials();
  const inWorkspace = credential === 'key' || credential === 'session';
  if (inWorkspace && principal.workspace_id === '') throw new HttpError(400, 'choose a workspace with X-Workspace-ID');
  return principal;
}

export function authorize(
  principal: Pick<Principal, 'role' | 'workspace_state' | 'session_id'>,
  need: { credential: Credential; permission: Permission | null; beforeActivation: boolean },
): void {
  const { credential, permission } = need;
  if (credential === 'any') return;
  const missing = permission ? `your role cannot do this (${permission})` : 'your role cannot do this';
  if (credential !== 'key' && principal.session_id === null) {
    throw new HttpError(403, `${missing}: sign in, API keys are refused`);
  }
  if (credential === 'account') return;
  if (permission && !hasPermission(principal.role, permission)) throw new HttpError(403, missing);
  if (principal.workspace_state !== 'active' && !need.beforeActivation) {
    throw new HttpError(403, 'workspace not active', { body: { code: 'workspace_inactive' } });
  }
}
