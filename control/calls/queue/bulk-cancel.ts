import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem, createItemRunner, eachInTurn, type ItemRunner, type JobItem } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { endQueuedCalls, lockQueuedCalls, type QueuedCallEnd, type QueueScope } from './end-queued-calls.ts';

/** Calls ended in the transaction of the deletion, while its request waits. */
const MAX_IN_REQUEST = 1_000;
/** Calls ended in one later transaction. */
const BATCH_SIZE = 500;
const INTERVAL_MS = 1_000;

/** A row of `bulk_cancels`. */
interface BulkCancelRow extends QueueScope, QueuedCallEnd {
  id: string;
  created_at: Date;
}

/**
 * Ends queued calls in the transaction of the deletion that makes them pointless: the first thousand in it, the rest soon after
 * by `startBulkCancels`, from a row written in the same transaction. Returns the number of calls ended so far.
 */
export async function bulkCancel(
  tx: Transaction,
  scope: QueueScope,
  end: QueuedCallEnd,
  nowMs: number,
): Promise<number> {
  const calls = await lockQueuedCalls(tx, scope, MAX_IN_REQUEST);
  await endQueuedCalls(tx, calls, end, nowMs);
  if (calls.length === MAX_IN_REQUEST) {
    const row: BulkCancelRow = { ...scope, ...end, id: newId(nowMs), created_at: new Date(nowMs) };
    await tx`insert into bulk_cancels ${tx(row as never)}`;
  }
  return calls.length;
}

export interface BulkCancelDeps {
  sql: Sql;
  clock: Pick<Clock, 'wall'>;
}

/**
 * Ends the rest of long queues, a few hundred calls of each in turn per transaction. Several processes may run it: each row is
 * locked by one of them, and continued by the next after a crash. Returns the number of calls ended.
 */
export async function continueBulkCancels(
  { sql, clock }: BulkCancelDeps,
  isStopped = () => false,
  items: Pick<ItemRunner, 'run'> = eachInTurn,
): Promise<number> {
  let ended = 0;
  let turn: readonly JobItem[] = await sql<JobItem[]>`select id, workspace_id from bulk_cancels order by id`;
  while (turn.length > 0) {
    const unfinished: JobItem[] = [];
    await items.run(turn, async (bulk) => {
      if (isStopped()) return;
      const canceled = await cancelNext(sql, bulk.id, clock.wall());
      ended += canceled;
      if (canceled === BATCH_SIZE) unfinished.push(bulk);
    });
    turn = unfinished;
  }
  return ended;
}

async function cancelNext(sql: Sql, bulkCancelId: string, nowMs: number): Promise<number> {
  return beginItem(sql, async (tx) => {
    const [bulk] = await tx<BulkCancelRow[]>`
      select * from bulk_cancels where id = ${bulkCancelId} for update skip locked`;
    // Another process has it locked, or has finished it.
    if (!bulk) return 0;
    const calls = await lockQueuedCalls(tx, bulk, BATCH_SIZE);
    await endQueuedCalls(tx, calls, bulk, nowMs);
    if (calls.length < BATCH_SIZE) await tx`delete from bulk_cancels where id = ${bulkCancelId}`;
    return calls.length;
  });
}

/** Starts the polling job that continues the bulk cancels. */
export function startBulkCancels({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const name = 'bulk cancels';
  const items = createItemRunner({ name, idField: 'bulk_cancel_id', clock, log });
  const loop = startPollingJob({
    ...{ name, intervalMs: INTERVAL_MS, clock, log, items },
    openWork: { sql, query: 'select from bulk_cancels' },
    async run() {
      const ended = await continueBulkCancels({ sql, clock }, () => stopped, items);
      if (ended > 0) log.info({ ended }, 'queued calls ended by a bulk cancel');
    },
  });
  return {
    ...loop,
    stop() {
      stopped = true;
      return loop.stop();
    },
  };
}

/**
 * End the queued calls of a workspace, agent or batch in the transaction that closes, deletes or cancels it; live calls go on.
 * None of the queued calls is dialled any more, although a long queue takes some seconds to end. Each returns the number of calls
 * ended so far.
 */

/** When a workspace is closed. */
export function cancelQueuedCallsOfWorkspace(tx: Transaction, workspace_id: string, nowMs: number): Promise<number> {
  const scope = { workspace_id, agent_id: null, batch_id: null };
  const reason = 'canceled while queued';
  const end = { status: 'canceled', hangup_by: 'service', hangup_reason: reason, level: 'warning' } as const;
  return bulkCancel(tx, scope, end, nowMs);
}

/** When an agent is deleted. */
export function failQueuedCallsOfAgent(
  tx: Transaction,
  workspace_id: string,
  agent_id: string,
  nowMs: number,
): Promise<number> {
  const end = { status: 'failed', hangup_by: 'service', hangup_reason: 'agent deleted', level: 'warning' } as const;
  return bulkCancel(tx, { workspace_id, agent_id, batch_id: null }, end, nowMs);
}

/** When a batch is canceled. */
export function cancelQueuedCallsOfBatch(
  tx: Transaction,
  workspace_id: string,
  batch_id: string,
  hangup_by: 'member' | 'service',
  nowMs: number,
): Promise<number> {
  const end = { status: 'canceled', hangup_by, hangup_reason: 'batch canceled', level: 'info' } as const;
  return bulkCancel(tx, { workspace_id, agent_id: null, batch_id }, end, nowMs);
}
