import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { forgetRecording } from '../recordings/forget-recording.ts';
import { findRecording } from '../recordings/stored-recording.ts';
import type { CallRow } from './call-row.ts';

const EVERY_MS = 5_000;
const LOOKED_UP_AT_ONCE = 8;
const LOOKED_UP_IN_A_ROUND = 200;
const KEPT_MS = 365 * 24 * 3_600_000;
const FORGET_EVERY_MS = 10 * 60_000;
const FORGOTTEN_IN_A_ROUND = 500;

export interface RecordingKeeperDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  store: RecordingStore;
}

/**
 * Finds out what a lost engine left of its recordings, and deletes those of calls that ended a year ago. A store that does not
 * answer is asked again in the next round.
 */
export function startRecordingKeeper(deps: RecordingKeeperDeps): PollingJob {
  const { clock, log } = deps;
  let forgotAtMs = Number.NEGATIVE_INFINITY;
  return startPollingJob({
    name: 'recordings',
    intervalMs: EVERY_MS,
    clock,
    log,
    async run() {
      await learnRecorded(deps);
      if (clock.now() - forgotAtMs < FORGET_EVERY_MS) return;
      await forgetOldRecordings(deps);
      forgotAtMs = clock.now();
    },
  });
}

type Known = Pick<CallRow, 'workspace_id' | 'id'>;

/** Of calls whose engine never told their end: is there a recording? */
export async function learnRecorded({ sql, store }: Pick<RecordingKeeperDeps, 'sql' | 'store'>): Promise<void> {
  const calls = await sql<Known[]>`
    select workspace_id, id from calls where recording_unknown order by ended_at limit ${LOOKED_UP_IN_A_ROUND}`;
  await inParallel(calls, async ({ workspace_id, id }) => {
    const recorded = (await findRecording(store, workspace_id, id)) !== null;
    await sql`
      update calls set recorded = ${recorded}, recording_unknown = false
      where workspace_id = ${workspace_id} and id = ${id} and recording_unknown`;
  });
}

/** The pieces first: a recording is forgotten when nothing of it is left. */
export async function forgetOldRecordings({ sql, clock, log, store }: RecordingKeeperDeps): Promise<void> {
  const before = new Date(clock.wall() - KEPT_MS);
  const calls = await sql<Known[]>`
    select workspace_id, id from calls where recorded and ended_at < ${before}
    order by ended_at limit ${FORGOTTEN_IN_A_ROUND}`;
  let forgotten = 0;
  try {
    await inParallel(calls, async ({ workspace_id, id }) => {
      await forgetRecording(store, workspace_id, id);
      await sql`update calls set recorded = false where workspace_id = ${workspace_id} and id = ${id}`;
      forgotten++;
    });
  } finally {
    if (forgotten > 0) log.info({ recordings: forgotten }, 'recordings of a year ago were deleted');
  }
}

/** All of them, however many fail; then the first failure is thrown. */
async function inParallel(calls: readonly Known[], work: (call: Known) => Promise<void>): Promise<void> {
  const waiting = [...calls];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let call = waiting.shift(); call && failures.length < LOOKED_UP_AT_ONCE; call = waiting.shift()) {
      await work(call).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: LOOKED_UP_AT_ONCE }, worker));
  if (failures.length > 0) throw new Error(`the store of recordings: ${errorText(failures[0])}`);
}
