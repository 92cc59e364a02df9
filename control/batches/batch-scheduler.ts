import type { Clock } from '../../shared/clock.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { canPlaceCalls } from '../billing/wallet.ts';
import { slotsForBatches } from '../calls/queue/call-concurrency.ts';
import { placeCallIn } from '../calls/queue/place-call.ts';
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
  markSkipped,
  nextContacts,
  recentCalls,
  type SlotUsage,
  slotUsageOf,
  type WaitingContact,
} from './contact-store.ts';
import { type BatchRow, lockBatchIfFree, updateBatch } from './store.ts';

/** Calls queued beyond the free slots, so that no slot is idle until the next tick. */
const EXTRA_QUEUED = 2;
/** Calls placed in one transaction, which a request to pause the batch has to wait for. */
const MAX_PLACED_PER_TICK = 10;
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
    const ended = await syncContacts(tx, batch, nowMs);
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
    // The batch's queued calls wait until it is resumed.
    else if (waiting > 0 && !(await canPlaceCalls(tx, workspaceId))) await pause(OUT_OF_CREDITS);
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
  // The queue is ordered by time: each call gets a millisecond of its own.
  let atMs = clock.wall();
  const capacity = capacityFor(slots, batch.concurrency);
  const contacts = await nextContacts(tx, batch, Math.min(capacity, MAX_PLACED_PER_TICK), atMs);
  if (contacts.length === 0) return null;
  const own = await ownActiveNumbers(tx, batch.workspace_id, batch.from_numbers);
  const numbers = batch.from_numbers.filter((number) => own.has(number));
  if (numbers.length === 0 && batch.from_numbers.length > 0) return NO_CALLER_NUMBER;

  let placed = batch.placed;
  let refused: string | null = null;
  for (const contact of contacts) {
    const from = numbers[placed % Math.max(1, numbers.length)];
    atMs = Math.max(clock.wall(), atMs + 1);
    const refusal = await placeContact(tx, batch, contact, from, atMs);
    if (refusal === null) placed++;
    else if (refusal.status === 422) await markSkipped(tx, batch, contact.row, refusal.reason, atMs);
    else {
      // The other contacts of this batch would be refused, too.
      refused = refusal.status === 400 ? NO_CALLER_NUMBER : refusal.status === 402 ? OUT_OF_CREDITS : null;
      break;
    }
  }
  tick.more = placed - batch.placed === MAX_PLACED_PER_TICK && capacity > MAX_PLACED_PER_TICK;
  if (placed !== batch.placed) await updateBatch(tx, batch, { placed });
  return refused;
}

/** Places the call of a contact; returns the refusal, after rolling back its writes, or null. */
async function placeContact(
  tx: Transaction,
  batch: BatchRow,
  { row, to_number, user_data }: WaitingContact,
  from_number: string | undefined,
  nowMs: number,
): Promise<{ status: number; reason: string } | null> {
  const { workspace_id, agent_id, id: batch_id, name } = batch;
  const actor = { kind: 'service', id: batch_id, name: `batch ${name}` } as const;
  const request = { workspace_id, agent_id, to_number, user_data, actor, batch_id, from_number };
  try {
    await tx.savepoint(async (attempt) => {
      const call = await placeCallIn(attempt as Transaction, nowMs, request);
      await markQueued(attempt as Transaction, batch, row, call.id, nowMs);
    });
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, detail } = error;
    return { status, reason: typeof detail === 'string' ? detail : (detail[0]?.msg ?? '') };
  }
}

async function failsTooOften(tx: Transaction, batch: BatchRow, nowMs: number): Promise<boolean> {
  const since = Math.max(nowMs - FAILURE_WINDOW_MS, batch.failures_since?.getTime() ?? 0);
  const { finished, failed } = await recentCalls(tx, batch, new Date(since));
  return finished >= MIN_CALLS_FOR_FAILURE_RATE && failed >= finished * MAX_FAILURE_RATE;
}
