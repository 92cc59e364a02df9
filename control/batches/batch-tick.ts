import type { Clock } from '../../shared/clock.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import { canPlaceCalls } from '../billing/wallet.ts';
import { slotsForBatches } from '../calls/queue/call-concurrency.ts';
import { placeCallIn } from '../calls/queue/place-call.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';
import { ownActiveNumbers } from '../numbers/own-numbers.ts';
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

/** Waiting in the queue beside what the free slots take at once, so that a slot is not idle until the feeder comes by. */
const EXTRA_QUEUED = 2;
/** Calls placed in one transaction: who pauses a batch does not wait long for it. */
const MAX_PLACED_PER_TICK = 10;
const FAILURE_WINDOW_MS = 10 * 60_000;
const MIN_CALLS_FOR_FAILURE_RATE = 20;
const MAX_FAILURE_RATE = 0.5;

export interface BatchTick {
  /** There was more to place than one transaction should. */
  more: boolean;
  logLines: BatchLogLine[];
}

/**
 * Looks after one batch in one transaction, under its lock: its contacts follow their calls, it starts, pauses or ends when it
 * should, and its next contacts become calls. A contact and its call are written together or not at all. Whoever comes while
 * another process does this goes on to the next batch.
 */
export async function runBatchTick(
  { sql, clock }: { sql: Sql; clock: Pick<Clock, 'wall'> },
  workspaceId: string,
  batchId: string,
): Promise<BatchTick> {
  const nowMs = clock.wall();
  return sql.begin(async (tx) => {
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
      addLogLine('warning', agent ? 'a batch was canceled with its workspace' : 'a batch was canceled with its agent');
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
      addLogLine('info', 'a batch started');
    }
    if (batch.status !== 'running') return tick;

    const { unfinished, waiting } = await countUnfinished(tx, batch);
    if (unfinished === 0) {
      await transitionBatch(tx, batch, 'completed', 'completed', { completed_at: new Date(nowMs) }, SCHEDULER, nowMs);
      addLogLine('info', 'a batch is completed');
    } else if (ended > 0 && (await failsTooOften(tx, batch, nowMs))) await pause(TOO_MANY_FAILURES);
    // Its queued calls wait as well: only a single call fails at the front of the queue.
    else if (waiting > 0 && !(await canPlaceCalls(tx, workspaceId))) await pause(OUT_OF_CREDITS);
    // An agent that is paused or frozen, a workspace that is not active: the batch waits with them.
    else if (agent.status === 'active' && slots.state === 'active') {
      const refused = await placeNextCalls(tx, batch, slots, clock, tick);
      if (refused !== null) await pause(refused);
    }
    return tick;

    async function pause(reason: string): Promise<void> {
      await transitionBatch(tx, batch!, 'paused', 'paused', { paused_reason: reason }, SCHEDULER, nowMs);
      addLogLine('warning', 'a batch was paused');
    }
  });
}

/**
 * How many more contacts should be in the queue: as many as find a free slot, and two. At least a fifth of the slots, and one when
 * there are several, is left to calls that are not of a batch; a batch does not take more than its own limit.
 */
export function capacityFor(slots: Omit<SlotUsage, 'state'>, concurrency: number | null): number {
  const { limit, live, live_of_batches, live_of_batch, queued_of_batch } = slots;
  const own = concurrency === null ? limit : concurrency - live_of_batch;
  const free = Math.max(0, Math.min(limit - live, slotsForBatches(limit) - live_of_batches, own));
  return Math.max(0, free + EXTRA_QUEUED - queued_of_batch);
}

/** Places the next calls. Why the batch cannot go on, or null. */
async function placeNextCalls(
  tx: Transaction,
  batch: BatchRow,
  slots: SlotUsage,
  clock: Pick<Clock, 'wall'>,
  tick: BatchTick,
): Promise<string | null> {
  // The queue goes by time: no two of them at the same millisecond, or their order would be chance.
  let atMs = clock.wall();
  const room = capacityFor(slots, batch.concurrency);
  const contacts = await nextContacts(tx, batch, Math.min(room, MAX_PLACED_PER_TICK), atMs);
  if (contacts.length === 0) return null;
  const own = await ownActiveNumbers(tx, batch.workspace_id, batch.from_numbers);
  const numbers = batch.from_numbers.filter((number) => own.has(number));
  if (numbers.length === 0 && batch.from_numbers.length > 0) return NO_CALLER_NUMBER;

  let placed = batch.placed;
  let refused: string | null = null;
  for (const contact of contacts) {
    const from = numbers[placed % Math.max(1, numbers.length)];
    atMs = Math.max(clock.wall(), atMs + 1);
    const answer = await placeContact(tx, batch, contact, from, atMs);
    if (answer === null) placed++;
    else if (answer.status === 422) await markSkipped(tx, batch, contact.row, answer.words, atMs);
    else {
      // Nobody else of this batch could be called now either.
      refused = answer.status === 400 ? NO_CALLER_NUMBER : answer.status === 402 ? OUT_OF_CREDITS : null;
      break;
    }
  }
  tick.more = placed - batch.placed === MAX_PLACED_PER_TICK && room > MAX_PLACED_PER_TICK;
  if (placed !== batch.placed) await updateBatch(tx, batch, { placed });
  return refused;
}

/** Null when it was placed. What a refused call had written is taken back. */
async function placeContact(
  tx: Transaction,
  batch: BatchRow,
  { row, to_number, user_data }: WaitingContact,
  from_number: string | undefined,
  nowMs: number,
): Promise<{ status: number; words: string } | null> {
  const { workspace_id, agent_id, id: batch_id, name } = batch;
  const actor = { kind: 'service', id: batch_id, name: `batch ${name}` } as const;
  const order = { workspace_id, agent_id, to_number, user_data, actor, batch_id, from_number };
  try {
    await tx.savepoint(async (attempt) => {
      const call = await placeCallIn(attempt as Transaction, nowMs, order);
      await markQueued(attempt as Transaction, batch, row, call.id, nowMs);
    });
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, detail } = error;
    return { status, words: typeof detail === 'string' ? detail : (detail[0]?.msg ?? '') };
  }
}

async function failsTooOften(tx: Transaction, batch: BatchRow, nowMs: number): Promise<boolean> {
  const since = Math.max(nowMs - FAILURE_WINDOW_MS, batch.failures_since?.getTime() ?? 0);
  const { finished, failed } = await recentCalls(tx, batch, new Date(since));
  return finished >= MIN_CALLS_FOR_FAILURE_RATE && failed >= finished * MAX_FAILURE_RATE;
}
