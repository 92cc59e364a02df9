import { LINE_RATE } from './format.ts';

/**
 * DTMF: two tones at once, one of four rows and one of four columns (ITU-T Q.23). The detector keeps to ITU-T Q.24: a tone of
 * 40 ms is a digit and one of 20 ms is not; tones 1.5 % off are accepted and 3.5 % off are not; a pause of 40 ms separates two
 * presses and one of 10 ms does not; columns may be 4 dB louder or 8 dB softer than rows. To reject speech, both tones have to be
 * steady in frequency and hold nearly all of the power.
 */

export type DtmfDigit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '*' | '#' | 'A' | 'B' | 'C' | 'D';

const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1209, 1336, 1477, 1633];
/** Row by row. */
const KEYS = [...'123A456B789C*0#D'] as DtmfDigit[];
const TONES_HZ = [...ROWS_HZ, ...COLUMNS_HZ];

/** 20 ms under a Hann window are analyzed every 5 ms. */
const WINDOW = 160;
const STEP = 40;
/** Of a full-scale sine, for each of the two tones: −36 dB. A loud key is at about −10 dB. */
const MIN_AMPLITUDE = 32768 * 10 ** (-36 / 20);
/** Column against row, as power ratios: Q.24's +4 and −8 dB with a margin of 2 dB. */
const MAX_COLUMN_RATIO = 10 ** (6 / 10);
const MIN_COLUMN_RATIO = 10 ** (-10 / 10);
/** Q.24: 1.5 % (and 2 Hz) are accepted, 3.5 % rejected. */
const FREQUENCY_TOLERANCE = 0.025;
/** The two tones' share of the total power. */
const MIN_SHARE = 0.7;
/** Steps with the key until it is pressed, and without it until it is released. */
const STEPS_TO_PRESS = 5;
const STEPS_TO_RELEASE = 5;
/** A step below half of the press's amplitude so far holds only the edge of the tone. */
const EDGE = 0.5;
const NONE = -1;

const HANN = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW));
/** Response of a sine of amplitude 1 in its own bin: half the window's sum. */
const SINE_RESPONSE = WINDOW / 4;
/** Windowed power of a sine of amplitude 1: half the sum of the window's squares. */
const SINE_POWER = (WINDOW * 3) / 16;
const TURN = 2 * Math.PI;
/** Goertzel's coefficient per tone, and the tone's phase advance per sample and per step. */
const TONES = TONES_HZ.map((hz) => {
  const turn = (TURN * hz) / LINE_RATE;
  return { hz, coefficient: 2 * Math.cos(turn), cos: Math.cos(turn), sin: Math.sin(turn), stepTurn: turn * STEP };
});

export interface DtmfDetector {
  /** Takes the next samples of the caller's audio at 8 kHz, any number; calls `onDigit` from within. */
  push(samples: Int16Array): void;
  /** A key is pressed: true from `onDigit` until its tone is over. */
  readonly pressed: boolean;
}

/**
 * Creates a detector for one stream. `onDigit` is called once per press, about 40 ms after its tone started.
 */
