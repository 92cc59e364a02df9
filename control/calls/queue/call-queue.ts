import type { CarrierName } from '../../../shared/carriers/registry.ts';
import { canPlaceCalls } from '../../billing/wallet.ts';
import type { AnySql, Transaction } from '../../db/connect.ts';
import type { JobItem } from '../../db/item-runner.ts';
import { lockWorkspace } from '../../workspaces/lock-workspace.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { endUnconnected, transitionCall, wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import { dialRequested } from '../lifecycle/dial-outcome.ts';
import { lockCall } from '../store.ts';
import { liveCallsOf, slotsForBatches } from './call-concurrency.ts';
import { isWithinCallingHours } from './calling-hours.ts';

/** A queued call expires this long after it became due; `expire-calls.ts` ends it. */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;
/** Calls failed for lack of credits while the workspace's lock is held. */
const MAX_UNPAID_PER_RUN = 20;

interface Candidate {
  id: string;
  provider: CarrierName | '';
  hours: Parameters<typeof isWithinCallingHours>[0];
  batch_id: string | null;
  /** Limit of its batch; null for none. */
  concurrency: number | null;
}

/** How many calls may be placed at each carrier's account, over all workspaces. */
export interface PlacingLimits {
  /** No call may be placed now; checked before anything is locked. */
  isFull(provider: CarrierName | ''): boolean;
  /** Takes the right to place one call; false when it was taken meanwhile. Called last, because it locks the account's row. */
  take(tx: Transaction, provider: CarrierName | ''): Promise<boolean>;
}

const NO_LIMITS: PlacingLimits = { isFull: () => false, take: async () => true };

/**
 * Moves the workspace's next call to `ringing` when a slot is free; a call that may not start yet does not block those behind
 * it. Joins the caller's transaction and holds the workspace's lock until its end.
 *
 * The order is (`queued_at`, id), and calls of batches come after all others, so that a single call does not wait behind a
 * campaign. Without credits the due single calls fail and nothing starts; calls of batches wait, because their batch will be paused.
 */
export async function dequeueNext(
  tx: Transaction,
  workspaceId: string,
  nowMs: number,
  limits: PlacingLimits = NO_LIMITS,
): Promise<CallRow | null> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (workspace?.state !== 'active') return null;
  const live = await liveCallsOf(tx, workspaceId);
  if (live.all >= workspace.concurrency_limit) return null;
  const batchesAllowed = live.ofBatches < slotsForBatches(workspace.concurrency_limit);
  const mayStart = ({ hours, provider, batch_id, concurrency }: Candidate) =>
    !limits.isFull(provider) &&
    isWithinCallingHours(hours, nowMs) &&
    (batch_id === null || concurrency === null || (live.byBatch.get(batch_id) ?? 0) < concurrency);

  const waiting = (await oldestCalls(tx, workspaceId, batchesAllowed, nowMs)).filter(mayStart);
  if (waiting.length === 0) return null;
  if (!(await canPlaceCalls(tx, workspaceId))) {
    await failUnpaid(tx, workspaceId, nowMs, mayStart);
    return null;
  }
  for (const { id } of waiting) {
    const call = await lockStartable(tx, workspaceId, id);
    // Hung up, paused or deleted between the query and the lock.
    if (!call || !(await limits.take(tx, call.provider))) continue;
    const waitedMs = Math.max(0, nowMs - call.queued_at.getTime());
    await transitionCall(tx, call, 'ringing', dialRequested(nowMs));
    await writeEvents(tx, call, [
      { type: 'call.dequeued', level: 'info', message: 'slot free', latency_ms: waitedMs, data: {}, at_ms: nowMs },
    ]);
    return call;
  }
  return null;
}

/**
 * The oldest due call of each agent and of each running batch, those of batches last: one index probe for each. Reading the
 * queue in order would pass every call of a paused agent and of a batch at its limit, each time.
 */
async function oldestCalls(
  tx: Transaction,
  workspaceId: string,
  batchesAllowed: boolean,
  nowMs: number,
): Promise<Candidate[]> {
  const now = new Date(nowMs);
  const expired = new Date(nowMs - EXPIRES_AFTER_MS);
  return tx<Candidate[]>`
    select false as of_batch, oldest.queued_at, oldest.id, oldest.provider, agents.call as hours, null::text as batch_id,
      null::integer as concurrency
    from agents cross join lateral (
      select id, queued_at, provider from calls
      where calls.workspace_id = agents.workspace_id and calls.agent_id = agents.id and calls.batch_id is null
        and calls.status = 'queued' and calls.queued_at <= ${now} and calls.queued_at >= ${expired}
      order by queued_at, id limit 1
    ) as oldest
    where agents.workspace_id = ${workspaceId} and agents.status = 'active'
    union all
    select true, oldest.queued_at, oldest.id, oldest.provider, agents.call, batches.id, batches.concurrency
    from batches cross join lateral (
      select id, queued_at, agent_id, provider from calls
      where calls.workspace_id = batches.workspace_id and calls.batch_id = batches.id
        and calls.status = 'queued' and calls.queued_at <= ${now} and calls.queued_at >= ${expired}
      order by queued_at, id limit 1
    ) as oldest
    join agents on agents.workspace_id = batches.workspace_id and agents.id = oldest.agent_id
    where ${batchesAllowed} and batches.workspace_id = ${workspaceId} and batches.status = 'running'
      and agents.status = 'active'
    order by of_batch, queued_at, id`;
}

/**
 * Locks a call if it may still start. A deletion ends a long queue after its own commit and a pause leaves the queue as it is, so
 * the conditions are checked again under the lock.
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

/** Fails the due single calls of a workspace whose balance is at or below 0, a few at a time. */
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
  // There may be more.
  await wakeDispatcher(tx, workspaceId);
}

/** Active workspaces with a due call, the one served longest ago first. */
export async function workspacesInTurn(sql: AnySql, nowMs: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    ${queues(sql)}
    select workspaces.id
    from queues join workspaces on workspaces.id = queues.id
    left join dispatch_turns on dispatch_turns.workspace_id = workspaces.id
    where workspaces.state = 'active' and ${oldestOf(sql)} <= ${new Date(nowMs)}
    order by dispatch_turns.last_served_at nulls first, workspaces.id`;
  return rows.map(({ id }) => id);
}

/** Workspaces whose oldest queued call became due before. */
export async function workspacesWithQueue(sql: AnySql, before: Date): Promise<JobItem[]> {
  return sql<JobItem[]>`
    ${queues(sql)}
    select id, id as workspace_id from queues where id is not null and ${oldestOf(sql)} < ${before}`;
}

/** A loose index scan: one probe for each workspace with a queue, without reading all workspaces or all queued calls. */
const queues = (sql: AnySql) => sql`
  with recursive queues as (
    (select workspace_id as id from calls where status = 'queued' order by workspace_id limit 1)
    union all
    select (
      select workspace_id from calls where status = 'queued' and workspace_id > queues.id
      order by workspace_id limit 1
    ) from queues where queues.id is not null
  )`;

const oldestOf = (sql: AnySql) => sql`(
  select queued_at from calls
  where calls.workspace_id = queues.id and calls.status = 'queued' order by queued_at, id limit 1
)`;
