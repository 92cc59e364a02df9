import { writeAudit } from '../audit/write-audit.ts';
import { cancelQueuedCallsOfBatch } from '../calls/queue/cancel-queued-calls.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import type { BatchStatus } from './batch-record.ts';
import { outcomeOf } from './contact-outcome.ts';
import { cancelWaitingContacts, openContacts, updateContacts } from './contact-store.ts';
import { type BatchRow, type BatchUpdate, updateBatch } from './store.ts';

/** A line for the workspace's people, of source `batch`. */
export interface BatchLogLine {
  workspace_id: string;
  agent_id: string;
  level: 'info' | 'warning' | 'error';
  message: string;
  data: Record<string, string | number>;
}
export type WriteBatchLog = (line: BatchLogLine) => void;

/** What moves a batch when nobody of the workspace does. */
export const SCHEDULER: Actor = { kind: 'service', id: 'service', name: 'service' };

export const OUT_OF_CREDITS = 'out of credits';
export const TOO_MANY_FAILURES = 'too many failures';
export const NO_CALLER_NUMBER = 'no caller number';

/** Moves a batch and tells the audit trail. The caller holds it and has checked that it may be moved. */
export async function transitionBatch(
  tx: Transaction,
  batch: BatchRow,
  action: 'started' | 'paused' | 'resumed' | 'completed' | 'canceled',
  status: BatchStatus,
  change: BatchUpdate,
  actor: Actor,
  nowMs: number,
): Promise<void> {
  const { workspace_id, id, name, status: before } = batch;
  await updateBatch(tx, batch, { ...change, status });
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: `batch.${action}`,
    target: { kind: 'batch', id, name },
    changes: { status: [before, status] },
    ...(batch.paused_reason === '' ? {} : { data: { reason: batch.paused_reason } }),
    at_ms: nowMs,
  });
}

/** Ends it for good: who waits is not called, what waits in the queue is canceled, live calls go on. */
export async function endBatch(
  tx: Transaction,
  batch: BatchRow,
  { actor, reason }: { actor: Actor; reason: string },
  nowMs: number,
): Promise<void> {
  await transitionBatch(
    tx,
    batch,
    'canceled',
    'canceled',
    { paused_reason: '', completed_at: new Date(nowMs) },
    actor,
    nowMs,
  );
  await cancelWaitingContacts(tx, batch, reason, nowMs);
  const hangupBy = actor.kind === 'service' ? 'service' : 'member';
  await cancelQueuedCallsOfBatch(tx, batch.workspace_id, batch.id, hangupBy, nowMs);
  await syncContacts(tx, batch, nowMs);
}

/**
 * Contacts follow their calls. What a call became is read from the call itself, so nothing has to be told and nothing can be
 * missed; a call that was counted is not looked at again. Returns how many calls were over.
 */
export async function syncContacts(tx: Transaction, batch: BatchRow, nowMs: number): Promise<number> {
  const moves = (await openContacts(tx, batch)).flatMap((contact) => outcomeOf(contact, batch) ?? []);
  if (moves.length > 0) await updateContacts(tx, batch, moves, nowMs);
  return moves.filter(({ call_over: over }) => over).length;
}

export function batchLogLine(batch: BatchRow, level: BatchLogLine['level'], message: string): BatchLogLine {
  const { workspace_id, agent_id, id, name, status } = batch;
  const data = { batch_id: id, batch: name, status, ...(batch.paused_reason ? { reason: batch.paused_reason } : {}) };
  return { workspace_id, agent_id, level, message, data };
}
