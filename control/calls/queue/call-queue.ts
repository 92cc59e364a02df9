import { canPlaceCalls } from '../../billing/wallet.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import { lockWorkspace } from '../../workspaces/lock-workspace.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { endUnconnected, transitionCall, wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import { lockCall } from '../store.ts';
import { liveCallsOf, slotsForBatches } from './call-concurrency.ts';
import { isWithinCallingHours } from './calling-hours.ts';
import { endQueuedCalls, type QueuedCall } from './end-queued-calls.ts';

/** A queued call waits this long at most, from the moment it may start. */
const EXPIRES_AFTER_MS = 24 * 3_600_000;
const BATCH_SIZE = 100;
/** Calls that cannot be paid, ended at once under the workspace's lock. */
const MAX_UNPAID_PER_RUN = 20;

interface Candidate {
  id: string;
  hours: Parameters<typeof isWithinCallingHours>[0];
  batch_id: string | null;
  /** Of its batch; null: as many as there is room for. */
  concurrency: number | null;
}

/**
 * Moves the workspace's next call to `ringing`, when a slot is free and a call may start; a call that may not start yet does
 * not block the ones behind it. Joins the caller's transaction, holds the workspace's lock to its end.
 *
 * Oldest first by (`queued_at`, id). A call of a batch may start only when no other call of the workspace may: whoever placed
 * one call does not wait behind a campaign. Without credits the front of the queue fails, and nothing starts; calls of
 * batches wait, for their batch will be paused.
 */
export async function dequeueNext(tx: Transaction, workspaceId: string, nowMs: number): Promise<CallRow | null> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (workspace?.state !== 'active') return null;
  const live = await liveCallsOf(tx, workspaceId);
  if (live.all >= workspace.concurrency_limit) return null;
  const batchesMay = live.ofBatches < slotsForBatches(workspace.concurrency_limit);
  const mayStart = ({ hours, batch_id, concurrency }: Candidate) =>
    isWithinCallingHours(hours, nowMs) &&
    (batch_id === null || concurrency === null || (live.byBatch.get(batch_id) ?? 0) < concurrency);

  const waiting = (await oldestCalls(tx, workspaceId, batchesMay, nowMs)).filter(mayStart);
  if (waiting.length === 0) return null;
  if (!(await canPlaceCalls(tx, workspaceId))) {
    await failUnpaid(tx, workspaceId, nowMs, mayStart);
    return null;
  }
  for (const { id } of waiting) {
    const call = await lockStartable(tx, workspaceId, id);
    // Hung up, paused or deleted between the look and the lock.
    if (!call) continue;
    const waitedMs = Math.max(0, nowMs - call.queued_at.getTime());
    await transitionCall(tx, call, 'ringing', { ringing_at: new Date(nowMs) });
    await writeEvents(tx, call, [
      { type: 'call.dequeued', level: 'info', message: 'slot free', latency_ms: waitedMs, data: {}, at_ms: nowMs },
    ]);
    return call;
  }
  return null;
}

/**
 * The oldest call of each agent and of each running batch, those of batches last: one probe of an index for each. Reading
 * the queue itself would pass by every call of a paused agent and of a batch that has its share, each time.
 */
async function oldestCalls(
  tx: Transaction,
  workspaceId: string,
  batchesMay: boolean,
  nowMs: number,
): Promise<Candidate[]> {
  const now = new Date(nowMs);
  const expired = new Date(nowMs - EXPIRES_AFTER_MS);
  return tx<Candidate[]>`
    select false as of_batch, oldest.queued_at, oldest.id, agents.call as hours, null::text as batch_id,
      null::integer as concurrency
    from agents cross join lateral (
      select id, queued_at from calls
      where calls.workspace_id = agents.workspace_id and calls.agent_id = agents.id and calls.batch_id is null
        and calls.status = 'queued' and calls.queued_at <= ${now} and calls.queued_at >= ${expired}
      order by queued_at, id limit 1
    ) as oldest
    where agents.workspace_id = ${workspaceId} and agents.status = 'active'
    union all
    select true, oldest.queued_at, oldest.id, agents.call, batches.id, batches.concurrency
    from batches cross join lateral (
      select id, queued_at, agent_id from calls
      where calls.workspace_id = batches.workspace_id and calls.batch_id = batches.id
        and calls.status = 'queued' and calls.queued_at <= ${now} and calls.queued_at >= ${expired}
      order by queued_at, id limit 1
    ) as oldest
    join agents on agents.workspace_id = batches.workspace_id and agents.id = oldest.agent_id
    where ${batchesMay} and batches.workspace_id = ${workspaceId} and batches.status = 'running'
      and agents.status = 'active'
    order by of_batch, queued_at, id`;
}

