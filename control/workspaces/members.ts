import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { revokeGrantsOf } from '../accounts/oauth-store.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { HttpError, notFound } from '../http/errors.ts';
import type { MemberRole } from '../http/permissions.ts';
import { hasPermission } from '../http/permissions.ts';
import { lockWorkspace } from './lock-workspace.ts';

/** The members of a workspace and their roles. Users belong to accounts; memberships are read and written here. */

export interface MemberRow {
  user_id: string;
  name: string;
  email: string;
  role: MemberRole;
  two_factor: boolean;
  joined_at: Date;
  last_seen_at: Date | null;
}

/** A signed-in user who manages members. */
export interface Manager {
  workspace_id: string;
  user_id: string;
  actor: Actor;
}

const members = (sql: AnySql, workspaceId: string) => sql`
  select m.user_id, u.name, u.email, m.role, u.two_factor_enabled_at is not null as two_factor, m.joined_at, m.last_seen_at
  from memberships m join users u on u.id = m.user_id
  where m.workspace_id = ${workspaceId}`;

/** Newest first. */
export async function listMembers(sql: AnySql, workspaceId: string): Promise<MemberRow[]> {
  return sql<MemberRow[]>`${members(sql, workspaceId)} order by m.joined_at desc, m.user_id desc`;
}

/** Role changes and removals in one workspace are serialised by its lock, so that an owner always remains. */
export function createMemberManager({ sql, clock }: { sql: Sql; clock: Clock }) {
  return {
    /** @throws HttpError 404 member, 403 when an owner is concerned and the manager is none, 400 for the last owner. */
    async changeRole(manager: Manager, userId: string, role: MemberRole): Promise<MemberRow> {
      return sql.begin(async (tx) => {
        const member = await lockMember(tx, manager, userId, role);
        if (member.role === role) return member;
        await tx`
          update memberships set role = ${role}
          where workspace_id = ${manager.workspace_id} and user_id = ${userId}`;
        await audit(tx, manager, 'member.role_changed', member, { role: [member.role, role] });
        return { ...member, role };
      });
    },

    /** Keys that the member made stay: they belong to the workspace. Throws as `changeRole` does. */
    async remove(manager: Manager, userId: string): Promise<void> {
      await sql.begin(async (tx) => {
        const member = await lockMember(tx, manager, userId, null);
        await tx`delete from memberships where workspace_id = ${manager.workspace_id} and user_id = ${userId}`;
        // The apps they connected would work again if they were invited again.
        const grants = { user_id: userId, workspace_id: manager.workspace_id };
        await revokeGrantsOf(tx, grants, new Date(clock.wall()));
        await audit(tx, manager, 'member.removed', member, { role: [member.role, null] });
      });
    },
  };

  async function audit(
    tx: Transaction,
    { workspace_id, actor }: Manager,
    action: AuditAction,
    { user_id, name }: MemberRow,
    changes: Record<string, [unknown, unknown]>,
  ): Promise<void> {
    const target = { kind: 'member', id: user_id, name };
    await writeAudit(tx, { workspace_id, actor, action, target, changes, at_ms: clock.wall() });
  }
}

/**
 * Returns the member if the manager may give it this role (null: none). Everything is read again under the workspace's lock:
 * two owners must not be able to remove each other.
 */
async function lockMember(
  tx: Transaction,
  { workspace_id, user_id }: Manager,
  memberId: string,
  role: MemberRole | null,
): Promise<MemberRow> {
  await lockWorkspace(tx, workspace_id);
  const [manager] = await tx<{ role: MemberRole }[]>`
    select role from memberships where workspace_id = ${workspace_id} and user_id = ${user_id}`;
  const refused = 'your role cannot do this (members.manage)';
  if (!manager || !hasPermission(manager.role, 'members.manage')) throw new HttpError(403, refused);
  const [member] = await tx<MemberRow[]>`${members(tx, workspace_id)} and m.user_id = ${memberId}`;
  if (!member) throw notFound('member');
  if (member.role === role) return member;
  if ((member.role === 'owner' || role === 'owner') && manager.role !== 'owner') {
    throw new HttpError(403, `${refused}: only owners make or unmake owners`);
  }
  if (member.role === 'owner') {
    const [owners] = await tx<{ count: number }[]>`
      select count(*)::integer as count from memberships where workspace_id = ${workspace_id} and role = 'owner'`;
    if (owners!.count < 2) throw new HttpError(400, 'a workspace always needs an owner');
  }
  return member;
}
