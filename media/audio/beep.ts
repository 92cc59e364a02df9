import { FRAME_MS, FRAME_SAMPLES, LINE_RATE } from './format.ts';

/**
 * Detects the beep after which an answering machine records: a single tone of steady pitch and level, followed by quiet. Not a
 * beep are two tones at once (DTMF, most ringing and busy tones), a tone that changes (a voice), and one followed by more audio
 * (a melody). The last 40 ms are analyzed every 20 ms, long enough to separate tones 25 Hz apart.
 */

export interface Beep {
  hz: number;
  durationMs: number;
}

export interface BeepDetector {
  /** Takes the next 20 ms of the caller's audio: 160 samples at 8 kHz. Allocates nothing. */
  push(frame: Int16Array): void;
}

const MIN_HZ = 390;
const MAX_HZ = 2_110;
const WINDOW = 2 * FRAME_SAMPLES;
/** The search starts in steps of the window's resolution, and halves them down to MIN_STEP_HZ. */
const STEP_HZ = LINE_RATE / WINDOW;
const MIN_STEP_HZ = 0.5;
/** Of a full-scale sine: −40 dB. */
const MIN_POWER = 0.5 * (32768 * 10 ** (-40 / 20)) ** 2;
/** The tone's share of all power: 9 dB above everything else together. */
const MIN_SHARE = 0.88;
/** Largest change of pitch and power (1.5 dB) of a steady tone from window to window. */
const STEADY_HZ = 8;
const STEADY_POWER = 10 ** (1.5 / 10);
/** Whole windows within a tone of 100 ms, wherever it starts. */
const MIN_TONE_WINDOWS = 3;
/** A longer tone is line noise or a fax. */
const MAX_DURATION_MS = 3_000;
/** A beep is followed by this many frames at least 8 dB below it. */
const QUIET_POWER = 10 ** (-8 / 10);
const QUIET_FRAMES = 3;
/** The tone has to fade within this many frames of its last steady window. */
const FADE_FRAMES = 3;
/** Ringing and busy tones of many countries are a single tone of about 425 Hz; a ringing tone lasts a second or more. */
const RINGING_BELOW_HZ = 500;
const RINGING_FROM_MS = 700;

const TURN = 2 * Math.PI;

/** Creates a detector for one stream. `onBeep` is called when a beep is over and followed by quiet, 60 ms after its end. */
export function createBeepDetector(onBeep: (beep: Beep) => void): BeepDetector {
  const window = new Float64Array(WINDOW);
  let toneWindows = 0;
  let hz = 0;
  let power = 0;
  /** Frames since the last steady window, and the quiet ones at their end. */
  let framesSinceTone = 0;
  let quietFrames = 0;
  /** Power and frequency of the strongest tone in the window. */
  let foundHz = 0;
  let foundPower = 0;

  /** Power of a sine of this frequency in the window (Goertzel). */
  function powerAt(frequency: number): number {
    const coefficient = 2 * Math.cos((TURN * frequency) / LINE_RATE);
    let last = 0;
    let before = 0;
    for (let i = 0; i < WINDOW; i++) {
      const now = window[i]! + coefficient * last - before;
      before = last;
      last = now;
    }
    return (2 * (last * last + before * before - coefficient * last * before)) / (WINDOW * WINDOW);
  }

  function findTone(): void {
    foundPower = 0;
    for (let frequency = MIN_HZ - STEP_HZ; frequency <= MAX_HZ + STEP_HZ; frequency += STEP_HZ) {
      const here = powerAt(frequency);
      if (here <= foundPower) continue;
      foundPower = here;
      foundHz = frequency;
    }
    for (let step = STEP_HZ / 2; step >= MIN_STEP_HZ; step /= 2) {
      const below = powerAt(foundHz - step);
      const above = powerAt(foundHz + step);
      const better = Math.max(below, above);
      if (better <= foundPower) continue;
      foundHz += above >= below ? step : -step;
      foundPower = better;
    }
  }

  /** Whether the window holds a single tone. */
  function isTone(): boolean {
    let total = 0;
    for (let i = 0; i < WINDOW; i++) total += window[i]! ** 2;
    total /= WINDOW;
    if (total < MIN_POWER) return false;
    findTone();
    return foundHz >= MIN_HZ && foundHz <= MAX_HZ && foundPower >= MIN_SHARE * total;
  }

  function framePower(): number {
    let sum = 0;
    for (let i = FRAME_SAMPLES; i < WINDOW; i++) sum += window[i]! ** 2;
    return sum / FRAME_SAMPLES;
  }

  function reset(): void {
    toneWindows = 0;
    framesSinceTone = 0;
    quietFrames = 0;
  }

  function isBeep(durationMs: number): boolean {
    if (toneWindows < MIN_TONE_WINDOWS || durationMs > MAX_DURATION_MS) return false;
    return hz >= RINGING_BELOW_HZ || durationMs < RINGING_FROM_MS;
  }

  function analyze(): void {
    if (isTone()) {
      const steady =
        framesSinceTone === 0 &&
        Math.abs(foundHz - hz) <= STEADY_HZ &&
        foundPower <= power * STEADY_POWER &&
        foundPower * STEADY_POWER >= power;
      if (toneWindows === 0 || !steady) reset();
      toneWindows++;
      hz = foundHz;
      power = foundPower;
      return;
    }
    if (toneWindows === 0) return;
    framesSinceTone++;
    quietFrames = framePower() <= power * QUIET_POWER ? quietFrames + 1 : 0;
    if (quietFrames >= QUIET_FRAMES) {
      // A window holds two frames, so n windows are n + 1 whole frames.
      const durationMs = (toneWindows + 1) * FRAME_MS;
      const beep = isBeep(durationMs) ? { hz: Math.round(hz), durationMs } : null;
      reset();
      if (beep) onBeep(beep);
    } else if (quietFrames === 0 && framesSinceTone > FADE_FRAMES) {
      reset();
    }
  }

  return {
    push(frame) {
      window.copyWithin(0, FRAME_SAMPLES);
      for (let i = 0; i < FRAME_SAMPLES; i++) window[FRAME_SAMPLES + i] = frame[i]!;
      analyze();
    },
  };
}
