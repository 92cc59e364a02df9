import type { Clock } from '../../../shared/clock.ts';
import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import { findRecording } from '../../recordings/stored-recording.ts';
import type { CallRow } from '../call-row.ts';

/**
 * Did the engine of a call leave a recording? For those who end the call without it, before they hold its row. Null when the
 * store does not say so within two seconds: `keep-recordings.ts` finds out later. Never rejects.
 */
export type HasRecording = (call: Pick<CallRow, 'workspace_id' | 'id'>) => Promise<boolean | null>;

/** Where nobody is asked: it is found out later. */
export const recordingUnknown: HasRecording = async () => null;

const TIMEOUT_MS = 2_000;
/** A store that did not answer is not waited for again by every other call. */
const RETRY_AFTER_TIMEOUT_MS = 30_000;

export function createRecordingStatus(store: RecordingStore, clock: Clock): HasRecording {
  let unavailableUntilMs = Number.NEGATIVE_INFINITY;
  return async ({ workspace_id, id }) => {
    if (clock.now() < unavailableUntilMs) return null;
    const answer = await new Promise<boolean | null>((resolve) => {
      const timer = clock.after(TIMEOUT_MS, () => resolve(null));
      findRecording(store, workspace_id, id)
        .then(
          (recording) => resolve(recording !== null),
          () => resolve(null),
        )
        .finally(() => timer.cancel());
    });
    if (answer === null) unavailableUntilMs = clock.now() + RETRY_AFTER_TIMEOUT_MS;
    return answer;
  };
}
