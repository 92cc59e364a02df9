import { dbfs } from '../audio/level.ts';

/**
 * Passes on what may be speech and keeps back stillness, so that a recogniser that works hard on every sample only
 * gets what is worth it. It is deliberately generous: what was said is decided elsewhere.
 */

export const GATE_FRAME_MS = 20;
/** Kept from before the sound: the soft beginnings of words. */
const BEFORE_MS = 300;
/** Passed on after the last sound. Longer pauses are cut down to this. */
const AFTER_MS = 600;
/** Louder than the line's own noise by this much is sound. */
const ABOVE_NOISE_DB = 9;
/** A single loud frame is a click of the line. */
const LOUD_FRAMES = 2;
const QUIETEST_NOISE_DBFS = -66;
const LOUDEST_NOISE_DBFS = -36;
/** The estimate of the noise follows a quieter frame at once and a louder one this slowly. */
const NOISE_RISE_DB_PER_FRAME = 0.05;

export interface SoundGate {
  /** Takes one frame of `GATE_FRAME_MS`; calls `pass` for each frame that goes on (its own array). */
  frame(samples: Int16Array, pass: (samples: Int16Array) => void): void;
  /** Frames of stillness since sound was last heard. */
  readonly quietFrames: number;
  /** Forgets the frames held back and waits for new sound. */
  shut(): void;
}

export function createSoundGate(): SoundGate {
  const beforeFrames = BEFORE_MS / GATE_FRAME_MS;
  const afterFrames = AFTER_MS / GATE_FRAME_MS;
  let held: Int16Array[] = [];
  let open = false;
  let loud = 0;
  let quietFrames = 0;
  let noiseDbfs = -60;

  return {
    get quietFrames() {
      return quietFrames;
    },
    frame(samples, pass) {
      const level = dbfs(samples);
      const drifted = Math.min(level, noiseDbfs + NOISE_RISE_DB_PER_FRAME);
      noiseDbfs = Math.max(QUIETEST_NOISE_DBFS, Math.min(LOUDEST_NOISE_DBFS, drifted));
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
    shut() {
      held = [];
      open = false;
      loud = 0;
      quietFrames = 0;
    },
  };
}
