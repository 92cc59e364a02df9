import type { FastifyRequest } from 'fastify';
import { refuseCrossSite } from './cross-site.ts';
import { HttpError } from './errors.ts';
import { hasPermission, type Permission, type Role } from './permissions.ts';
import type { Scope } from './scopes.ts';
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
  /** The connection of the app that this is, or that made this key; keys and webhook endpoints made with it end with the connection. */
  grant_id?: string | null;
  /** What a key is limited to; left out: everything that keys may do. */
  scopes?: readonly Scope[];
  /**
   * Set where the workspace asks for more: a session whose password was entered too long ago, a key or app that may not make keys.
   * It is refused where an endpoint asks for a confirmed one.
   */
  unconfirmed?: boolean;
  /** Of a session whose password or second factor was entered too long ago, whatever its workspace asks for. */
  confirmation_over?: boolean;
  /** Of a person, or of an app of one, whose email address is not confirmed: it may not spend. */
  email_unverified?: boolean;
  /** Of a key or connected app; 120 when left out. */
  requests_per_minute?: number;
}

/**
 * Looks a credential up, without a promise where it is cached; returns null when it is unknown, expired or revoked.
 *
 * @param choice the workspace that `X-Workspace-ID` names; it only chooses among a user's own.
 * @param address of the client; empty when it is not known.
 * @throws HttpError 403 for a key that is not accepted from this address.
 */
export type FindPrincipal = (
  credential: string,
  choice: string | null,
  address?: string,
) => Promise<Principal | null> | Principal | null;

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
  return (credential, choice, address) => {
    // `svc_`, `svcs_` and `svco_` differ before the underscore.
    const find = finders[credential.slice(0, credential.indexOf('_') + 1)];
    return find ? find(credential, choice, address) : null;
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
 * Returns who sent the request, without a promise where the credential is cached.
 *
 * @throws HttpError 401 without a valid credential; 403 `cross-site request refused` when another site made a browser send its
 *   cookie, or for a key's address; 400 when the endpoint needs a workspace and none can be chosen.
 */
export function authenticate(
  request: FastifyRequest,
  find: FindPrincipal,
  credential: Credential = 'key',
): Promise<Principal> | Principal {
  let sent = credentialInHeader(request);
  if (sent === null) {
    sent = readSessionCookie(request);
    if (sent === null) throw unauthorized('not signed in');
    refuseCrossSite(request);
  }
  const header = request.headers['x-workspace-id'];
  const choice = typeof header === 'string' && header !== '' ? header : null;
  const found = find(sent, choice, request.ip);
  return found instanceof Promise
    ? found.then((principal) => accepted(principal, credential))
    : accepted(found, credential);
}

function accepted(principal: Principal | null, credential: Credential): Principal {
  if (!principal) throw invalidCredentials();
  const inWorkspace = credential === 'key' || credential === 'session';
  if (inWorkspace && principal.workspace_id === '') throw new HttpError(400, 'choose a workspace with X-Workspace-ID');
  return principal;
}

export function authorize(
  principal: Pick<
    Principal,
    'role' | 'workspace_state' | 'session_id' | 'scopes' | 'unconfirmed' | 'confirmation_over' | 'email_unverified'
  >,
  need: {
    credential: Credential;
    permission: Permission | null;
    beforeActivation: boolean;
    scope?: Scope | null;
    confirmed?: boolean | 'sessions';
    /** It spends, or lets others spend. */
    verifiedEmail?: boolean;
  },
): void {
  const { credential, permission, scope = null, confirmed = false } = need;
  if (credential === 'any') return;
  const missing = permission ? `your role cannot do this (${permission})` : 'your role cannot do this';
  if (credential !== 'key' && principal.session_id === null) {
    throw keysRefused(missing);
  }
  if (credential === 'account') {
    if (confirmed && principal.confirmation_over) throw confirmationRequired();
    return;
  }
  if (permission && !hasPermission(principal.role, permission)) throw new HttpError(403, missing);
  if (scope && principal.scopes && !principal.scopes.includes(scope)) {
    throw new HttpError(403, `${missing}: the key lacks the scope ${scope}`);
  }
  if (principal.workspace_state !== 'active' && !need.beforeActivation) {
    throw new HttpError(403, 'workspace not active', { body: { code: 'workspace_inactive' } });
  }
  if (need.verifiedEmail && principal.email_unverified) throw emailUnverified();
  if (!confirmed || !principal.unconfirmed) return;
  if (principal.session_id !== null) throw confirmationRequired();
  if (confirmed !== 'sessions') throw keysRefused(missing);
}

function emailUnverified(): HttpError {
  const detail =
    'confirm your email address first: follow the link in our email, or ask for another with POST /api/auth/verify-email';
  return new HttpError(403, detail, { body: { code: 'email_unverified' } });
}

function confirmationRequired(): HttpError {
  const detail = 'enter your password again: POST /api/v1/account/confirm';
  return new HttpError(403, detail, { body: { code: 'confirmation_required' } });
}

const keysRefused = (missing: string) => new HttpError(403, `${missing}: sign in, API keys are refused`);
