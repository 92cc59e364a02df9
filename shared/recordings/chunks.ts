import { ID_PATTERN } from '../ids.ts';

/**
 * A recording is written during the call, in chunks: 16-bit PCM, caller left, agent right, without a header. It has 8 kHz, a
 * chunk then lasts four seconds, or 16 kHz where the caller's audio is wideband, a chunk then lasts two; the chunks' names say which.
 * All chunks but the last have the same length, so a chunk's offset follows from its number, and a missing one is silence.
 */
export const RECORDING_RATE_HZ = 8_000;
export const WIDEBAND_RECORDING_RATE_HZ = 16_000;
export const RECORDING_CHANNELS = 2;
/** One sample of each channel. */
export const SAMPLE_BYTES = 4;
/** At 8 kHz. */
export const CHUNK_SECONDS = 4;
export const CHUNK_BYTES = CHUNK_SECONDS * RECORDING_RATE_HZ * SAMPLE_BYTES;
/** 33 hours at 8 kHz, what a WAV file can hold. */
export const MAX_CHUNKS = 30_000;

const NAME = /^[a-f0-9]{32}\/[a-f0-9]{32}\/(\d{6})(\.16k)?\.pcm$/;

/** A chunk in the store. */
export interface StoredChunk {
  name: string;
  bytes: number;
}

/**
 * The folder of a call's chunks. Both ids are hex, so no name leads into another tenant's folder.
 * @throws RangeError for an invalid id.
 */
export function recordingFolder(workspaceId: string, callId: string): string {
  if (!ID_PATTERN.test(workspaceId) || !ID_PATTERN.test(callId)) throw new RangeError('invalid recording id');
  return `${workspaceId}/${callId}/`;
}

/** @throws RangeError for an invalid number. */
export function chunkName(workspaceId: string, callId: string, number: number, rateHz = RECORDING_RATE_HZ): string {
  if (!Number.isInteger(number) || number < 0 || number >= MAX_CHUNKS) throw new RangeError('invalid chunk number');
  const rate = rateHz === WIDEBAND_RECORDING_RATE_HZ ? '.16k' : '';
  return `${recordingFolder(workspaceId, callId)}${String(number).padStart(6, '0')}${rate}.pcm`;
}

/** Null for the name of anything else. */
export function chunkNumber(name: string): number | null {
  const number = NAME.exec(name)?.[1];
  return number === undefined || Number(number) >= MAX_CHUNKS ? null : Number(number);
}

/** Of the recording that a chunk of this name belongs to. */
export const chunkRateHz = (name: string): number =>
  name.endsWith('.16k.pcm') ? WIDEBAND_RECORDING_RATE_HZ : RECORDING_RATE_HZ;
