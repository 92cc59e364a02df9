import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql } from '../../db/connect.ts';
import { beginItem, createItemRunner, eachInTurn, type ItemRunner } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { EXPIRES_AFTER_MS } from './call-queue.ts';
import { endQueuedCalls, type QueuedCall, queuedCallColumns } from './end-queued-calls.ts';
import { inQueue, queuesDueBefore } from './queues.ts';

const INTERVAL_MS = 60_000;
const BATCH_SIZE = 100;

/** Starts the polling job that cancels calls which have been due for a day. They are not dialled meanwhile. */
export function startQueueExpiry({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  const name = 'queue expiry';
  const items = createItemRunner({ name, idField: 'queue_id', clock, log });
  let stopped = false;
  const job = startPollingJob({
    ...{ name, intervalMs: INTERVAL_MS, clock, log, items },
    async run() {
      let expired = 0;
      do {
        expired = await expireQueuedCalls(sql, clock.wall(), items);
        if (expired > 0) log.info({ expired }, 'queued calls expired');
      } while (expired > 0 && !stopped);
    },
  });
  return {
    wake: job.wake,
    stop() {
      stopped = true;
      return job.stop();
    },
  };
}

/** Cancels calls that have been due for a day, a hundred at most of each agent and batch. Returns the number. */
export async function expireQueuedCalls(
  sql: Sql,
  nowMs: number,
  items: Pick<ItemRunner, 'run'> = eachInTurn,
): Promise<number> {
  const before = new Date(nowMs - EXPIRES_AFTER_MS);
  let expired = 0;
  await items.run(await queuesDueBefore(sql, before), async ({ workspace_id, id }) => {
    expired += await beginItem(sql, async (tx) => {
      const calls = await tx<QueuedCall[]>`
        select ${queuedCallColumns(tx)} from live_calls
        where ${inQueue(tx, workspace_id, id)} and queued_at < ${before}
        order by queued_at, id limit ${BATCH_SIZE} for no key update skip locked`;
      const reason = { hangup_by: 'service', hangup_reason: 'expired in queue' } as const;
      await endQueuedCalls(tx, calls, { status: 'canceled', ...reason, level: 'warning' }, nowMs);
      return calls.length;
    });
  });
  return expired;
}
