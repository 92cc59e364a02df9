import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem, createItemRunner } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { writeEvents } from '../events/timeline.ts';
import { completeCall } from '../lifecycle/complete-call.ts';
import { lockCall } from '../store.ts';
import { dueAfterCallJobs, markLate } from './after-call-jobs.ts';
import { planAfterCall } from './after-call-plan.ts';
import { failureEvent } from './settle-after-call.ts';

/** How long before the limit a call is completed, so that it is in time. */
const RESERVE_MS = 5_000;

/** Starts the polling job that completes calls whose processing waits for longer than a call may. */
export function startLateCalls({
  sql,
  clock,
  log,
  intervalMs,
}: {
  sql: Sql;
  clock: Clock;
  log: Logger;
  intervalMs: number;
}): PollingJob {
  const name = 'late after calls';
  const items = createItemRunner({ name, idField: 'call_id', clock, log, maxConcurrent: 2 });
  return startPollingJob({
    ...{ name, intervalMs, clock, log, items },
    openWork: { sql, query: 'select from after_calls where not late' },
    async run() {
      const nowMs = clock.wall();
      const due = await dueAfterCallJobs(sql, nowMs, nowMs + RESERVE_MS, items.excluded());
      await items.run(due, ({ workspace_id, id }) =>
        beginItem(sql, (tx) => completeWithoutProcessing(tx, workspace_id, id, clock.wall())),
      );
    },
  });
}

/**
 * Completes a call whose processing is still to be done. The job stays: its results are added to the record, and
 * `call.completed` is not sent again.
 */
export async function completeWithoutProcessing(
  tx: Transaction,
  workspaceId: string,
  callId: string,
  nowMs: number,
): Promise<void> {
  const call = await lockCall(tx, workspaceId, callId);
  if (!(await markLate(tx, callId)) || call?.status !== 'ended') return;
  const plan = await planAfterCall(tx, call);
  if (plan?.analytics) await writeEvents(tx, call, [failureEvent('post-call analytics', 'late', nowMs)]);
  await completeCall(tx, call, nowMs);
}