export function createDtmfDetector(onDigit: (digit: DtmfDigit) => void): DtmfDetector {
  const window = new Float64Array(WINDOW);
  const windowed = new Float64Array(WINDOW);
  const power = new Float64Array(TONES.length);
  const phase = new Float64Array(TONES.length);
  const phaseBefore = new Float64Array(TONES.length);
  /** Samples since the last step. */
  let fresh = 0;
  // The key that may become pressed …
  let candidate = NONE;
  let steps = 0;
  let loudest = 0;
  // … and the pressed one, which may be the same.
  let pressed = NONE;
  let pressedLoudest = 0;
  let missed = 0;
  let amplitude = 0;

  /** Returns the key in the present window, or NONE; the amplitude of its softer tone is left in `amplitude`. */
  function detectKey(): number {
    let total = 0;
    for (let i = 0; i < WINDOW; i++) {
      const value = window[i]! * HANN[i]!;
      windowed[i] = value;
      total += value * value;
    }
    phaseBefore.set(phase);
    // Below the power of two tones at the smallest amplitude.
    if (total < 2 * SINE_POWER * MIN_AMPLITUDE ** 2) return NONE;
    for (let tone = 0; tone < TONES.length; tone++) transform(tone);

    const row = strongest(0);
    const column = strongest(4);
    const rowOff = offHz(row);
    const columnOff = offHz(column);
    if (Math.abs(rowOff) > FREQUENCY_TOLERANCE * TONES[row]!.hz) return NONE;
    if (Math.abs(columnOff) > FREQUENCY_TOLERANCE * TONES[column]!.hz) return NONE;
    const rowPower = power[row]! / response(rowOff) ** 2;
    const columnPower = power[column]! / response(columnOff) ** 2;
    if (columnPower > rowPower * MAX_COLUMN_RATIO || columnPower < rowPower * MIN_COLUMN_RATIO) return NONE;
    const softer = Math.min(rowPower, columnPower);
    if (softer < MIN_AMPLITUDE ** 2) return NONE;
    if ((rowPower + columnPower) * SINE_POWER < MIN_SHARE * total) return NONE;
    amplitude = Math.sqrt(softer);
    return row * 4 + column - 4;
  }

  /** Computes the tone's power as a squared amplitude, and its phase at the end of the window (Goertzel). */
  function transform(tone: number): void {
    const { coefficient, cos, sin } = TONES[tone]!;
    let last = 0;
    let before = 0;
    for (let i = 0; i < WINDOW; i++) {
      const now = windowed[i]! + coefficient * last - before;
      before = last;
      last = now;
    }
    const re = last - before * cos;
    const im = before * sin;
    power[tone] = (re * re + im * im) / SINE_RESPONSE ** 2;
    phase[tone] = Math.atan2(im, re);
  }

  function strongest(from: number): number {
    let best = from;
    for (let tone = from + 1; tone < from + 4; tone++) if (power[tone]! > power[best]!) best = tone;
    return best;
  }

  /** Frequency offset from the tone, from the phase difference since the last step. */
  function offHz(tone: number): number {
    const turned = phase[tone]! - phaseBefore[tone]! - TONES[tone]!.stepTurn;
    return ((turned - TURN * Math.round(turned / TURN)) * LINE_RATE) / (TURN * STEP);
  }

  function step(): void {
    const key = detectKey();
    if (pressed !== NONE) {
      if (key === pressed && amplitude >= EDGE * pressedLoudest) {
        missed = 0;
        pressedLoudest = Math.max(pressedLoudest, amplitude);
      } else if (++missed >= STEPS_TO_RELEASE) {
        pressed = NONE;
      }
    }
    if (key === NONE || key === pressed) {
      candidate = NONE;
      return;
    }
    if (key !== candidate || amplitude * EDGE > loudest) {
      candidate = key;
      steps = 0;
      loudest = 0;
    }
    if (amplitude < EDGE * loudest) return;
    loudest = Math.max(loudest, amplitude);
    if (++steps < STEPS_TO_PRESS) return;
    pressed = key;
    pressedLoudest = loudest;
    missed = 0;
    candidate = NONE;
    onDigit(KEYS[key]!);
  }

  return {
    push(samples) {
      for (let at = 0; at < samples.length; ) {
        const count = Math.min(STEP - fresh, samples.length - at);
        for (let i = 0; i < count; i++) window[WINDOW - STEP + fresh + i] = samples[at + i]!;
        at += count;
        fresh += count;
        if (fresh < STEP) return;
        step();
        window.copyWithin(0, STEP);
        fresh = 0;
      }
    },
    get pressed() {
      return pressed !== NONE;
    },
  };
}

/** Response of a Hann window to a sine that is `offHz` beside the bin's centre. */
function response(offHz: number): number {
  const bins = (offHz * WINDOW) / LINE_RATE;
  if (Math.abs(bins) < 1e-6) return 1;
  return Math.sin(Math.PI * bins) / (Math.PI * bins) / (1 - bins * bins);
}

export interface DtmfToneOptions {
  toneMs?: number;
  /** Silence after every tone. */
  pauseMs?: number;
  /** Of each tone, against a full-scale sine. */
  rowDb?: number;
  columnDb?: number;
}

/**
 * Generates digits as audio at 8 kHz, for a carrier without a message for them: 100 ms of tone and 100 ms of silence each by
 * default, columns 2 dB louder than rows because lines attenuate the higher tones more.
 */
export function dtmfSamples(digits: readonly DtmfDigit[], options: DtmfToneOptions = {}): Int16Array {
  const { toneMs = 100, pauseMs = 100, rowDb = -10, columnDb = -8 } = options;
  const tone = Math.round((toneMs * LINE_RATE) / 1000);
  const pause = Math.round((pauseMs * LINE_RATE) / 1000);
  const samples = new Int16Array(digits.length * (tone + pause));
  const rowAmplitude = 32767 * 10 ** (rowDb / 20);
  const columnAmplitude = 32767 * 10 ** (columnDb / 20);
  digits.forEach((digit, index) => {
    const key = KEYS.indexOf(digit);
    const rowTurn = (TURN * ROWS_HZ[key >> 2]!) / LINE_RATE;
    const columnTurn = (TURN * COLUMNS_HZ[key & 3]!) / LINE_RATE;
    const start = index * (tone + pause);
    for (let i = 0; i < tone; i++) {
      const value = Math.round(rowAmplitude * Math.sin(rowTurn * i) + columnAmplitude * Math.sin(columnTurn * i));
      samples[start + i] = Math.max(-32768, Math.min(32767, value));
    }
  });
  return samples;
}

export function isDtmfDigit(text: string): text is DtmfDigit {
  return (KEYS as string[]).includes(text);
}
