/**
 * The time up to which the caller's audio is known. Silence and speech of the caller are judged by it: while the network delivers
 * nothing, nobody knows whether they are silent. Pure, in monotonic milliseconds.
 */

/** Audio is examined this late anyway: windows of 32 ms, frames of 20, batches of up to 15, and jitter. */
const NORMAL_LAG_MS = 100;
/** What has not come after this is taken as missing, and time goes on without it. */
export const MAX_STALL_WAIT_MS = 1_200;

export interface AudioClockState {
  /** The end of the audio that voice activity detection has examined; null before the first. */
  examinedMs: number | null;
  /** The latest time given: it never goes back. */
  timeMs: number;
}

export function newAudioClock(): AudioClockState {
  return { examinedMs: null, timeMs: Number.NEGATIVE_INFINITY };
}

/** The caller's audio up to `endMs` was examined. */
export function onExamined(state: AudioClockState, endMs: number): void {
  if (state.examinedMs === null || endMs > state.examinedMs) state.examinedMs = endMs;
}

/** The caller's time: `nowMs`, or behind it while audio is missing that may still come. */
export function audioTimeMs(state: AudioClockState, nowMs: number): number {
  const { examinedMs } = state;
  const known = examinedMs === null || nowMs - examinedMs <= NORMAL_LAG_MS;
  const timeMs = known ? nowMs : Math.max(examinedMs, nowMs - MAX_STALL_WAIT_MS);
  if (timeMs > state.timeMs) state.timeMs = timeMs;
  return state.timeMs;
}
