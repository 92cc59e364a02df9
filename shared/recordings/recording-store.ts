import type { StoredChunk } from './chunks.ts';

/**
 * Where recordings lie: a folder of this machine or a bucket. The engine writes, control reads and forgets. Names come from
 * `pieces.ts`; every method throws an Error that may be logged when the store refuses or does not answer.
 */
export interface RecordingStore {
  /** So many at once do it good. */
  readonly maxConcurrentPuts: number;
  /** Whole or not at all; over what was there. `bytes` must not change until it is done. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Bytes `start` to `end` (the last one, both from 0), fewer where the piece ends before; null when there is none. */
  read(name: string, start: number, end: number, signal?: AbortSignal): Promise<Uint8Array | null>;
  /** Every piece in the folder (`recordingFolder`), by name. */
  list(folder: string, signal?: AbortSignal): Promise<StoredChunk[]>;
  /** The folder and all pieces in it; harmless when there are none. */
  remove(folder: string): Promise<void>;
}
