import { addAbortSignal } from 'node:stream';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import type { Sql } from '../db/connect.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { removeStoredArchive, storeArchive } from './archive-store.ts';
import {
  deleteOldExports,
  finishExport,
  forgetStored,
  type LeasedExport,
  leaseExports,
  postponeExport,
  releaseExport,
  renewExport,
  storedInVain,
} from './store.ts';
import { type ArchiveProgress, writeArchive } from './write-archive.ts';

export interface ExportWorkerDeps {
  sql: Sql;
  /** For the rows of archives. */
  reportsSql: Sql;
  clock: Clock;
  log: Logger;
  store: RecordingStore;
}

const INTERVAL_MS = 60_000;
/** Longer than a chunk takes that is being written when the lease is lost. */
const LEASE_MS = 150_000;
const MAX_TRIES = 3;
const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 7 * DAY_MS;
const REMOVED_PER_RUN = 20;

/** Starts the worker that makes archives, one at a time in each process, and removes them after a week. */
export function startExportWorker({ sql, reportsSql, clock, log, store }: ExportWorkerDeps): PollingJob {
  const progressOf = new Map<string, ArchiveProgress>();
  const now = () => new Date(clock.wall());

  return startLeaseWorker<LeasedExport>({
    ...{ name: 'exports', intervalMs: INTERVAL_MS, clock, log, wakeOn: { sql, topic: 'exports' }, maxConcurrent: 1 },
    async lease(limit) {
      await removeOld();
      const jobs = await leaseExports(sql, { limit, leaseMs: LEASE_MS, maxTries: MAX_TRIES, now: now() });
      return { jobs, more: false };
    },
    work: (job, signal) => make(job, signal).finally(() => progressOf.delete(job.lease_id)),
    release: (job) => releaseExport(sql, job),
    renewal: { everyMs: LEASE_MS / 5, renew: (job) => renew(job) },
    retry: {
      triesOf: ({ tries }) => tries,
      postpone: (job, delayMs) =>
        postponeExport(sql, job, { due: new Date(clock.wall() + delayMs), now: now(), maxTries: MAX_TRIES }),
    },
    graceMs: 0,
    fieldsOf: ({ workspace_id, id }) => ({ workspace_id, export_id: id }),
  });

  function renew(job: LeasedExport): Promise<boolean> {
    const progress = progressOf.get(job.lease_id) ?? { records: 0, recording_count: 0 };
    return renewExport(sql, job, progress, new Date(clock.wall() + LEASE_MS));
  }

  async function make(job: LeasedExport, signal: AbortSignal): Promise<boolean> {
    const { workspace_id, id } = job;
    const recordings = job.recordings ? store : null;
    const { archive, progress } = writeArchive({ sql: reportsSql, clock, workspace_id, recordings, at: now() });
    progressOf.set(job.lease_id, progress);
    try {
      // The row is asked before each chunk, so that nothing is written for an export that was removed.
      const size_bytes = await storeArchive({ store, clock }, job, addAbortSignal(signal, archive), () => renew(job));
      if (size_bytes === null) return false;
      const at = now();
      await finishExport(sql, job, {
        ...{ ...progress, size_bytes, now: at, expires_at: new Date(at.getTime() + KEPT_MS) },
      });
      log.info({ workspace_id, export_id: id, records: progress.records, size_bytes }, 'export made');
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** A store that does not answer is asked again in the next run. */
  async function removeOld(): Promise<void> {
    const at = now();
    for (const { workspace_id, id } of await storedInVain(sql, at, REMOVED_PER_RUN)) {
      await removeStoredArchive(store, { workspace_id, id });
      await forgetStored(sql, workspace_id, id, at);
    }
    await deleteOldExports(sql, new Date(at.getTime() - DAY_MS), new Date(at.getTime() - KEPT_MS));
  }
}
