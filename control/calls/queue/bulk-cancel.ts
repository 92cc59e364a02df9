import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
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
 *
 * @throws the first failure, after all other rows were processed.
 */
export async function continueBulkCancels({ sql, clock }: BulkCancelDeps, isStopped = () => false): Promise<number> {
  let ended = 0;
  const failures: unknown[] = [];
  const found = await sql<{ id: string }[]>`select id from bulk_cancels order by id`;
  let turn = found.map(({ id }) => id);
  while (turn.length > 0) {
    const unfinished: string[] = [];
    for (const id of turn) {
      if (isStopped()) return ended;
      try {
        const canceled = await cancelNext(sql, id, clock.wall());
        ended += canceled;
        if (canceled === BATCH_SIZE) unfinished.push(id);
      } catch (error) {
        failures.push(error);
      }
    }
    turn = unfinished;
  }
  if (failures.length > 0) throw failures[0];
  return ended;
}

async function cancelNext(sql: Sql, bulkCancelId: string, nowMs: number): Promise<number> {
  return sql.begin(async (tx) => {
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
  const loop = startPollingJob({
    name: 'bulk cancels',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    async run() {
      const ended = await continueBulkCancels({ sql, clock }, () => stopped);
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
  const end = {
    status: 'canceled',
    hangup_by: 'service',
    hangup_reason: 'workspace closed',
    level: 'warning',
  } as const;
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
