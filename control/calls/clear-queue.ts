import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { endQueued, lockQueued, type QueueEnd, type QueueScope } from './end-queued.ts';

/** Ended in the transaction of the deletion, whose request waits for it. */
const AT_ONCE = 1_000;
/** Ended in one transaction of the rest. */
const AT_A_TIME = 500;
const EVERY_MS = 1_000;

/** A row of `queue_clearings`. */
interface ClearingRow extends QueueScope, QueueEnd {
  id: string;
  created_at: Date;
}

/**
 * Ends what waits in the queue, in the transaction of the deletion that makes it pointless: the first thousand with it, what is
 * left soon after (`startQueueClearing`), which is remembered with the same commit. Returns how many are ended already.
 */
export async function clearQueue(tx: Transaction, scope: QueueScope, end: QueueEnd, nowMs: number): Promise<number> {
  const calls = await lockQueued(tx, scope, AT_ONCE);
  await endQueued(tx, calls, end, nowMs);
  if (calls.length === AT_ONCE) {
    const row: ClearingRow = { ...scope, ...end, id: newId(nowMs), created_at: new Date(nowMs) };
    await tx`insert into queue_clearings ${tx(row as never)}`;
  }
  return calls.length;
}

export interface ClearingDeps {
  sql: Sql;
  clock: Pick<Clock, 'wall'>;
}

/**
 * Ends what is left of long queues: of each in turn a few hundred calls with one commit, until none is left. Several processes may
 * do so, each queue is seen to by one at a time; what a crash leaves, the next one takes up. Returns how many calls were ended.
 *
 * @throws the first failure, when all that could be done is done: one queue does not hold up the others.
 */
export async function clearQueues({ sql, clock }: ClearingDeps, isStopped = () => false): Promise<number> {
  let ended = 0;
  const failures: unknown[] = [];
  const found = await sql<{ id: string }[]>`select id from queue_clearings order by id`;
  let turn = found.map(({ id }) => id);
  while (turn.length > 0) {
    const unfinished: string[] = [];
    for (const id of turn) {
      if (isStopped()) return ended;
      try {
        const some = await clearSome(sql, id, clock.wall());
        ended += some;
        if (some === AT_A_TIME) unfinished.push(id);
      } catch (error) {
        failures.push(error);
      }
    }
    turn = unfinished;
  }
  if (failures.length > 0) throw failures[0];
  return ended;
}

async function clearSome(sql: Sql, clearingId: string, nowMs: number): Promise<number> {
  return sql.begin(async (tx) => {
    const [clearing] = await tx<ClearingRow[]>`
      select * from queue_clearings where id = ${clearingId} for update skip locked`;
    // Somebody else is at it, or was.
    if (!clearing) return 0;
    const calls = await lockQueued(tx, clearing, AT_A_TIME);
    await endQueued(tx, calls, clearing, nowMs);
    if (calls.length < AT_A_TIME) await tx`delete from queue_clearings where id = ${clearingId}`;
    return calls.length;
  });
}

/** Sees to it every second, from now on. */
export function startQueueClearing({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const loop = startPollingJob({
    name: 'queues without a purpose',
    intervalMs: EVERY_MS,
    clock,
    log,
    async run() {
      const ended = await clearQueues({ sql, clock }, () => stopped);
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
