import type { Clock } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import type { Sql } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { deleteRecording, findRecording } from '../../recordings/stored-recording.ts';
import type { CallRow } from '../call-row.ts';

const INTERVAL_MS = 5_000;
const MAX_CONCURRENT_LOOKUPS = 8;
const LOOKUPS_PER_RUN = 200;
const RETENTION_MS = 365 * 24 * 3_600_000;
const DELETE_INTERVAL_MS = 10 * 60_000;
const DELETIONS_PER_RUN = 500;

export interface RecordingRetentionDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  store: RecordingStore;
}

/**
 * Starts the polling job that looks up the recordings of calls that ended without their engine, and deletes recordings a year after
 * the call. When the store does not respond, it is tried again in the next run.
 */
export function startRecordingRetention(deps: RecordingRetentionDeps): PollingJob {
  const { clock, log } = deps;
  let deletedAtMs = Number.NEGATIVE_INFINITY;
  return startPollingJob({
    name: 'recordings',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    async run() {
      await resolveUnknownRecordings(deps);
      if (clock.now() - deletedAtMs < DELETE_INTERVAL_MS) return;
      await deleteExpiredRecordings(deps);
      deletedAtMs = clock.now();
    },
  });
}

type CallKey = Pick<CallRow, 'workspace_id' | 'id'>;

/**
 * Looks up whether calls that ended without their engine have a recording. The rows are not locked: a call that is moved at that moment
 * is looked up again in the next run.
 */
export async function resolveUnknownRecordings({
  sql,
  store,
}: Pick<RecordingRetentionDeps, 'sql' | 'store'>): Promise<void> {
  const calls = await sql<CallKey[]>`
    select workspace_id, id from finished_calls where recording_unknown
    union all
    select workspace_id, id from live_calls where status in ('ended', 'failed') and recording_unknown
    limit ${LOOKUPS_PER_RUN}`;
  await inParallel(calls, async ({ workspace_id, id }) => {
    const recorded = (await findRecording(store, workspace_id, id)) !== null;
    await sql`
      update calls set recorded = ${recorded}, recording_unknown = false
      where workspace_id = ${workspace_id} and id = ${id} and recording_unknown`;
  });
}

/** Deletes the chunks, then unsets `recorded`, so that a failed deletion is repeated. */
export async function deleteExpiredRecordings({ sql, clock, log, store }: RecordingRetentionDeps): Promise<void> {
  const before = new Date(clock.wall() - RETENTION_MS);
  const calls = await sql<CallKey[]>`
    select workspace_id, id from finished_calls where recorded and ended_at < ${before}
    order by ended_at limit ${DELETIONS_PER_RUN}`;
  let deleted = 0;
  try {
    await inParallel(calls, async ({ workspace_id, id }) => {
      await deleteRecording(store, workspace_id, id);
      await sql`update finished_calls set recorded = false where workspace_id = ${workspace_id} and id = ${id}`;
      deleted++;
    });
  } finally {
    if (deleted > 0) log.info({ recordings: deleted }, 'expired recordings deleted');
  }
}

/** Works through the calls and throws the first failure at the end; stops early when every worker may have failed. */
async function inParallel(calls: readonly CallKey[], work: (call: CallKey) => Promise<void>): Promise<void> {
  const waiting = [...calls];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let call = waiting.shift(); call && failures.length < MAX_CONCURRENT_LOOKUPS; call = waiting.shift()) {
      await work(call).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOOKUPS }, worker));
  if (failures.length > 0) throw new Error(`the store of recordings: ${errorText(failures[0])}`);
}
