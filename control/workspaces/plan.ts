import type { AnySql, Transaction } from '../db/connect.ts';
import { conflict } from '../http/errors.ts';

export interface PlanLimits {
  plan_id: string;
  plan_name: string;
  /** Live calls. */
  concurrency_limit: number;
  /** Members and pending invites; null: no limit. */
  member_limit: number | null;
}

/** Returns what the workspace's plan allows; null when there is no such workspace. */
export async function planOf(sql: AnySql, workspaceId: string): Promise<PlanLimits | null> {
  const [row] = await sql<PlanLimits[]>`
    select p.id as plan_id, p.name as plan_name, p.concurrency_limit, p.member_limit
    from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  return row ?? null;
}

/** Counts the seats taken of the plan's member limit: members, and invites that can still be accepted. */
export async function countSeats(
  sql: AnySql,
  workspaceId: string,
  now: Date,
): Promise<{ members: number; invited: number }> {
  const [row] = await sql<{ members: number; invited: number }[]>`
    select
      (select count(*)::integer from memberships where workspace_id = ${workspaceId}) as members,
      (select count(*)::integer from invites
        where workspace_id = ${workspaceId} and accepted_at is null and revoked_at is null and expires_at > ${now}
      ) as invited`;
  return row!;
}

/** @throws HttpError 409 when the plan has no seat left. */
export async function refuseWhenFull(sql: AnySql, workspaceId: string, seats: number): Promise<void> {
  const limit = (await planOf(sql, workspaceId))?.member_limit ?? null;
  if (limit !== null && seats >= limit) throw conflict(`member limit of the plan reached (${limit})`);
}

/** Puts the workspace on a plan. @returns false when there is no such plan. */
export async function setPlan(tx: Transaction, workspaceId: string, planId: string): Promise<boolean> {
  const rows = await tx`
    update workspaces w set plan_id = p.id from plans p where p.id = ${planId} and w.id = ${workspaceId} returning w.id`;
  if (rows.length > 0) await updateConcurrencyLimit(tx, workspaceId);
  return rows.length > 0;
}

/**
 * Sets the number of live calls that a workspace may have, after its plan, its own limit or its extra lines changed: the higher
 * of the first two, or a fixed own one, plus the lines; 100 at most.
 */
export async function updateConcurrencyLimit(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`
    update workspaces w set
      concurrency_limit = least(100, w.extra_lines +
        case when w.concurrency_fixed then w.own_concurrency_limit
          else greatest(p.concurrency_limit, w.own_concurrency_limit) end)
    from plans p where p.id = w.plan_id and w.id = ${workspaceId}`;
}

/** Fixes the number of live calls besides extra lines, whatever the plan grants; null: what the plan grants. */
export async function fixConcurrency(tx: Transaction, workspaceId: string, limit: number | null): Promise<void> {
  await tx`
    update workspaces set own_concurrency_limit = ${limit}, concurrency_fixed = ${limit !== null} where id = ${workspaceId}`;
  await updateConcurrencyLimit(tx, workspaceId);
}

export interface SetLimits {
  /** Live calls, extra lines included. */
  concurrency_limit: number;
  plan_limit: number;
  extra_lines: number;
  /** The plan does not matter. */
  concurrency_fixed: boolean;
  api_requests_per_minute: number;
}

/** Returns the limits as the service's team sees them; null when there is no such workspace. */
export async function limitsSetFor(sql: AnySql, workspaceId: string): Promise<SetLimits | null> {
  const [row] = await sql<SetLimits[]>`
    select w.concurrency_limit, p.concurrency_limit as plan_limit, w.extra_lines, w.concurrency_fixed, w.api_requests_per_minute
    from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  return row ? { ...row } : null;
}

/** Returns how many live calls a workspace may have, and its currency; null when there is no such workspace. */
export async function concurrencyLimitOf(
  sql: AnySql,
  workspaceId: string,
): Promise<{ concurrency_limit: number; currency: string } | null> {
  const [row] = await sql<{ concurrency_limit: number; currency: string }[]>`
    select concurrency_limit, currency from workspaces where id = ${workspaceId}`;
  return row ?? null;
}

/** Sets the API requests per minute of each key and connected app, which holds from the next request of the key. */
export async function setRequestsPerMinute(sql: AnySql, workspaceId: string, perMinute: number): Promise<void> {
  await sql`update workspaces set api_requests_per_minute = ${perMinute} where id = ${workspaceId}`;
}