/**
 * A deletion ends a long queue after its own commit, and a pause leaves it as it is: the look may be older than either, so whoever
 * takes the call looks again.
 */
async function lockStartable(tx: Transaction, workspaceId: string, callId: string): Promise<CallRow | null> {
  const [call] = await tx<CallRow[]>`
    select * from calls
    where workspace_id = ${workspaceId} and id = ${callId} and status = 'queued'
      and exists (
        select 1 from agents
        where agents.workspace_id = calls.workspace_id and agents.id = calls.agent_id and agents.status = 'active'
      )
      and (batch_id is null or exists (
        select 1 from batches
        where batches.workspace_id = calls.workspace_id and batches.id = calls.batch_id and batches.status = 'running'
      ))
    for no key update of calls`;
  return call ?? null;
}

/** The balance is at or below 0: what reaches the front fails. As many as wait, a few at a time. */
async function failUnpaid(
  tx: Transaction,
  workspaceId: string,
  nowMs: number,
  mayStart: (candidate: Candidate) => boolean,
): Promise<void> {
  let failed = 0;
  while (failed < MAX_UNPAID_PER_RUN) {
    const waiting = (await oldestCalls(tx, workspaceId, false, nowMs)).filter(mayStart);
    if (waiting.length === 0) return;
    for (const { id } of waiting) {
      const call = await lockCall(tx, workspaceId, id);
      if (call?.status !== 'queued') continue;
      const reason = 'out of credits';
      const end = { hangup_by: 'service', hangup_reason: reason, level: 'error', message: reason } as const;
      await endUnconnected(tx, call, { status: 'failed', ...end }, nowMs);
      failed++;
    }
  }
  // There may be more of them.
  await wakeDispatcher(tx, workspaceId);
}

/** Active workspaces with a queued call whose time has come, the one served longest ago first. */
export async function workspacesInTurn(sql: AnySql, nowMs: number): Promise<string[]> {
  // From one workspace with a queue to the next, a probe of the index for each: neither all workspaces are looked at nor
  // all that is queued.
  const rows = await sql<{ id: string }[]>`
    with recursive queues as (
      (select workspace_id as id from calls where status = 'queued' order by workspace_id limit 1)
      union all
      select (
        select workspace_id from calls where status = 'queued' and workspace_id > queues.id
        order by workspace_id limit 1
      ) from queues where queues.id is not null
    )
    select workspaces.id
    from queues join workspaces on workspaces.id = queues.id
    left join dispatch_turns on dispatch_turns.workspace_id = workspaces.id
    where workspaces.state = 'active' and (
      select queued_at from calls
      where calls.workspace_id = workspaces.id and calls.status = 'queued' order by queued_at, id limit 1
    ) <= ${new Date(nowMs)}
    order by dispatch_turns.last_served_at nulls first, workspaces.id`;
  return rows.map(({ id }) => id);
}

/** Cancels what has waited a day, a hundred calls at most. Returns how many. */
export async function expireQueuedCalls(sql: Sql, nowMs: number): Promise<number> {
  return sql.begin(async (tx) => {
    const calls = await tx<QueuedCall[]>`
      select workspace_id, id, agent_id, batch_id, event_seq from calls
      where status = 'queued' and queued_at < ${new Date(nowMs - EXPIRES_AFTER_MS)}
      order by queued_at limit ${BATCH_SIZE} for no key update skip locked`;
    const end = {
      status: 'canceled',
      hangup_by: 'service',
      hangup_reason: 'expired in queue',
      level: 'warning',
    } as const;
    await endQueuedCalls(tx, calls, end, nowMs);
    return calls.length;
  });
}
