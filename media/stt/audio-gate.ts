import { dbfs } from '../audio/level.ts';

/**
 * Passes on what may be speech and keeps back stillness, so that a recogniser that works hard on every sample only
 * gets what is worth it. It is deliberately generous: what was said is decided elsewhere.
 */

export const GATE_FRAME_MS = 20;
/** Kept from before the sound: the soft beginnings of words. */
const PREROLL_MS = 300;
/** Passed on after the last sound. Longer pauses are cut down to this. */
const HANGOVER_MS = 600;
/** Louder than the line's own noise by this much is sound. */
const ABOVE_NOISE_DB = 9;
/** A single loud frame is a click of the line. */
const LOUD_FRAMES = 2;
const MIN_NOISE_DBFS = -66;
const MAX_NOISE_DBFS = -36;
/** The estimate of the noise follows a quieter frame at once and a louder one this slowly. */
const NOISE_RISE_DB_PER_FRAME = 0.05;

export interface AudioGate {
  /** Takes one frame of `GATE_FRAME_MS`; calls `pass` for each frame that goes on (its own array). */
  process(samples: Int16Array, pass: (samples: Int16Array) => void): void;
  /** Frames of stillness since sound was last heard. */
  readonly quietFrames: number;
  /** Forgets the frames held back and waits for new sound. */
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
