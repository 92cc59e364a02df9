import type { HangupReason } from '../../../shared/call.ts';
import { CARRIER_NAMES } from '../../../shared/carriers/registry.ts';
import { canPayForCalls } from '../../billing/wallet.ts';
import type { Fragment, Transaction } from '../../db/connect.ts';
import { type LockedWorkspace, lockWorkspace } from '../../workspaces/lock-workspace.ts';
import type { CallProvider, CallRow } from '../call-row.ts';
import { insertEvents } from '../events/timeline.ts';
import { wakeDispatcher } from '../lifecycle/call-state-machine.ts';
import { dialRequested } from '../lifecycle/dial-outcome.ts';
import { type LiveCalls, liveCallsOf, slotsForBatches } from './call-concurrency.ts';
import { isWithinCallingHours } from './calling-hours.ts';
import { endQueuedCalls } from './end-queued-calls.ts';
import { inQueue, startableQueues } from './queues.ts';

/** A queued call expires this long after it became due; `expire-calls.ts` ends it. */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;
/** Calls failed for lack of credits while the workspace's lock is held. */
const MAX_UNPAID_PER_RUN = 20;
/** Another look, when all calls that it chose were hung up, paused or deleted before they could be locked. */
const MAX_LOOKS = 3;
/** The carrier would show the number's next owner as the caller. */
const NUMBER_RELEASED = 'dial refused: the number it is placed from was released';

interface Candidate {
  id: string;
  provider: CallProvider;
  hours: Parameters<typeof isWithinCallingHours>[0];
  batch_id: string | null;
  /** Limit of its batch; null for none. */
  concurrency: number | null;
  /** Whether the workspace can pay for calls. */
  can_pay: boolean;
}

/** How many calls may be placed at each carrier's account, over all workspaces. */
export interface PlacingLimits {
  /** No call may be placed now; checked before anything is locked. */
  isFull(provider: CallProvider): boolean;
  /** Takes the right to place one call; false when it was taken meanwhile. Called last, because it locks the account's row. */
  take(tx: Transaction, provider: CallProvider): Promise<boolean>;
}

const NO_LIMITS: PlacingLimits = { isFull: () => false, take: async () => true };

/**
 * Moves the workspace's next calls to `ringing`, at most `count` and as many as slots are free; a call that may not start yet does not
 * block those behind it. Joins the caller's transaction and holds the workspace's lock until its end. Several calls take as many
 * statements as one, but for the rates of carriers.
 *
 * The order is that of `queues.ts`. Without credits the due single calls fail and nothing starts; calls of batches wait, because
 * their batch will be paused. A call whose own number was released since it was placed fails.
 */
export async function dequeueCalls(
  tx: Transaction,
  workspaceId: string,
  count: number,
  nowMs: number,
  limits: PlacingLimits = NO_LIMITS,
): Promise<CallRow[]> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (workspace?.state !== 'active') return [];
  const mayStart = ({ hours }: Candidate) => isWithinCallingHours(hours, nowMs);
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const [live, oldest] = await Promise.all([
      liveCallsOf(tx, workspaceId),
      oldestCalls(tx, workspaceId, count, nowMs, limits),
    ]);
    const chosen = withinSlots(oldest.filter(mayStart), live, workspace).slice(0, count);
    if (chosen.length === 0) return [];
    if (!chosen[0]!.can_pay) {
      await failUnpaid(tx, workspaceId, nowMs, limits, mayStart);
      return [];
    }
    const startable = await lockStartable(tx, workspaceId, chosen);
    const numberless = startable.filter(({ has_number }) => !has_number);
    if (numberless.length > 0) {
      await failCalls(tx, numberless, NUMBER_RELEASED, nowMs);
      // Their slots are free.
      await wakeDispatcher(tx, workspaceId);
    }
    const started: CallRow[] = [];
    for (const call of startable) {
      if (!call.has_number || limits.isFull(call.provider)) continue;
      if (await limits.take(tx, call.provider)) started.push(call);
    }
    if (startable.length > 0) return startCalls(tx, started, nowMs);
  }
  return [];
}

/** The next call alone. */
export async function dequeueNext(tx: Transaction, workspaceId: string, nowMs: number): Promise<CallRow | null> {
  return (await dequeueCalls(tx, workspaceId, 1, nowMs))[0] ?? null;
}

/** Those that fit into the free slots, the share of all batches and the limit of each. */
function withinSlots(candidates: readonly Candidate[], live: LiveCalls, workspace: LockedWorkspace): Candidate[] {
  const { concurrency_limit } = workspace;
  let { all, ofBatches } = live;
  const byBatch = new Map(live.byBatch);
  return candidates.filter(({ batch_id, concurrency }) => {
    if (all >= concurrency_limit) return false;
    if (batch_id !== null) {
      const ofBatch = byBatch.get(batch_id) ?? 0;
      if (ofBatches >= slotsForBatches(concurrency_limit) || ofBatch >= (concurrency ?? concurrency_limit))
        return false;
      byBatch.set(batch_id, ofBatch + 1);
      ofBatches++;
    }
    all++;
    return true;
  });
}

