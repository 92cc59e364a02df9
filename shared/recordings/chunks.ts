import { ID_PATTERN } from '../ids.ts';

/**
 * A recording leaves the engine while the call goes on, in pieces of four seconds: 16-bit PCM at 8 kHz, caller left, agent
 * right, without a header. All pieces are of one length but the last, so the place of a piece follows from its number, and
 * one that is missing is so much silence.
 */
export const RECORDING_RATE_HZ = 8_000;
export const RECORDING_CHANNELS = 2;
/** One sample of each side. */
export const SAMPLE_BYTES = 4;
export const CHUNK_SECONDS = 4;
export const CHUNK_BYTES = CHUNK_SECONDS * RECORDING_RATE_HZ * SAMPLE_BYTES;
/** 33 hours: what a WAV file can hold, and more than any call lasts. */
export const MAX_CHUNKS = 30_000;

const NAME = /^[a-f0-9]{32}\/[a-f0-9]{32}\/(\d{6})\.pcm$/;

/** A piece as it lies in the store. */
export interface StoredChunk {
  name: string;
  bytes: number;
}

/**
 * Where the pieces of a call lie. Both ids are nothing but hex, so no name leads into another tenant's folder.
 * @throws RangeError when one of them is no id.
 */
export function recordingFolder(workspaceId: string, callId: string): string {
  if (!ID_PATTERN.test(workspaceId) || !ID_PATTERN.test(callId)) throw new RangeError('not the ids of a recording');
  return `${workspaceId}/${callId}/`;
}

/** @throws RangeError when it names no piece there can be. */
export function chunkName(workspaceId: string, callId: string, number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= MAX_CHUNKS) throw new RangeError('no number of a piece');
  return `${recordingFolder(workspaceId, callId)}${String(number).padStart(6, '0')}.pcm`;
}

/** Null for whatever else lies there. */
export function chunkNumber(name: string): number | null {
  const number = NAME.exec(name)?.[1];
  return number === undefined || Number(number) >= MAX_CHUNKS ? null : Number(number);
}
