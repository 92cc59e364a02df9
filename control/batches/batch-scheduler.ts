import type { Clock } from '../../shared/clock.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { canPlaceCalls } from '../billing/wallet.ts';
import { slotsForBatches } from '../calls/queue/call-concurrency.ts';
import { placeCallsIn } from '../calls/queue/place-call.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { beginItem } from '../db/item-runner.ts';
import { HttpError } from '../http/errors.ts';
import { ownActiveNumbers } from '../numbers/number-lookups.ts';
import {
  type BatchLogLine,
  batchLogLine,
  endBatch,
  NO_CALLER_NUMBER,
  OUT_OF_CREDITS,
  SCHEDULER,
  syncContacts,
  TOO_MANY_FAILURES,
  transitionBatch,
} from './batch-transitions.ts';
import {
  countUnfinished,
  markQueued,
  nextContacts,
  recentCalls,
  type SlotUsage,
  slotUsageOf,
} from './contact-store.ts';
import { type BatchRow, lockBatchIfFree, updateBatch } from './store.ts';

/** Calls queued beyond the free slots, so that no slot is idle until the next tick. */
const EXTRA_QUEUED = 2;
/** Calls placed in one transaction, which a request to pause the batch has to wait for. */
const MAX_PLACED_PER_TICK = 100;
const FAILURE_WINDOW_MS = 10 * 60_000;
const MIN_CALLS_FOR_FAILURE_RATE = 20;
const MAX_FAILURE_RATE = 0.5;

export interface BatchTick {
  /** There are more contacts to place. */
  more: boolean;
  logLines: BatchLogLine[];
}

/**
 * Runs one tick of a batch in one transaction, under its lock: updates contacts from their calls, starts, pauses or ends the batch,
 * and places the next calls. Does nothing when another process has the lock.
 */
export async function scheduleBatch(
  { sql, clock }: { sql: Sql; clock: Pick<Clock, 'wall'> },
  workspaceId: string,
  batchId: string,
): Promise<BatchTick> {
  const nowMs = clock.wall();
  return beginItem(sql, async (tx) => {
    const tick: BatchTick = { more: false, logLines: [] };
    const batch = await lockBatchIfFree(tx, workspaceId, batchId);
    if (!batch) return tick;
    const addLogLine = (level: BatchLogLine['level'], message: string) =>
      tick.logLines.push(batchLogLine(batch, level, message));
    const { ended, unpaid } = await syncContacts(tx, batch, nowMs);
    if (batch.status === 'completed' || batch.status === 'canceled') return tick;

    const agent = await agentForCall(tx, workspaceId, batch.agent_id);
    const slots = await slotUsageOf(tx, batch);
    if (!agent || slots.state === 'closed') {
      await endBatch(tx, batch, { actor: SCHEDULER, reason: agent ? 'workspace closed' : 'agent deleted' }, nowMs);
      addLogLine('warning', agent ? 'batch canceled with its workspace' : 'batch canceled with its agent');
      return tick;
    }
    if (batch.status === 'scheduled' && batch.scheduled_at && batch.scheduled_at.getTime() <= nowMs) {
      const now = new Date(nowMs);
      await transitionBatch(
        tx,
        batch,
        'started',
        'running',
        { started_at: now, failures_since: now },
        SCHEDULER,
        nowMs,
      );
      addLogLine('info', 'batch started');
    }
    if (batch.status !== 'running') return tick;

    const { unfinished, waiting } = await countUnfinished(tx, batch);
    if (unfinished === 0) {
      await transitionBatch(tx, batch, 'completed', 'completed', { completed_at: new Date(nowMs) }, SCHEDULER, nowMs);
      addLogLine('info', 'batch completed');
    } else if (ended > 0 && (await failsTooOften(tx, batch, nowMs))) await pause(TOO_MANY_FAILURES);
    // The batch's queued calls wait until it is resumed. What is left may pay for no second of a call.
    else if (waiting > 0 && (unpaid || !(await canPlaceCalls(tx, workspaceId)))) await pause(OUT_OF_CREDITS);
    // The batch waits while its agent is paused or frozen or its workspace is not active.
    else if (agent.status === 'active' && slots.state === 'active') {
      const refused = await placeNextCalls(tx, batch, slots, clock, tick);
      if (refused !== null) await pause(refused);
    }
    return tick;

    async function pause(reason: string): Promise<void> {
      await transitionBatch(tx, batch!, 'paused', 'paused', { paused_reason: reason }, SCHEDULER, nowMs);
      addLogLine('warning', 'batch paused');
    }
  });
}

/**
 * The number of calls to queue: for the free slots and two more. The slots are limited by the share of all batches
 * (`slotsForBatches`) and by the batch's own concurrency.
 */
export function capacityFor(slots: Omit<SlotUsage, 'state'>, concurrency: number | null): number {
  const { limit, live, live_of_batches, live_of_batch, queued_of_batch } = slots;
  const own = concurrency === null ? limit : concurrency - live_of_batch;
  const free = Math.max(0, Math.min(limit - live, slotsForBatches(limit) - live_of_batches, own));
  return Math.max(0, free + EXTRA_QUEUED - queued_of_batch);
}

/** Places the next calls. Returns why the batch must be paused, or null. */
async function placeNextCalls(
  tx: Transaction,
  batch: BatchRow,
  slots: SlotUsage,
  clock: Pick<Clock, 'wall'>,
  tick: BatchTick,
): Promise<string | null> {
  const nowMs = clock.wall();
  const capacity = capacityFor(slots, batch.concurrency);
  const contacts = await nextContacts(tx, batch, Math.min(capacity, MAX_PLACED_PER_TICK), nowMs);
  if (contacts.length === 0) return null;
  const own = await ownActiveNumbers(tx, batch.workspace_id, batch.from_numbers);
  const numbers = batch.from_numbers.filter((number) => own.has(number));
  if (numbers.length === 0 && batch.from_numbers.length > 0) return NO_CALLER_NUMBER;

  const { workspace_id, agent_id, id: batch_id, name, placed } = batch;
  const actor = { kind: 'service', id: batch_id, name: `batch ${name}` } as const;
  const calls = contacts.map(({ to_number, user_data }, index) => {
    const from_number = numbers[(placed + index) % Math.max(1, numbers.length)];
    return { to_number, user_data, from_number };
  });
  try {
    const placedCalls = await placeCallsIn(tx, nowMs, { workspace_id, agent_id, batch_id, actor, calls });
    const queued = contacts.map(({ row }, index) => ({ row, call_id: placedCalls[index]!.id }));
    await markQueued(tx, batch, queued, nowMs);
  } catch (error) {
    // Refused before anything was written. Of several numbers, one was released meanwhile: the next tick calls from the others.
    if (!(error instanceof HttpError)) throw error;
    return error.status === 400 && numbers.length === 0 ? NO_CALLER_NUMBER : null;
  }
  await updateBatch(tx, batch, { placed: placed + contacts.length });
  tick.more = contacts.length === MAX_PLACED_PER_TICK && capacity > MAX_PLACED_PER_TICK;
  return null;
}

async function failsTooOften(tx: Transaction, batch: BatchRow, nowMs: number): Promise<boolean> {
  const since = Math.max(nowMs - FAILURE_WINDOW_MS, batch.failures_since?.getTime() ?? 0);
  const { finished, failed } = await recentCalls(tx, batch, new Date(since));
  return finished >= MIN_CALLS_FOR_FAILURE_RATE && failed >= finished * MAX_FAILURE_RATE;
}
