import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CHUNK_BYTES,
  chunkName,
  chunkNumber,
  RECORDING_CHANNELS,
  RECORDING_RATE_HZ,
  recordingFolder,
  SAMPLE_BYTES,
  type StoredChunk,
} from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../shared/recordings/wav-header.ts';

/** A call's recording as the WAV file it is for everybody outside. It is never held whole. */
export interface StoredRecording {
  /** Of the whole file. */
  bytes: number;
  /** Another one whenever a byte of the file is another one (RFC 9110, 8.8.3). */
  etag: string;
  /**
   * Bytes `start` to `end`, the last one, both from 0. One piece is fetched at a time, when the reader wants it; a reader that
   * goes away ends the fetching. A store that fails in the middle breaks the stream off.
   */
  read(start: number, end: number): Readable;
}

const SILENCE_CHUNK_BYTES = 64 * 1024;

/** What of a call's recording lies in the store; null when nothing does. @throws Error when the store does not answer. */
export async function findRecording(
  store: RecordingStore,
  workspaceId: string,
  callId: string,
): Promise<StoredRecording | null> {
  const chunks = new Map<number, number>();
  for (const { name, bytes } of await store.list(recordingFolder(workspaceId, callId))) {
    const used = usedBytes({ name, bytes });
    const number = chunkNumber(name);
    if (number !== null && used > 0) chunks.set(number, used);
  }
  if (chunks.size === 0) return null;
  const last = Math.max(...chunks.keys());
  const dataBytes = last * CHUNK_BYTES + chunks.get(last)!;
  const header = wavHeader(RECORDING_RATE_HZ, RECORDING_CHANNELS, dataBytes);
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
        const bytes = await store.read(chunkName(workspaceId, callId, number), from, stored - 1, signal);
        if (bytes?.length !== stored - from) throw new Error('a piece of the recording is not what the list said');
        yield bytes;
      }
      // What could not be stored is silence: everything after it keeps its place.
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

/** Whole samples of a piece, and no more than a piece has. */
const usedBytes = ({ bytes }: StoredChunk) => Math.min(CHUNK_BYTES, bytes - (bytes % SAMPLE_BYTES));
