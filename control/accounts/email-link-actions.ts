import { errorText } from '../../shared/log.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { addressSubject, countAttempt, EMAIL_REQUESTS, emailSubject } from './attempt-limits.ts';
import { auditAccount } from './audit-account.ts';
import { forgetDevices } from './devices.ts';
import { consumeLink, createLink, findLink, type LinkPurpose, withdrawEmailChange } from './email-links.ts';
import {
  passwordChangedEmail,
  passwordResetEmail,
  twoFactorChangedEmail,
  verificationEmail,
} from './email-templates.ts';
import { removeSquatter } from './remove-squatter.ts';
import { revokeSessions } from './session-store.ts';
import { deleteLoginTokensOf, findUser, findUserByEmail, lockUser, updateUser } from './store.ts';
import { refuseWeakPasswordOf } from './weak-password.ts';

/**
 * Sends the email to the user with this address, if there is one. The response is sent before, so neither it nor its time
 * reveals whether there is. Resolves when the work is done; never rejects.
 */
export async function requestEmail(
  deps: AccountsDeps,
  requestContext: RequestContext,
  purpose: Extract<LinkPurpose, 'reset_password' | 'verify_email'>,
  email: string,
): Promise<void> {
  const { sql, clock, log, publicUrl } = deps;
  try {
    const nowMs = clock.wall();
    for (const subject of [addressSubject(purpose, requestContext.address), emailSubject(purpose, email)]) {
      if ((await countAttempt(sql, subject, EMAIL_REQUESTS, nowMs)) > 0) return;
    }
    await sql.begin(async (tx) => {
      const found = await findUserByEmail(tx, email);
      const user = found && (await lockUser(tx, found.id));
      if (!user || (purpose === 'verify_email' && user.email_verified_at !== null)) return;
      const token = await createLink(tx, { user_id: user.id, purpose, email }, nowMs);
      const write = purpose === 'reset_password' ? passwordResetEmail : verificationEmail;
      await queueEmail(tx, write(user, publicUrl, token), nowMs);
    });
  } catch (error) {
    log.error(
      { error: errorText(error), request_id: requestContext.request_id },
      'requested email could not be queued',
    );
  }
}

/**
 * Following the link proves the address; what was set in the account before any proof is removed with it.
 * @returns false when the link is used, too old or of an address that is no longer the user's.
 * @throws HttpError 422 for a weak password; the link goes on working.
 */
export async function resetPassword(
  { sql, clock, passwords }: AccountsDeps,
  requestContext: RequestContext,
  token: string,
  password: string,
): Promise<boolean> {
  // Checked before the slow hash, consumed after it.
  const found = await findLink(sql, token, clock.wall());
  if (found?.purpose !== 'reset_password') return false;
  const owner = await findUser(sql, found.user_id);
  if (owner) await refuseWeakPasswordOf(sql, owner, password);
  const password_hash = await passwords.hash(password, requestContext.address);
  const done = await sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const link = await consumeLink(tx, token, nowMs);
    const user = link?.purpose === 'reset_password' ? await lockUser(tx, link.user_id) : null;
    if (!link || !user || user.email !== link.email) return false;
    const now = new Date(nowMs);
    await updateUser(tx, user.id, { password_hash, email_verified_at: user.email_verified_at ?? now });
    await withdrawEmailChange(tx, user.id);
    await revokeSessions(tx, user.id, null, now);
    await deleteLoginTokensOf(tx, user.id);
    await forgetDevices(tx, user.id);
    if (user.email_verified_at === null) {
      await removeSquatter(tx, user.id, now);
      if (user.two_factor_enabled_at !== null) await queueEmail(tx, twoFactorChangedEmail(user, false), nowMs);
    }
    await auditAccount(tx, {
      user,
      actor: actorOf(user, requestContext),
      action: 'account.password_reset',
      at_ms: nowMs,
    });
    await queueEmail(tx, passwordChangedEmail(user), nowMs);
    return true;
  });
  // Until revoked keys have expired everywhere.
  if (done) await credentialCachesExpired(clock);
  return done;
}

/** `taken`: another user has the new address by now. */
export async function confirmEmail(
  { sql, clock }: AccountsDeps,
  requestContext: RequestContext,
  token: string,
): Promise<'done' | 'over' | 'taken'> {
  const found = await findLink(sql, token, clock.wall());
  if (!found || found.purpose === 'reset_password') return 'over';
  return sql.begin(async (tx) => {
    const nowMs = clock.wall();
    const link = await consumeLink(tx, token, nowMs);
    const user = link && (await lockUser(tx, link.user_id));
    if (!link || !user) return 'over';
    const now = new Date(nowMs);
    const event = { user, actor: actorOf(user, requestContext), at_ms: nowMs };
    if (link.purpose === 'verify_email') {
      if (user.email !== link.email) return 'over';
      await updateUser(tx, user.id, { email_verified_at: user.email_verified_at ?? now });
      await auditAccount(tx, { ...event, action: 'account.email_verified' });
      return 'done';
    }
    if (user.pending_email !== link.email) return 'over';
    if (await findUserByEmail(tx, link.email)) return 'taken';
    await updateUser(tx, user.id, { email: link.email, pending_email: '', email_verified_at: now });
    await auditAccount(tx, { ...event, action: 'account.email_changed' });
    return 'done';
  });
}
