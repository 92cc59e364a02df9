import { writeAudit } from '../audit/write-audit.ts';
import { cancelQueuedCallsOfBatch } from '../calls/queue/bulk-cancel.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import type { BatchStatus } from './batch-record.ts';
import { outcomeOf } from './contact-outcome.ts';
import { cancelWaitingContacts, openContacts, updateContacts } from './contact-store.ts';
import { type BatchRow, type BatchUpdate, updateBatch } from './store.ts';

/** An entry of source `batch` in the server logs of the workspace. */
export interface BatchLogLine {
  workspace_id: string;
  agent_id: string;
  level: 'info' | 'warning' | 'error';
  message: string;
  data: Record<string, string | number>;
}
export type WriteBatchLog = (line: BatchLogLine) => void;

/** The actor of automatic transitions. */
export const SCHEDULER: Actor = { kind: 'service', id: 'service', name: 'service' };

export const OUT_OF_CREDITS = 'out of credits';
export const TOO_MANY_FAILURES = 'too many failures';
export const NO_CALLER_NUMBER = 'no caller number';

/** Changes a batch's status and writes the audit event. The caller holds the lock and has checked the transition. */
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

/** Cancels a batch: waiting contacts and queued calls are canceled, live calls go on. */
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
 * Updates contacts from the present state of their calls, so that no event of a call can be missed; a finished call is counted
 * once. Returns how many calls ended, and whether one of them could not be paid for.
 */
export async function syncContacts(
  tx: Transaction,
  batch: BatchRow,
  nowMs: number,
): Promise<{ ended: number; unpaid: boolean }> {
  const changes = (await openContacts(tx, batch)).flatMap((contact) => outcomeOf(contact, batch) ?? []);
  if (changes.length > 0) await updateContacts(tx, batch, changes, nowMs);
  const ended = changes.filter(({ call_over }) => call_over);
  return { ended: ended.length, unpaid: ended.some(({ hangup_reason }) => hangup_reason === OUT_OF_CREDITS) };
}

export function batchLogLine(batch: BatchRow, level: BatchLogLine['level'], message: string): BatchLogLine {
  const { workspace_id, agent_id, id, name, status } = batch;
  const data = { batch_id: id, batch: name, status, ...(batch.paused_reason ? { reason: batch.paused_reason } : {}) };
  return { workspace_id, agent_id, level, message, data };
}