/**
 * The oldest due calls of each queue that is served, in the order in which they are served: at least the first `count` of each that
 * its carriers take now.
 */
async function oldestCalls(
  tx: Transaction,
  workspaceId: string,
  count: number,
  nowMs: number,
  limits: PlacingLimits,
): Promise<Candidate[]> {
  const takers = CARRIER_NAMES.filter((name) => !limits.isFull(name));
  const [since, until] = [new Date(nowMs - EXPIRES_AFTER_MS), new Date(nowMs)];
  const first = (isDue: Fragment, order: Fragment) => tx`
    select id, queued_at, provider from live_calls
    where ${inQueue(tx, workspaceId, tx`queues.queue_id`)} and ${isDue}
    order by ${order} limit ${count}`;
  const ofAll = () => first(tx`queued_at between ${since} and ${until}`, tx`queued_at, id`);
  // A probe of the index by carrier for each, so that calls of a full one are not read on the way. The order makes PostgreSQL take it.
  const ofTakers = () => tx`
    select of_taker.* from unnest(${takers}::text[]) as takers (name) cross join lateral (
      ${first(
        tx`(provider, queued_at) between (takers.name, ${since}) and (takers.name, ${until})`,
        tx`provider, queued_at, id`,
      )}
    ) as of_taker`;
  const oldest = takers.length === CARRIER_NAMES.length ? ofAll() : ofTakers();
  return tx<Candidate[]>`
    select oldest.id, oldest.provider, queues.hours, queues.batch_id, queues.concurrency,
      ${canPayForCalls(tx, workspaceId)} as can_pay
    from (${startableQueues(tx, workspaceId)}) as queues cross join lateral (${oldest}) as oldest
    order by queues.of_batch, oldest.queued_at, oldest.id`;
}

/** `has_number`: the number that it is placed from is still the workspace's. */
type StartableCall = CallRow & { has_number: boolean };

/**
 * Locks the calls that may still start, in the order of the queue. A deletion ends a long queue after its own commit and a pause leaves
 * the queue as it is, so the conditions are checked again under the locks.
 */
async function lockStartable(
  tx: Transaction,
  workspaceId: string,
  calls: readonly { id: string }[],
): Promise<StartableCall[]> {
  return tx<StartableCall[]>`
    select live_calls.*, exists (
      select from numbers
      where numbers.workspace_id = live_calls.workspace_id and numbers.number = live_calls.from_number
        and numbers.status <> 'released'
    ) as has_number
    from live_calls
    where workspace_id = ${workspaceId} and id = any(${calls.map(({ id }) => id)}) and status = 'queued'
      and exists (
        select 1 from agents
        where agents.workspace_id = live_calls.workspace_id and agents.id = live_calls.agent_id and agents.status = 'active'
      )
      and (batch_id is null or exists (
        select 1 from batches
        where batches.workspace_id = live_calls.workspace_id and batches.id = live_calls.batch_id
          and batches.status = 'running'
      ))
    order by batch_id is not null, queued_at, id
    for no key update of live_calls`;
}

async function startCalls(tx: Transaction, calls: readonly CallRow[], nowMs: number): Promise<CallRow[]> {
  if (calls.length === 0) return [];
  const change = dialRequested(nowMs) as Record<string, never>;
  const timelines = calls.map((call) => {
    const latency_ms = Math.max(0, nowMs - call.queued_at.getTime());
    const event = {
      type: 'call.dequeued',
      level: 'info',
      message: 'slot free',
      latency_ms,
      data: {},
      at_ms: nowMs,
    } as const;
    return { call, events: [event] };
  });
  const [started] = await Promise.all([
    tx<CallRow[]>`
      update live_calls set ${tx(change)}, status = 'ringing', event_seq = event_seq + 1
      where id = any(${calls.map(({ id }) => id)}) returning *`,
    insertEvents(tx, timelines),
  ]);
  const byId = new Map(started.map((call) => [call.id, call]));
  return calls.map(({ id }) => byId.get(id)!);
}

/** Fails the due single calls of a workspace whose balance is at or below 0, a few at a time. */
async function failUnpaid(
  tx: Transaction,
  workspaceId: string,
  nowMs: number,
  limits: PlacingLimits,
  mayStart: (candidate: Candidate) => boolean,
): Promise<void> {
  const oldest = await oldestCalls(tx, workspaceId, MAX_UNPAID_PER_RUN, nowMs, limits);
  const single = oldest.filter((call) => call.batch_id === null && mayStart(call)).slice(0, MAX_UNPAID_PER_RUN);
  const calls = await lockStartable(tx, workspaceId, single);
  await failCalls(tx, calls, 'out of credits', nowMs);
  // There may be more.
  if (single.length === MAX_UNPAID_PER_RUN) await wakeDispatcher(tx, workspaceId);
}

/** Fails calls that are locked. */
const failCalls = (tx: Transaction, calls: readonly CallRow[], hangup_reason: HangupReason, nowMs: number) =>
  endQueuedCalls(tx, calls, { status: 'failed', hangup_by: 'service', hangup_reason, level: 'error' }, nowMs);
