import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import { createItemRunner, eachInTurn, type ItemRunner, type JobItem } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { type CallDeletionDeps, DELETED_AT_ONCE, type DeletableCall, deleteCalls } from './delete-calls.ts';
import { dropEmptyMonths } from './month-partitions.ts';

const INTERVAL_MS = 10 * 60_000;

export interface CallRetentionDeps extends CallDeletionDeps {
  clock: Clock;
  log: Logger;
  /** For workspaces without a time of their own; 0: for ever. */
  defaultDays: number;
}

/** Starts the polling job that deletes calls after the time for which their workspace keeps them. */
export function startCallRetention(deps: CallRetentionDeps): PollingJob {
  const { sql, clock, log } = deps;
  let stopped = false;
  const name = 'call retention';
  const items = createItemRunner({ name, idField: 'workspace_id', clock, log, maxConcurrent: 2 });
  const job = startPollingJob({
    ...{ name, intervalMs: INTERVAL_MS, clock, log, items },
    async run() {
      const deleted = await deleteExpiredCalls(deps, items, () => stopped);
      if (deleted > 0) log.info({ calls: deleted }, 'calls deleted after their retention time');
      const dropped = await dropEmptyMonths(sql, clock.wall());
      if (dropped.length > 0) log.info({ partitions: dropped }, 'empty partitions dropped');
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

/** Deletes all calls that are past their time, a few hundred at a time. Returns the number. */
export async function deleteExpiredCalls(
  deps: CallRetentionDeps,
  items: Pick<ItemRunner, 'run'> = eachInTurn,
  isStopped = () => false,
): Promise<number> {
  const { sql, clock, defaultDays } = deps;
  const now = new Date(clock.wall());
  let deleted = 0;
  const due = await workspacesWithExpired(sql, defaultDays, now);
  await items.run(due, async ({ workspace_id, before }) => {
    for (let found = DELETED_AT_ONCE; found === DELETED_AT_ONCE && !isStopped(); ) {
      const calls = await callsBefore(sql, workspace_id, before);
      found = calls.length;
      if (found > 0) deleted += await deleteCalls(deps, workspace_id, calls);
    }
  });
  return deleted;
}

/** Workspaces with calls that are past their time, each with the moment before which its calls are. */
function workspacesWithExpired(sql: Sql, defaultDays: number, now: Date) {
  return sql<(JobItem & { before: Date })[]>`
    select id, id as workspace_id, before from (
      select id, ${now}::timestamptz - coalesce(call_retention_days, ${defaultDays}) * interval '1 day' as before
      from workspaces where coalesce(call_retention_days, ${defaultDays}) > 0
    ) as kept
    where exists (
      select from finished_calls where finished_calls.workspace_id = kept.id and finished_calls.created_at < kept.before
    )`;
}

function callsBefore(sql: AnySql, workspaceId: string, before: Date) {
  return sql<DeletableCall[]>`
    select id, recorded, recording_unknown from finished_calls
    where workspace_id = ${workspaceId} and created_at < ${before} order by created_at limit ${DELETED_AT_ONCE}`;
}
