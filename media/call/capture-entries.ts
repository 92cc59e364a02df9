import type { CaptureEntry } from '../../shared/capture.ts';
import type { Clock } from '../../shared/clock.ts';
import type { CallCapture } from '../report/call-capture.ts';

/** An entry without its time. */
export type UntimedCaptureEntry = CaptureEntry extends infer Each
  ? Each extends { t: number }
    ? Omit<Each, 't'>
    : never
  : never;

export type AddEntry = (entry: UntimedCaptureEntry, ms?: number) => void;

/** Adds entries to a call's capture, with their times. */
export interface CaptureEntries {
  /** Adds an entry of now, or of that time of the clock. */
  add: AddEntry;
  /** Ends the capture now, before its call. */
  truncate(reason: string): void;
  /** Milliseconds since the start of the call. */
  at(ms: number): number;
  /** The returned function gives the milliseconds since the timer was started. */
  startTimer(): () => number;
}

/** To be called when the call starts. */
export function createCaptureEntries(capture: CallCapture, clock: Clock): CaptureEntries {
  const startMs = clock.now();
  const at = (ms: number) => toMicroseconds(ms - startMs);
  return {
    add: (entry, ms = clock.now()) => capture.add({ t: at(ms), ...entry } as CaptureEntry),
    truncate: (reason) => capture.truncate(at(clock.now()), reason),
    at,
    startTimer() {
      const startedMs = clock.now();
      return () => toMicroseconds(clock.now() - startedMs);
    },
  };
}

const toMicroseconds = (ms: number) => Math.round(ms * 1_000) / 1_000;
