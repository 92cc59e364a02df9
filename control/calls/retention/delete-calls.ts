import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import { beginItem } from '../../db/item-runner.ts';
import { removeQuotes } from '../../guardrails/incidents.ts';
import { deleteRecording } from '../../recordings/stored-recording.ts';
import { deleteDeliveriesOfCalls } from '../../webhooks/delivery-store.ts';
import type { CallRow } from '../call-row.ts';

/** Deletes rows of other modules that belong to calls, in the transaction that deletes the calls. */
export type DeleteOfCalls = (tx: Transaction, workspaceId: string, callIds: readonly string[]) => Promise<void>;

export interface CallDeletionDeps {
  sql: Sql;
  store: RecordingStore;
  /** The workspace's server logs. */
  deleteLogs: DeleteOfCalls;
}

export type DeletableCall = Pick<CallRow, 'id' | 'recorded' | 'recording_unknown'>;

/** Calls deleted in one transaction, and recordings at once. */
export const DELETED_AT_ONCE = 200;
const RECORDINGS_AT_ONCE = 8;

/**
 * Deletes finished calls with all that was said and done in them: recordings first, because a failed deletion is repeated as long as
 * the row is there, then transcript, timeline, transfers, webhook deliveries with their bodies, server logs, and what incidents quote.
 * What was charged stays in the ledger, and who did what in the audit trail; both name calls by their ids only.
 *
 * @param calls at most `DELETED_AT_ONCE`.
 * @returns the number of calls deleted; those that another process deletes at the same time are its.
 * @throws when the store of recordings does not answer.
 */
export async function deleteCalls(
  { sql, store, deleteLogs }: CallDeletionDeps,
  workspaceId: string,
  calls: readonly DeletableCall[],
): Promise<number> {
  const recorded = calls.filter(({ recorded, recording_unknown }) => recorded || recording_unknown);
  for (let at = 0; at < recorded.length; at += RECORDINGS_AT_ONCE) {
    const some = recorded.slice(at, at + RECORDINGS_AT_ONCE);
    await Promise.all(some.map(({ id }) => deleteRecording(store, workspaceId, id)));
  }
  return beginItem(sql, async (tx) => {
    // Before their timelines: the totals that calls are taken out of read what was measured there.
    const deleted = await tx<{ id: string }[]>`
      delete from finished_calls where workspace_id = ${workspaceId} and id = any(${calls.map(({ id }) => id)})
      returning id`;
    const ids = deleted.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx`delete from call_search_texts where id = any(${ids})`;
    await deleteOwnRows(tx, ids);
    await deleteDeliveriesOfCalls(tx, workspaceId, ids);
    await removeQuotes(tx, workspaceId, ids);
    await deleteLogs(tx, workspaceId, ids);
    return ids.length;
  });
}

async function deleteOwnRows(tx: AnySql, callIds: readonly string[]): Promise<void> {
  for (const table of ['call_events', 'transfers', 'after_calls', 'event_gaps', 'dead_events']) {
    await tx`delete from ${tx(table)} where call_id = any(${[...callIds]})`;
  }
}
