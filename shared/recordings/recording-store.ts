import type { StoredChunk } from './chunks.ts';

/**
 * Storage of recordings: a folder or a bucket. The engine writes, control reads and deletes. Names come from `chunks.ts`. Every
 * method rejects, with an Error that may be logged, when the store refuses or does not respond.
 */
export interface RecordingStore {
  /** The most puts that should run at the same time. */
  readonly maxConcurrentPuts: number;
  /** Writes or overwrites, atomically. `bytes` must not change meanwhile. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Bytes `start` to `end` (the last one, both from 0), fewer where the chunk ends before; null when there is none. */
  read(name: string, start: number, end: number, signal?: AbortSignal): Promise<Uint8Array | null>;
  /** All chunks in the folder (`recordingFolder`), by name. */
  list(folder: string, signal?: AbortSignal): Promise<StoredChunk[]>;
  /** Deletes the folder and all chunks in it, if any. */
  remove(folder: string): Promise<void>;
}
