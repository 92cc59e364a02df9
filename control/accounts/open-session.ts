import { z } from 'zod';
import { newId } from '../../shared/ids.ts';
import type { Transaction } from '../db/connect.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { time } from '../http/times.ts';
import { auditAccount } from './audit-account.ts';
import { rememberDevice } from './devices.ts';
import { hashOfToken, newToken } from './secret-token.ts';
import { insertSession, SESSION_TTL_MS } from './session-store.ts';
import { findUser, workspacesOfUser } from './store.ts';

export const workspaceOfUser = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('for display'),
    role: z.enum(['owner', 'admin', 'developer', 'viewer']).describe('what one may do there'),
    state: z.enum(['onboarding', 'active', 'suspended', 'closed']).describe('only an active one may place calls'),
  })
  .meta({ id: 'WorkspaceOfUser' });

export const signedInUser = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('1 to 80 characters'),
    email: z.string().describe('what one signs in with'),
    two_factor: z.boolean().describe('sign-in takes two steps'),
  })
  .meta({ id: 'SignedInUser' });

/** The response to a sign-in. */
export const authResult = z
  .object({
    user: signedInUser.describe('who signed in'),
    workspaces: z.array(workspaceOfUser).describe('the one a session acts in unless another is chosen comes first'),
    token: z.string().optional().describe('only when the request has no `Origin`: browsers get a cookie'),
    expires_at: time('30 days after the last use, 90 days after signing in at the latest'),
  })
  .meta({ id: 'AuthResult' });

export interface OpenedSession {
  /** For the cookie: pass it to `saveSessionCookie` once the transaction is committed. */
  token: string;
  /** For the cookie of a browser; undefined for a program. */
  device?: string;
  result: z.output<typeof authResult>;
}

/** Opens a session in the transaction that authenticated the user. Nothing is checked here. */
export async function openSession(
  tx: Transaction,
  requestContext: RequestContext,
  userId: string,
  nowMs: number,
): Promise<OpenedSession> {
  const user = await findUser(tx, userId);
  if (!user) throw new Error('cannot open a session: the user was deleted');
  const token = newToken('svcs_');
  const now = new Date(nowMs);
  const expires_at = new Date(nowMs + SESSION_TTL_MS);
  const session = {
    id: newId(nowMs),
    user_id: userId,
    client: requestContext.client,
    address: requestContext.address,
    created_at: now,
    last_seen_at: now,
    expires_at,
  };
  await insertSession(tx, session, hashOfToken(token));
  const device = requestContext.from_browser ? await rememberDevice(tx, userId, requestContext.device, now) : null;
  const data = { client: requestContext.client };
  await auditAccount(tx, { user, actor: actorOf(user, requestContext), action: 'session.opened', data, at_ms: nowMs });
  const { id, name, email } = user;
  return {
    token,
    ...(device === null ? {} : { device }),
    result: {
      user: { id, name, email, two_factor: user.two_factor_enabled_at !== null },
      workspaces: await workspacesOfUser(tx, userId),
      ...(requestContext.from_browser ? {} : { token }),
      expires_at,
    },
  };
}

/** Returns the sign-in response for an existing session, without its token. */
export async function continueSession(
  tx: Transaction,
  sessionId: string,
  userId: string,
): Promise<z.output<typeof authResult>> {
  const user = await findUser(tx, userId);
  const [session] = await tx<{ expires_at: Date }[]>`
    select expires_at from sessions where id = ${sessionId} and user_id = ${userId}`;
  if (!user || !session) throw new Error('cannot continue a session: the user or the session was deleted');
  const { id, name, email } = user;
  return {
    user: { id, name, email, two_factor: user.two_factor_enabled_at !== null },
    workspaces: await workspacesOfUser(tx, userId),
    expires_at: session.expires_at,
  };
}
