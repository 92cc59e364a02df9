import { Readable } from 'node:stream';
import type { Clock } from '../../shared/clock.ts';
import { chunkName, MAX_CHUNKS, recordingFolder } from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { withTimeout } from '../../shared/with-timeout.ts';

/**
 * An archive lies in the store of recordings, which all processes reach, in chunks under the name of a recording: an export's id takes the
 * place of a call's.
 */

/** Of a chunk. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** Reading the next part of the archive, or writing a chunk. */
const STEP_TIMEOUT_MS = 120_000;

export interface ArchivePlace {
  workspace_id: string;
  id: string;
}

/**
 * Writes the archive chunk by chunk, over what an earlier attempt left.
 *
 * @param beforeChunk called with the bytes so far; false stops: nothing is written after it
 * @returns its size; null when it was stopped
 */
export async function storeArchive(
  { store, clock }: { store: RecordingStore; clock: Clock },
  { workspace_id, id }: ArchivePlace,
  archive: Readable,
  beforeChunk: (bytes: number) => Promise<boolean>,
): Promise<number | null> {
  const inTime = <Result>(step: Promise<Result>) =>
    withTimeout(step, STEP_TIMEOUT_MS, clock, (): never => {
      throw new Error('a step of the export took too long');
    });
  const parts = archive[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  let [bytes, waitingBytes, number] = [0, 0, 0];
  try {
    if (!(await beforeChunk(0))) return null;
    await inTime(store.remove(recordingFolder(workspace_id, id)));
    for (let ended = false; !ended; ) {
      const next = await inTime(parts.next());
      ended = next.done === true;
      if (!next.done) {
        waiting.push(next.value);
        waitingBytes += next.value.length;
      }
      if (waitingBytes === 0 || (waitingBytes < MAX_CHUNK_BYTES && !ended)) continue;
      if (number >= MAX_CHUNKS) throw new Error('the export is too large for the store');
      bytes += waitingBytes;
      if (!(await beforeChunk(bytes))) return null;
      await inTime(store.put(chunkName(workspace_id, id, number), Buffer.concat(waiting)));
      number += 1;
      waiting = [];
      waitingBytes = 0;
    }
    return bytes;
  } finally {
    archive.destroy();
  }
}

/** Opens a stored archive; null when the store has not all of it. @throws Error when the store does not respond. */
export async function openStoredArchive(
  store: RecordingStore,
  { workspace_id, id, size_bytes }: ArchivePlace & { size_bytes: number },
): Promise<Readable | null> {
  const chunks = await store.list(recordingFolder(workspace_id, id));
  if (chunks.reduce((sum, { bytes }) => sum + bytes, 0) !== size_bytes) return null;
  const gone = new AbortController();
  async function* bytes() {
    for (const chunk of chunks) {
      const read = await store.read(chunk.name, 0, chunk.bytes - 1, gone.signal);
      if (read?.length !== chunk.bytes) throw new Error('a chunk of the export differs from its listing');
      yield read;
    }
  }
  return Readable.from(bytes(), { objectMode: false, highWaterMark: 1 }).once('close', () => gone.abort());
}

export const removeStoredArchive = (store: RecordingStore, { workspace_id, id }: ArchivePlace): Promise<void> =>
  store.remove(recordingFolder(workspace_id, id));
