import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { endQueuedCalls, lockQueuedCalls, type QueuedCallEnd, type QueueScope } from './end-queued-calls.ts';

/** Ended in the transaction of the deletion, whose request waits for it. */
const MAX_IN_REQUEST = 1_000;
/** Ended in one transaction of the rest. */
const BATCH_SIZE = 500;
const INTERVAL_MS = 1_000;

/** A row of `queue_clearings`. */
interface BulkCancelRow extends QueueScope, QueuedCallEnd {
  id: string;
  created_at: Date;
}

/**
 * Ends what waits in the queue, in the transaction of the deletion that makes it pointless: the first thousand with it, what is
 * left soon after (`startQueueClearing`), which is remembered with the same commit. Returns how many are ended already.
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
    await tx`insert into queue_clearings ${tx(row as never)}`;
  }
  return calls.length;
}

export interface BulkCancelDeps {
  sql: Sql;
  clock: Pick<Clock, 'wall'>;
}

/**
 * Ends what is left of long queues: of each in turn a few hundred calls with one commit, until none is left. Several processes may
 * do so, each queue is seen to by one at a time; what a crash leaves, the next one takes up. Returns how many calls were ended.
 *
 * @throws the first failure, when all that could be done is done: one queue does not hold up the others.
 */
export async function continueBulkCancels({ sql, clock }: BulkCancelDeps, isStopped = () => false): Promise<number> {
  let ended = 0;
  const failures: unknown[] = [];
  const found = await sql<{ id: string }[]>`select id from queue_clearings order by id`;
  let turn = found.map(({ id }) => id);
  while (turn.length > 0) {
    const unfinished: string[] = [];
    for (const id of turn) {
      if (isStopped()) return ended;
      try {
        const some = await cancelSome(sql, id, clock.wall());
        ended += some;
        if (some === BATCH_SIZE) unfinished.push(id);
      } catch (error) {
        failures.push(error);
      }
    }
    turn = unfinished;
  }
  if (failures.length > 0) throw failures[0];
  return ended;
}

async function cancelSome(sql: Sql, bulkCancelId: string, nowMs: number): Promise<number> {
  return sql.begin(async (tx) => {
    const [clearing] = await tx<BulkCancelRow[]>`
      select * from queue_clearings where id = ${bulkCancelId} for update skip locked`;
    // Somebody else is at it, or was.
    if (!clearing) return 0;
    const calls = await lockQueuedCalls(tx, clearing, BATCH_SIZE);
    await endQueuedCalls(tx, calls, clearing, nowMs);
    if (calls.length < BATCH_SIZE) await tx`delete from queue_clearings where id = ${bulkCancelId}`;
    return calls.length;
  });
}

/** Sees to it every second, from now on. */
export function startBulkCancels({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const loop = startPollingJob({
    name: 'queues without a purpose',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    async run() {
      const ended = await continueBulkCancels({ sql, clock }, () => stopped);
      if (ended > 0) log.info({ ended }, 'queued calls were ended with their agent, batch or workspace');
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
