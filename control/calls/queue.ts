import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import type { CallRow } from './call-row.ts';
import { insideCallingHours } from './calling-hours.ts';
import { endUnconnected, moveCall } from './move.ts';
import { hasFreeSlot } from './slots.ts';
import { lockCall } from './store.ts';
import { writeEvents } from './timeline.ts';

/** A queued call waits this long at most, from the moment it may start. */
const EXPIRES_AFTER_MS = 24 * 3_600_000;
const BATCH = 100;

/**
 * Moves the workspace's next call to `ringing`, when a slot is free and a call may start: oldest first; a call that may
 * not start yet does not block the ones behind it. Joins the caller's transaction, holds the workspace's lock to its end.
 */
export async function dequeueNext(tx: Transaction, workspaceId: string, nowMs: number): Promise<CallRow | null> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (workspace?.state !== 'active' || !(await hasFreeSlot(tx, workspace))) return null;
  const now = new Date(nowMs);
  // The oldest call of each agent is one probe of the index; a workspace has at most 200 agents. Reading the queue
  // itself would pass by every call of a paused agent, each time.
  const candidates = await tx<{ id: string; hours: Parameters<typeof insideCallingHours>[0] }[]>`
    select oldest.id, agents.call as hours
    from agents cross join lateral (
      select id, queued_at from calls
      where calls.workspace_id = agents.workspace_id and calls.agent_id = agents.id
        and calls.status = 'queued' and calls.queued_at <= ${now}
      order by queued_at, id limit 1
    ) as oldest
    where agents.workspace_id = ${workspaceId} and agents.status = 'active'
    order by oldest.queued_at, oldest.id`;
  for (const { id, hours } of candidates) {
    if (!insideCallingHours(hours, nowMs)) continue;
    const call = await lockCall(tx, workspaceId, id);
    // Hung up between the look and the lock.
    if (call?.status !== 'queued') continue;
    const waitedMs = Math.max(0, nowMs - call.queued_at.getTime());
    await moveCall(tx, call, 'ringing', { ringing_at: now });
    await writeEvents(tx, call, [
      { type: 'call.dequeued', level: 'info', message: 'slot free', latency_ms: waitedMs, data: {}, at_ms: nowMs },
    ]);
    return call;
  }
  return null;
}

/** Active workspaces with a queued call whose time has come, the one served longest ago first. */
export async function workspacesInTurn(sql: AnySql, nowMs: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select workspaces.id
    from workspaces left join dispatch_turns on dispatch_turns.workspace_id = workspaces.id
    where workspaces.state = 'active' and exists (
      select 1 from calls
      where calls.workspace_id = workspaces.id and calls.status = 'queued' and calls.queued_at <= ${new Date(nowMs)}
    )
    order by dispatch_turns.last_served_at nulls first, workspaces.id`;
  return rows.map(({ id }) => id);
}

/** Cancels what has waited a day. Returns how many. */
export async function expireQueuedCalls(sql: Sql, nowMs: number): Promise<number> {
  return sql.begin(async (tx) => {
    const calls = await tx<CallRow[]>`
      select * from calls
      where status = 'queued' and queued_at < ${new Date(nowMs - EXPIRES_AFTER_MS)}
      order by queued_at limit ${BATCH} for no key update skip locked`;
    for (const call of calls) {
      const reason = 'expired in queue';
      const end = { hangup_by: 'service', hangup_reason: reason, level: 'warning', message: reason } as const;
      await endUnconnected(tx, call, { status: 'canceled', ...end }, nowMs);
    }
    return calls.length;
  });
}

/**
 * For the deletion of an agent, in its transaction: what waits in the queue fails with `agent deleted`; live calls go
 * on. Returns how many.
 */
export async function failQueuedCallsOf(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  nowMs: number,
): Promise<number> {
  const calls = await tx<CallRow[]>`
    select * from calls
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and status = 'queued'
    order by queued_at, id for no key update`;
  for (const call of calls) {
    const reason = 'agent deleted';
    const end = { hangup_by: 'service', hangup_reason: reason, level: 'warning', message: reason } as const;
    await endUnconnected(tx, call, { status: 'failed', ...end }, nowMs);
  }
  return calls.length;
}
