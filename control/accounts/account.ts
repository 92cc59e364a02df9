import { changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { invalidCredentials } from '../http/authenticate.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { HttpError } from '../http/errors.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { countAttempt, EMAIL_REQUESTS, rateLimited } from './attempt-limits.ts';
import { auditAccount } from './audit-account.ts';
import { createLink, deleteLinks, withdrawEmailChange } from './email-links.ts';
import { addressChangeRequestedEmail, newAddressVerificationEmail, passwordChangedEmail } from './email-templates.ts';
import { revokeGrantsOf } from './oauth-store.ts';
import { revokeSessions } from './session-store.ts';
import { wrongPassword } from './sign-in.ts';
import { emailTaken } from './sign-up.ts';
import {
  anonymiseUser,
  closeWorkspace,
  countRecoveryCodes,
  deleteLoginTokensOf,
  deleteMembershipsOf,
  findUser,
  findUserByEmail,
  lockUser,
  lockWorkspacesOf,
  type UserRow,
  updateUser,
  workspacesOfUser,
} from './store.ts';
import { refuseWeakPasswordOf } from './weak-password.ts';

/** The signed-in user's own account. Where a password is required, `checkPassword` was called before. */

export async function readAccount({ sql }: Pick<AccountsDeps, 'sql'>, userId: string) {
  const user = await findUser(sql, userId);
  if (!user) throw invalidCredentials();
  const { id, name, email, pending_email, timezone, avatar, created_at } = user;
  return {
    id,
    name,
    email,
    pending_email,
    email_verified: user.email_verified_at !== null,
    two_factor: user.two_factor_enabled_at !== null,
    authenticator: user.two_factor_secret !== null,
    recovery_codes_left: await countRecoveryCodes(sql, userId),
    timezone,
    avatar,
    created_at,
    workspaces: await workspacesOfUser(sql, userId),
  };
}

export type AccountChange = Partial<Pick<UserRow, 'name' | 'timezone' | 'avatar'>>;

export async function changeAccount(
  { sql, clock }: AccountsDeps,
  requestContext: RequestContext,
  userId: string,
  change: AccountChange,
): Promise<void> {
  await sql.begin(async (tx) => {
    const user = await lockUser(tx, userId);
    if (!user) throw invalidCredentials();
    const { name, timezone, avatar } = user;
    const changes = changesBetween({ name, timezone, avatar }, { name, timezone, avatar, ...change });
    if (Object.keys(changes).length === 0) return;
    await updateUser(tx, userId, change);
    const event = { user, actor: actorOf(user, requestContext), action: 'account.updated' as const, changes };
    await auditAccount(tx, { ...event, at_ms: clock.wall() });
  });
}

/**
 * Asks for another address, which takes effect once its link is followed. @throws HttpError 409 when another user has it; 429
 */
export async function requestEmailChange(
  { sql, clock, publicUrl }: AccountsDeps,
  requestContext: RequestContext,
  userId: string,
  email: string,
): Promise<void> {
  // Each try reveals whether an address is registered.
  const waitMs = await countAttempt(sql, `new email user ${userId}`, EMAIL_REQUESTS, clock.wall());
  if (waitMs > 0) throw rateLimited(waitMs);
  await sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const user = await lockUser(tx, userId);
    if (!user) throw invalidCredentials();
    if (user.email === email) {
      // The address stays: an earlier request for another one is withdrawn.
      await withdrawEmailChange(tx, userId);
      return;
    }
    if (await findUserByEmail(tx, email)) throw emailTaken();
    await updateUser(tx, userId, { pending_email: email });
    const token = await createLink(tx, { user_id: userId, purpose: 'change_email', email }, nowMs);
    await queueEmail(tx, newAddressVerificationEmail({ email }, publicUrl, token), nowMs);
    await queueEmail(tx, addressChangeRequestedEmail(user), nowMs);
    await auditAccount(tx, {
      user,
      actor: actorOf(user, requestContext),
      action: 'account.email_requested',
      at_ms: nowMs,
    });
  });
}

/**
 * Changes the password and ends all other sessions, login tokens, reset links, and a change of the address that waits.
 * @param keep the session that stays; null for none.
 * @throws HttpError 422 for a weak password
 */
export async function changePassword(
  { sql, clock, passwords }: AccountsDeps,
  requestContext: RequestContext,
  user: UserRow,
  password: string,
  keep: string | null,
): Promise<void> {
  await refuseWeakPasswordOf(sql, user, password, 'new_password');
  const password_hash = await passwords.hash(password, requestContext.address);
  await sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const locked = await lockUser(tx, user.id);
    if (locked?.password_hash !== user.password_hash) throw wrongPassword();
    await updateUser(tx, user.id, { password_hash });
    await revokeSessions(tx, user.id, keep, new Date(nowMs));
    await deleteLoginTokensOf(tx, user.id);
    await deleteLinks(tx, user.id, 'reset_password');
    await withdrawEmailChange(tx, user.id);
    await auditAccount(tx, {
      user,
      actor: actorOf(user, requestContext),
      action: 'account.password_changed',
      at_ms: nowMs,
    });
    await queueEmail(tx, passwordChangedEmail(user), nowMs);
  });
}

/**
 * Deletes the account. Memberships end; workspaces without other members are closed.
 * @throws HttpError 400 for the only owner of a workspace with other members
 */
export async function deleteAccount(
  { sql, clock, onWorkspaceClosed }: AccountsDeps,
  requestContext: RequestContext,
  userId: string,
): Promise<void> {
  await sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const now = new Date(nowMs);
    const workspaces = await lockWorkspacesOf(tx, userId);
    const user = await lockUser(tx, userId);
    if (!user) throw invalidCredentials();
    const stranded = workspaces.some(({ role, owners, members }) => role === 'owner' && owners === 1 && members > 1);
    if (stranded) throw new HttpError(400, 'a workspace always needs an owner');
    await auditAccount(tx, { user, actor: actorOf(user, requestContext), action: 'account.deleted', at_ms: nowMs });
    for (const { id, name, members, state } of workspaces) {
      if (members > 1 || state === 'closed') continue;
      await closeWorkspace(tx, id);
      await onWorkspaceClosed(tx, id, nowMs);
      const target = { kind: 'workspace', id, name };
      const changes = changesBetween({ state }, { state: 'closed' });
      const actor = actorOf(user, requestContext);
      await writeAudit(tx, { workspace_id: id, actor, action: 'workspace.closed', target, changes, at_ms: nowMs });
    }
    await deleteMembershipsOf(tx, userId);
    await revokeSessions(tx, userId, null, now);
    await revokeGrantsOf(tx, { user_id: userId }, now);
    await anonymiseUser(tx, userId, now);
  });
  // Until the keys of the closed workspaces have expired everywhere.
  await credentialCachesExpired(clock);
}
