import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { deleteRecording } from '../recordings/stored-recording.ts';
import { expiredRecordings, forgetRecording } from './run-store.ts';

const INTERVAL_MS = 10 * 60_000;
/** As of calls. */
const RETENTION_MS = 365 * 24 * 3_600_000;
const DELETIONS_PER_RUN = 200;

export interface RecordingRetentionDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  recordings: RecordingStore;
}

/** Starts the polling job that deletes the recordings of runs after a year. A failed deletion is repeated in the next run. */
export function startTestRecordingRetention(deps: RecordingRetentionDeps): PollingJob {
  const { clock, log } = deps;
  const run = () => deleteExpiredTestRecordings(deps);
  return startPollingJob({ name: 'test recordings', intervalMs: INTERVAL_MS, clock, log, run });
}

export async function deleteExpiredTestRecordings({ sql, clock, recordings }: RecordingRetentionDeps): Promise<void> {
  const before = new Date(clock.wall() - RETENTION_MS);
  for (const { workspace_id, id } of await expiredRecordings(sql, before, DELETIONS_PER_RUN)) {
    await deleteRecording(recordings, workspace_id, id);
    await forgetRecording(sql, workspace_id, id);
  }
}
