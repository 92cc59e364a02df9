import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CHUNK_BYTES,
  chunkName,
  chunkNumber,
  chunkRateHz,
  RECORDING_CHANNELS,
  RECORDING_RATE_HZ,
  recordingFolder,
  SAMPLE_BYTES,
  type StoredChunk,
} from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../shared/recordings/wav-header.ts';

/** A call's recording as a WAV file, read in chunks. */
export interface StoredRecording {
  /** Size of the whole file. */
  bytes: number;
  /** Changes with the content of the file (RFC 9110, section 8.8.3). */
  etag: string;
  /**
   * Streams the bytes from `start` to `end`, both inclusive. Chunks are fetched one at a time, as the reader consumes them; closing
   * the stream aborts the fetch, and a failing store destroys the stream.
   */
  read(start: number, end: number): Readable;
}

const SILENCE_CHUNK_BYTES = 64 * 1024;

/** Finds a call's recording in the store; null when it has none. @throws Error when the store does not respond. */
export async function findRecording(
  store: RecordingStore,
  workspaceId: string,
  callId: string,
): Promise<StoredRecording | null> {
  const chunks = new Map<number, number>();
  let rateHz = RECORDING_RATE_HZ;
  for (const { name, bytes } of await store.list(recordingFolder(workspaceId, callId))) {
    const used = usedBytes({ name, bytes });
    const number = chunkNumber(name);
    if (number === null || used === 0) continue;
    chunks.set(number, used);
    rateHz = chunkRateHz(name);
  }
  if (chunks.size === 0) return null;
  const last = Math.max(...chunks.keys());
  const dataBytes = last * CHUNK_BYTES + chunks.get(last)!;
  const header = wavHeader(rateHz, RECORDING_CHANNELS, dataBytes);
  const known = [...chunks].sort(([a], [b]) => a - b).join(';');
  const etag = `"${createHash('sha256').update(known).digest('base64url').slice(0, 22)}"`;

  async function* bytesBetween(start: number, end: number, signal: AbortSignal) {
    if (start < WAV_HEADER_BYTES) yield header.subarray(start, end + 1);
    let at = Math.max(start - WAV_HEADER_BYTES, 0);
    const stop = end - WAV_HEADER_BYTES + 1;
    while (at < stop) {
      const number = Math.floor(at / CHUNK_BYTES);
      const from = at - number * CHUNK_BYTES;
      const to = Math.min(CHUNK_BYTES, stop - number * CHUNK_BYTES);
      const stored = Math.min(to, chunks.get(number) ?? 0);
      if (from < stored) {
        const bytes = await store.read(chunkName(workspaceId, callId, number, rateHz), from, stored - 1, signal);
        if (bytes?.length !== stored - from) throw new Error('a chunk of the recording differs from its listing');
        yield bytes;
      }
      // Missing data is silence, so that what follows keeps its position.
      for (let silent = Math.max(from, stored); silent < to; silent += SILENCE_CHUNK_BYTES) {
        yield new Uint8Array(Math.min(SILENCE_CHUNK_BYTES, to - silent));
      }
      at = number * CHUNK_BYTES + to;
    }
  }

  return {
    bytes: WAV_HEADER_BYTES + dataBytes,
    etag,
    read(start, end) {
      const gone = new AbortController();
      const stream = Readable.from(bytesBetween(start, end, gone.signal), { objectMode: false, highWaterMark: 1 });
      return stream.once('close', () => gone.abort());
    },
  };
}

/** Whole samples of a chunk, at most a full chunk. */
const usedBytes = ({ bytes }: StoredChunk) => Math.min(CHUNK_BYTES, bytes - (bytes % SAMPLE_BYTES));

/** Deletes all chunks of a call's recording. @throws Error when the store does not respond. */
export function deleteRecording(store: RecordingStore, workspaceId: string, callId: string): Promise<void> {
  return store.remove(recordingFolder(workspaceId, callId));
}
