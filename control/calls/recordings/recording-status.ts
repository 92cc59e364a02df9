import type { Clock } from '../../../shared/clock.ts';
import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import { withTimeout } from '../../../shared/with-timeout.ts';
import { findRecording } from '../../recordings/stored-recording.ts';
import type { CallRow } from '../call-row.ts';

/**
 * Looks up whether a call that ends without its engine has a recording, before its row is locked. Null when the store does not
 * respond within two seconds: `recording-retention.ts` looks again later. Never rejects.
 */
export type HasRecording = (call: Pick<CallRow, 'workspace_id' | 'id'>) => Promise<boolean | null>;

/** Always null: the lookup is left to `recording-retention.ts`. */
export const recordingUnknown: HasRecording = async () => null;

const TIMEOUT_MS = 2_000;
/** After a timeout the store is not asked for this long, so that the other calls do not wait. */
const RETRY_AFTER_TIMEOUT_MS = 30_000;

export function createRecordingStatus(store: RecordingStore, clock: Clock): HasRecording {
  let unavailableUntilMs = Number.NEGATIVE_INFINITY;
  return async ({ workspace_id, id }) => {
    if (clock.now() < unavailableUntilMs) return null;
    const lookup = findRecording(store, workspace_id, id).then(
      (recording) => recording !== null,
      () => null,
    );
    const recorded = await withTimeout(lookup, TIMEOUT_MS, clock, () => null);
    if (recorded === null) unavailableUntilMs = clock.now() + RETRY_AFTER_TIMEOUT_MS;
    return recorded;
  };
}
