import { writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { notFound } from '../http/errors.ts';
import type { MemberRole } from '../http/permissions.ts';
import { findOpenInvite, insertMembership, revokeInvite } from './invites-store.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { countSeats, refuseWhenFull } from './plan.ts';

export interface NewOwner {
  workspace_id: string;
  /** In lower case. */
  email: string;
  actor: Actor;
  at_ms: number;
}

/**
 * Makes a user an owner, member or not. A pending invite of theirs is revoked.
 *
 * A user who is not a member yet must have confirmed the address, because anybody can sign up with it; others get an invite by
 * email.
 *
 * @returns the account; null when there is none with that address, or its address is not confirmed.
 * @throws HttpError 404 when the workspace is closed, 409 when the plan has no seat left.
 */
export async function makeOwner(
  tx: Transaction,
  { workspace_id, email, actor, at_ms }: NewOwner,
): Promise<{ user_id: string; name: string } | null> {
  const workspace = await lockWorkspace(tx, workspace_id);
  if (!workspace || workspace.state === 'closed') throw notFound('workspace');
  // Locked, so that nobody changes the email or deletes the account meanwhile.
  const [user] = await tx<{ user_id: string; name: string; confirmed: boolean }[]>`
    select id as user_id, name, email_verified_at is not null as confirmed from users
    where email = ${email} and deleted_at is null for no key update`;
  if (!user) return null;
  const { user_id, name, confirmed } = user;
  const [member] = await tx<{ role: MemberRole }[]>`
    select role from memberships where workspace_id = ${workspace_id} and user_id = ${user_id}`;
  if (!member && !confirmed) return null;
  const target = { kind: 'member', id: user_id, name };
  const now = new Date(at_ms);
  const invite = await findOpenInvite(tx, workspace_id, email);
  if (invite) await revokeInvite(tx, workspace_id, invite.id, now);
  if (member?.role === 'owner') return user;
  if (member) {
    await tx`update memberships set role = 'owner' where workspace_id = ${workspace_id} and user_id = ${user_id}`;
    const changes: Record<string, [unknown, unknown]> = { role: [member.role, 'owner'] };
    await writeAudit(tx, { workspace_id, actor, action: 'member.role_changed', target, changes, at_ms });
    return user;
  }
  const { members, invited } = await countSeats(tx, workspace_id, now);
  await refuseWhenFull(tx, workspace_id, members + invited);
  await insertMembership(tx, { workspace_id, user_id, role: 'owner', joined_at: now });
  const changes: Record<string, [unknown, unknown]> = { role: [null, 'owner'] };
  await writeAudit(tx, { workspace_id, actor, action: 'member.added', target, changes, at_ms });
  return user;
}
