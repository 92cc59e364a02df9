import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type AudioFormat, FRAME_SAMPLES, LINE_RATE } from '../audio/format.ts';
import { readSamples } from '../audio/samples.ts';
import { createRecorder } from '../report/recorder.ts';

/**
 * Puts both voices on one timeline: the caller's samples are counted as they come, the agent's are laid where the caller
 * hears them. A run of the agent's frames is laid without a seam, whatever the moments of its sending were.
 */
export interface Tape {
  caller(samples: Int16Array, atMs: number): void;
  /** One frame in the line's format, heard from `hearMs` on. */
  agent(frame: Uint8Array, hearMs: number, newRun: boolean): void;
  /** What was to be heard from this moment on was not. */
  dropAgent(fromMs: number): void;
  /** A recording lies on disk. */
  kept(): boolean;
  close(): Promise<void>;
}

const SAMPLES_PER_MS = LINE_RATE / 1_000;

export interface TapeOptions {
  path: string;
  /** How the agent's frames lie. */
  encoding: AudioFormat['encoding'];
  clock: Clock;
  log: Logger;
}

export function createTape({ path, encoding, clock, log }: TapeOptions): Tape {
  const recorder = createRecorder({ path, clock, log });
  const samples = new Int16Array(FRAME_SAMPLES);
  let callerSamples = 0;
  /** When the last of them came in. */
  let callerAtMs = clock.now();
  let nextAgentSample = 0;
  let kept = false;

  function sampleAt(ms: number): number {
    return Math.max(0, callerSamples + Math.round((ms - callerAtMs) * SAMPLES_PER_MS));
  }

  return {
    caller(heard, atMs) {
      recorder.caller(heard);
      callerSamples += heard.length;
      callerAtMs = atMs;
    },
    agent(frame, hearMs, newRun) {
      readSamples(frame, encoding, samples);
      if (newRun) nextAgentSample = sampleAt(hearMs);
      recorder.agent(samples, nextAgentSample);
      nextAgentSample += samples.length;
    },
    dropAgent(fromMs) {
      recorder.cutAgent(sampleAt(fromMs));
    },
    kept: () => kept,
    async close() {
      await recorder.close();
      kept = !recorder.failed;
    },
  };
}
