import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql } from '../db/connect.ts';
import { conflict } from '../http/errors.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  addressSubject,
  countAttempt,
  type Limit,
  retryAfterMs,
  SIGN_UPS_PER_ADDRESS,
  SIGN_UPS_PER_DOMAIN,
  tooManySignUps,
} from './attempt-limits.ts';
import { createLink } from './email-links.ts';
import { verificationEmail } from './email-templates.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import { isPublicMailDomain } from './public-mail-domains.ts';
import { findUserByEmail, insertMembership, insertUser } from './store.ts';
import { refuseWeakPassword } from './weak-password.ts';

export interface SignUp {
  name: string;
  email: string;
  password: string;
  workspace_name?: string | undefined;
  timezone: string;
}

/**
 * Creates a user with a workspace of their own.
 * @throws HttpError 422 for a weak password; 409 when the email is taken; 429 after too many tries, taken or not, so that sign-up cannot be used to list
 *   users.
 */
export async function signUp(
  deps: AccountsDeps,
  requestContext: RequestContext,
  wanted: SignUp,
): Promise<OpenedSession> {
  const { sql, clock, passwords, publicUrl } = deps;
  const { name, email, timezone } = wanted;
  await refuseWeakPassword(wanted.password, { email, name, company: wanted.workspace_name });
  await countSignUp(deps, requestContext.address, email);
  const taken = emailTaken();
  if (await findUserByEmail(sql, email)) throw taken;
  const password_hash = await passwords.hash(wanted.password, requestContext.address);
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const userId = await registerUser(tx, { name, email, password_hash, timezone, email_verified: false }, nowMs);
    if (userId === null) throw taken;
    const workspace = {
      id: newId(nowMs),
      name: wanted.workspace_name ?? `${name}'s workspace`,
      timezone,
      created_at: new Date(nowMs),
    };
    await deps.openWorkspace(tx, workspace);
    await insertMembership(tx, {
      workspace_id: workspace.id,
      user_id: userId,
      role: 'owner',
      joined_at: workspace.created_at,
    });
    await writeAudit(tx, {
      workspace_id: workspace.id,
      actor: actorOf({ id: userId, name }, requestContext),
      action: 'workspace.created',
      target: { kind: 'workspace', id: workspace.id, name: workspace.name },
      at_ms: nowMs,
    });
    await deps.onWorkspaceCreated(tx, { id: workspace.id, owner_id: userId, at_ms: nowMs });
    const token = await createLink(tx, { user_id: userId, purpose: 'verify_email', email }, nowMs);
    await queueEmail(tx, verificationEmail({ email }, publicUrl, token), nowMs);
    return openSession(tx, requestContext, userId, nowMs);
  });
}

async function countSignUp({ sql, clock }: AccountsDeps, address: string, email: string): Promise<void> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const counters: [subject: string, limit: Limit][] = [[addressSubject('sign-up', address), SIGN_UPS_PER_ADDRESS]];
  if (!isPublicMailDomain(domain)) counters.push([`sign-up domain ${domain}`, SIGN_UPS_PER_DOMAIN]);
  const now = clock.wall();
  for (const [subject, limit] of counters) {
    const waitMs = (await retryAfterMs(sql, [subject], limit, now)) || (await countAttempt(sql, subject, limit, now));
    if (waitMs > 0) throw tooManySignUps(waitMs);
  }
}

export interface NewUser {
  name: string;
  /** Lower case. */
  email: string;
  password_hash: string;
  timezone: string;
  /** The user proved the address by following a link. */
  email_verified: boolean;
}

export const emailTaken = () => conflict('this email is already registered');

/** @returns the id, or null when a user has this email. */
export async function registerUser(sql: AnySql, user: NewUser, nowMs: number): Promise<string | null> {
  const { email_verified, ...fields } = user;
  const id = newId(nowMs);
  const created_at = new Date(nowMs);
  const email_verified_at = email_verified ? created_at : null;
  return (await insertUser(sql, { ...fields, id, created_at, email_verified_at })) ? id : null;
}
