import type { Clock, Timer } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type Sql, wakeUpsOf } from '../db/connect.ts';
import { createItemRunner, eachInTurn, type ItemRunner, type JobItem } from '../db/item-runner.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { scheduleBatch } from './batch-scheduler.ts';
import type { WriteBatchLog } from './batch-transitions.ts';
import { findDueBatches, openBatches } from './contact-store.ts';
import { deleteOldUploads } from './store.ts';

export interface BatchSchedulerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  writeLog: WriteBatchLog;
  /** How often all batches are polled; 1 second. */
  intervalMs?: number;
}

export interface BatchScheduler {
  stop(): Promise<void>;
}

/** Wake-ups come in bursts, when many calls end at once. */
const DEBOUNCE_MS = 100;
const MAX_CONCURRENT_TICKS = 3;
const UPLOAD_CLEANUP_INTERVAL_MS = 10 * 60_000;

/**
 * Starts the scheduler that turns contacts of batches into calls, a few at a time. A free slot or a new batch
 * only wakes it; it polls all batches every second. Several processes may run it: a batch is locked by one of them at a time.
 */
export function startBatchJob({ sql, clock, log, writeLog, intervalMs = 1_000 }: BatchSchedulerDeps): BatchScheduler {
  const woken = new Set<string>();
  let debounce: Timer | null = null;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const name = 'batches';
  const items = createItemRunner({ name, idField: 'batch_id', clock, log, maxConcurrent: MAX_CONCURRENT_TICKS });
  const job = startPollingJob({ name, intervalMs, clock, log, openWork: { sql, query: openBatches }, items, run });
  const uploads = startPollingJob({
    ...{ name: 'old uploads', intervalMs: UPLOAD_CLEANUP_INTERVAL_MS, clock, log },
    run: () => deleteOldUploads(sql, clock.wall()),
  });
  const listener = wakeUpsOf(sql).on('dispatch', (workspaceId) => {
    woken.add(workspaceId);
    debounce ??= clock.after(DEBOUNCE_MS, () => {
      debounce = null;
      job.wake();
    });
  });

  return {
    async stop() {
      stopped = true;
      listener.stop();
      debounce?.cancel();
      await Promise.all([job.stop(), uploads.stop()]);
    },
  };

  async function run(): Promise<void> {
    const sweep = clock.now() - sweptAt >= intervalMs;
    const workspaces = sweep ? null : [...woken];
    woken.clear();
    if (sweep) sweptAt = clock.now();
    if (workspaces?.length === 0) return;
    await runBatchTicks({ sql, clock, writeLog }, workspaces, () => stopped, items);
  }
}

/** Runs the ticks of all due batches, or of those of some workspaces, in turn until none has more contacts to place. */
export async function runBatchTicks(
  { sql, clock, writeLog }: Pick<BatchSchedulerDeps, 'sql' | 'clock' | 'writeLog'>,
  workspaceIds: readonly string[] | null = null,
  isStopped: () => boolean = () => false,
  items: Pick<ItemRunner, 'run'> = eachInTurn,
): Promise<void> {
  let turn: readonly JobItem[] = await findDueBatches(sql, clock.wall(), workspaceIds);
  while (turn.length > 0) {
    const unfinished: JobItem[] = [];
    await items.run(turn, async (batch) => {
      if (isStopped()) return;
      const { more, logLines } = await scheduleBatch({ sql, clock }, batch.workspace_id, batch.id);
      if (more) unfinished.push(batch);
      for (const line of logLines) writeLog(line);
    });
    turn = unfinished;
  }
}
