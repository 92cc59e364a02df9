import type { FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';
import { mayDo, type Permission, type Role } from './permissions.ts';

/** Who acts: shown as `created_by`, `started_by`, in hang-up reasons and on the audit trail. */
export interface Actor {
  kind: 'api_key' | 'user' | 'oauth_app' | 'service';
  id: string;
  /** A person's name, a key's label. */
  name: string;
}

/** What a credential stands for. */
export interface Caller {
  workspace_id: string;
  workspace_state: 'onboarding' | 'active' | 'suspended' | 'closed';
  role: Role;
  actor: Actor;
}

/** Looks a credential up; null when it is unknown, expired or revoked. */
export type FindCaller = (credential: string) => Promise<Caller | null>;

/** Which credential an endpoint takes, as in endpoints.csv. `key` also takes a session; `public` none at all. */
export type Credential = 'key' | 'session' | 'public';

const BEARER = { 'WWW-Authenticate': 'Bearer' };

/** The credential sent, from `X-API-Key` or `Authorization: Bearer`; null when there is none. */
export function credentialOf(request: FastifyRequest): string | null {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  const { authorization } = request.headers;
  if (!authorization) return null;
  const [scheme, value] = authorization.split(' ', 2);
  // Another scheme is a credential too, only never a valid one.
  return scheme?.toLowerCase() === 'bearer' && value ? value : authorization;
}

export async function authenticate(request: FastifyRequest, find: FindCaller): Promise<Caller> {
  const credential = credentialOf(request);
  if (credential === null) throw new HttpError(401, 'not signed in', { headers: BEARER });
  const caller = await find(credential);
  if (!caller) throw new HttpError(401, 'invalid, expired or revoked credentials', { headers: BEARER });
  return caller;
}

export function permit(
  caller: Caller,
  need: { credential: Credential; permission: Permission | null; beforeActivation: boolean },
): void {
  const { credential, permission } = need;
  const missing = permission ? `your role cannot do this (${permission})` : 'your role cannot do this';
  if (credential === 'session' && caller.role === 'api_key') {
    throw new HttpError(403, `${missing}: sign in, API keys are refused`);
  }
  if (permission && !mayDo(caller.role, permission)) throw new HttpError(403, missing);
  if (caller.workspace_state !== 'active' && !need.beforeActivation) {
    throw new HttpError(403, 'workspace not active', { body: { code: 'workspace_inactive' } });
  }
}
