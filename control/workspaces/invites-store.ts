import type { AnySql, Transaction } from '../db/connect.ts';
import type { MemberRole } from '../http/permissions.ts';

/** The SQL of invites. An invite is open until it is accepted or revoked, and pending while it has not expired. */

export type InvitedRole = 'admin' | 'developer' | 'viewer';

export interface InviteRow {
  workspace_id: string;
  id: string;
  email: string;
  role: InvitedRole;
  /** The invited will be an owner; only the service's team can set it. `role` is what the API shows. */
  as_owner: boolean;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
}

/** The role that the invited will have. */
export const roleGrantedBy = ({ role, as_owner }: InviteRow): MemberRole => (as_owner ? 'owner' : role);

const columns = (sql: AnySql) => sql`workspace_id, id, email, role, as_owner, invited_by, created_at, expires_at`;
const open = (sql: AnySql) => sql`accepted_at is null and revoked_at is null`;

/** Newest first. */
export async function listOpenInvites(sql: AnySql, workspaceId: string): Promise<InviteRow[]> {
  return sql<InviteRow[]>`
    select ${columns(sql)} from invites where workspace_id = ${workspaceId} and ${open(sql)} order by id desc`;
}

export async function findOpenInvite(tx: Transaction, workspaceId: string, email: string): Promise<InviteRow | null> {
  const [row] = await tx<InviteRow[]>`
    select ${columns(tx)} from invites where workspace_id = ${workspaceId} and email = ${email} and ${open(tx)}`;
  return row ?? null;
}

export async function countInvitesSince(tx: Transaction, workspaceId: string, since: Date): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from invites where workspace_id = ${workspaceId} and created_at > ${since}`;
  return row!.count;
}

export async function insertInvite(tx: Transaction, invite: InviteRow, tokenHash: Buffer): Promise<void> {
  await tx`insert into invites ${tx({ ...invite, token_hash: tokenHash })}`;
}

/** @returns null when there is no such invite, or it was accepted or revoked before. */
export async function revokeInvite(
  tx: Transaction,
  workspaceId: string,
  inviteId: string,
  at: Date,
): Promise<InviteRow | null> {
  const [row] = await tx<InviteRow[]>`
    update invites set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${inviteId} and ${open(tx)} returning ${columns(tx)}`;
  return row ?? null;
}

export interface FoundInvite extends InviteRow {
  workspace_name: string;
}

/** Finds the pending invite of a link, unless its workspace was closed. */
export async function findByToken(sql: AnySql, tokenHash: Buffer, now: Date): Promise<FoundInvite | null> {
  const [row] = await sql<FoundInvite[]>`
    select i.workspace_id, i.id, i.email, i.role, i.as_owner, i.invited_by, i.created_at, i.expires_at, w.name as workspace_name
    from invites i join workspaces w on w.id = i.workspace_id
    where i.token_hash = ${tokenHash} and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}
      and w.state <> 'closed'`;
  return row ?? null;
}

/** @returns false when another request was faster. */
export async function markAccepted(tx: Transaction, { workspace_id, id }: InviteRow, at: Date): Promise<boolean> {
  const rows = await tx`
    update invites set accepted_at = ${at}
    where workspace_id = ${workspace_id} and id = ${id} and ${open(tx)} and expires_at > ${at} returning id`;
  return rows.length > 0;
}

export async function isMember(tx: Transaction, workspaceId: string, email: string): Promise<boolean> {
  const rows = await tx`
    select m.user_id from users u join memberships m on m.user_id = u.id
    where u.email = ${email} and u.deleted_at is null and m.workspace_id = ${workspaceId}`;
  return rows.length > 0;
}

/** @returns false when the user is a member already. */
export async function insertMembership(
  tx: Transaction,
  membership: { workspace_id: string; user_id: string; role: MemberRole; joined_at: Date },
): Promise<boolean> {
  const rows = await tx`insert into memberships ${tx(membership)} on conflict do nothing returning user_id`;
  return rows.length > 0;
}
