import type { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import { createLink } from '../accounts/email-links.ts';
import { verificationEmail } from '../accounts/email-templates.ts';
import { type authResult, continueSession, type OpenedSession, openSession } from '../accounts/open-session.ts';
import type { Passwords } from '../accounts/password.ts';
import { emailTaken, registerUser } from '../accounts/sign-up.ts';
import { refuseWeakPassword } from '../accounts/weak-password.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { conflict, HttpError, notFound } from '../http/errors.ts';
import { actorOf, type RequestContext } from '../http/request-context.ts';
import { queueEmail } from '../mail/queue-email.ts';
import { hashOfInvite, maskedEmail } from './invites.ts';
import { type FoundInvite, findByToken, insertMembership, markAccepted, roleGrantedBy } from './invites-store.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { countSeats, refuseWhenFull } from './plan.ts';

export interface AcceptInviteDeps {
  sql: Sql;
  clock: Clock;
  passwords: Passwords;
  /** Public URL of this API: the link that confirms an address is built from it. */
  publicUrl: string;
}

export interface NewMember {
  name: string;
  password: string;
  timezone: string;
}

/**
 * Lets invited people join, by the token of their link. All functions throw 404 for an invite that is unknown, used, revoked or
 * expired.
 */
export function createInviteAcceptance({ sql, clock, passwords, publicUrl }: AcceptInviteDeps) {
  async function pending(token: string): Promise<FoundInvite> {
    const invite = await findByToken(sql, hashOfInvite(token), new Date(clock.wall()));
    if (!invite) throw notFound('invite');
    return invite;
  }

  return {
    /**
     * Creates an account and signs it in.
     * @throws HttpError 422 for a weak password; 409 when the email has an account (sign in first), or the plan has no seat left.
     */
    async asNewUser(
      token: string,
      requestContext: RequestContext,
      { name, password, timezone }: NewMember,
    ): Promise<OpenedSession> {
      const invite = await pending(token);
      const { email } = invite;
      await refuseWeakPassword(password, { email, name, company: invite.workspace_name });
      const taken = emailTaken();
      const [user] = await sql`select id from users where email = ${email} and deleted_at is null`;
      if (user) throw taken;
      const password_hash = await passwords.hash(password, requestContext.address);
      return sql.begin(async (tx) => {
        const nowMs = clock.wall();
        await claimInvite(tx, invite, nowMs);
        // The inviter has seen the link too, so following it does not prove the address.
        const user = { name, email, password_hash, timezone, email_verified: false };
        const userId = await registerUser(tx, user, nowMs);
        if (userId === null) throw taken;
        await addMember(tx, invite, { id: userId, name }, requestContext, nowMs);
        const link = await createLink(tx, { user_id: userId, purpose: 'verify_email', email }, nowMs);
        await queueEmail(tx, verificationEmail({ email }, publicUrl, link), nowMs);
        return openSession(tx, requestContext, userId, nowMs);
      });
    },

    /**
     * Adds a signed-in user, who stays signed in.
     * @throws HttpError 403 when another email was invited, 409 already a member, or no seat left in the plan.
     */
    async asUser(
      token: string,
      requestContext: RequestContext,
      session: { session_id: string; user_id: string },
    ): Promise<z.output<typeof authResult>> {
      const invite = await pending(token);
      return sql.begin(async (tx) => {
        const nowMs = clock.wall();
        await lockWorkspace(tx, invite.workspace_id);
        // Locked, so that nobody changes the email or deletes the account meanwhile.
        const [user] = await tx<{ id: string; name: string; email: string }[]>`
          select id, name, email from users
          where id = ${session.user_id} and deleted_at is null for no key update`;
        if (user?.email !== invite.email) {
          throw new HttpError(403, `this invite is for ${maskedEmail(invite.email)}`);
        }
        await claimInvite(tx, invite, nowMs);
        await addMember(tx, invite, user, requestContext, nowMs);
        return continueSession(tx, session.session_id, user.id);
      });
    },
  };
}

/** Consumes the invite, if the plan has a seat: it may have shrunk since the invite was sent. */
async function claimInvite(tx: Transaction, invite: FoundInvite, nowMs: number): Promise<void> {
  const { workspace_id } = invite;
  const workspace = await lockWorkspace(tx, workspace_id);
  const now = new Date(nowMs);
  const { members } = await countSeats(tx, workspace_id, now);
  if (!workspace || workspace.state === 'closed' || !(await markAccepted(tx, invite, now))) throw notFound('invite');
  await refuseWhenFull(tx, workspace_id, members);
}

async function addMember(
  tx: Transaction,
  invite: FoundInvite,
  user: { id: string; name: string },
  requestContext: RequestContext,
  at_ms: number,
): Promise<void> {
  const { workspace_id, id, email } = invite;
  const role = roleGrantedBy(invite);
  const membership = { workspace_id, user_id: user.id, role, joined_at: new Date(at_ms) };
  if (!(await insertMembership(tx, membership))) throw conflict('already a member');
  const target = { kind: 'invite', id, name: email };
  const data = { role };
  await writeAudit(tx, {
    workspace_id,
    actor: actorOf(user, requestContext),
    action: 'invite.accepted',
    target,
    data,
    at_ms,
  });
}
