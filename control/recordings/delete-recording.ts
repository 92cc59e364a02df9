import { recordingFolder } from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';

/** Deletes all pieces of a call's recording. @throws Error when the store does not answer; to be tried again then. */
export function deleteRecording(store: RecordingStore, workspaceId: string, callId: string): Promise<void> {
  return store.remove(recordingFolder(workspaceId, callId));
}
