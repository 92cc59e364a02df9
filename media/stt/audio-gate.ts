import { dbfs } from '../audio/level.ts';

/**
 * Passes audio that may be speech and holds back silence, for a transcriber whose computing time grows with its input. It
 * passes too much rather than too little.
 */

export const GATE_FRAME_MS = 20;
/** Passed from before the audio got loud: the soft beginnings of words. */
const PREROLL_MS = 300;
/** Passed after the last loud frame. Longer pauses are shortened to this. */
const HANGOVER_MS = 600;
/** A frame this much above the noise floor is loud. */
const ABOVE_NOISE_DB = 9;
/** A single loud frame is a click. */
const LOUD_FRAMES = 2;
const MIN_NOISE_DBFS = -66;
const MAX_NOISE_DBFS = -36;
/** The noise floor falls to a quieter frame at once, and rises this slowly. */
const NOISE_RISE_DB_PER_FRAME = 0.05;

export interface AudioGate {
  /** Takes one frame of `GATE_FRAME_MS`; calls `pass` for each frame that passes, in an array of its own. */
  process(samples: Int16Array, pass: (samples: Int16Array) => void): void;
  /** Frames since the last loud one. */
  readonly quietFrames: number;
  /** Drops the frames held back and closes the gate. */
  reset(): void;
}

export function createAudioGate(): AudioGate {
  const beforeFrames = PREROLL_MS / GATE_FRAME_MS;
  const afterFrames = HANGOVER_MS / GATE_FRAME_MS;
  let held: Int16Array[] = [];
  let open = false;
  let loud = 0;
  let quietFrames = 0;
  let noiseDbfs = -60;

  return {
    get quietFrames() {
      return quietFrames;
    },
    process(samples, pass) {
      const level = dbfs(samples);
      const drifted = Math.min(level, noiseDbfs + NOISE_RISE_DB_PER_FRAME);
      noiseDbfs = Math.max(MIN_NOISE_DBFS, Math.min(MAX_NOISE_DBFS, drifted));
      loud = level > noiseDbfs + ABOVE_NOISE_DB ? loud + 1 : 0;
      if (loud > 0 && (open || loud >= LOUD_FRAMES)) quietFrames = 0;
      else quietFrames++;

      if (!open) {
        held.push(samples.slice());
        if (held.length > beforeFrames) held.shift();
        if (loud < LOUD_FRAMES) return;
        open = true;
        for (const frame of held) pass(frame);
        held = [];
        return;
      }
      pass(samples.slice());
      if (quietFrames >= afterFrames) open = false;
    },
    reset() {
      held = [];
      open = false;
      loud = 0;
      quietFrames = 0;
    },
  };
}
