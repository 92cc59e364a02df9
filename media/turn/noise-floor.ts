/**
 * A line that carries nothing but its own noise. The voice-activity model is asked about every window while anything may be
 * going on; a line that the model has called empty for half a second, and whose sound is no louder than then in any of four
 * bands, need not be asked about. In doubt the model is asked: what is gained is processor time, what could be lost is a word.
 *
 * The bands come from three sums over the window. With x[n - 1] added the low frequencies are left, subtracted the high
 * ones; with x[n - 2] subtracted what lies around 2 kHz, added what lies below and above. So a voice under a hum shows
 * above it, and an "s" under a rumble; the level of the whole would hide both.
 */

export const BANDS = 4;
/** As many windows in a row, alike and called empty by the model, make known what the line's noise is, or is now: half a second. */
const LEARN_WINDOWS = 16;
/** After somebody spoke so many empty ones do: the noise is known. */
const RELEARN_WINDOWS = 6;
/** Well below what anybody acts upon (`STIRS` of `speech.ts`, 0.2). */
const EMPTY_PROBABILITY = 0.1;
/** Alike: within 4 dB. */
const SIMILAR_RATIO = 2.5;
/** A window this much above the noise of a band (1.9 dB) is for the model. White noise stays below it in 99.9 % of windows … */
const LOUDER_RATIO = 1.55;
/** … and after it the model is asked about so many in any case: a voice may swell. */
const HOLD_WINDOWS = 6;
/** Every so many windows the model is asked all the same: it may hear what no band shows. */
const MODEL_CHECK_EVERY = 8;
/** How much of a window that is no louder goes into what is known of the noise. */
const SMOOTHING = 1 / 12;
/** A window this far below (-2 dB) says that the noise has become less. */
const SOFTER_RATIO = 0.63;

/** `calm`: the window holds the line's noise and nothing else. `as before`: so it seems, the model is asked all the same. */
export type NoiseCheck = 'calm' | 'as before' | 'new';

export interface NoiseFloor {
  /** Told of every window, once. */
  check(powers: Float64Array): NoiseCheck;
  /** What the model said of a window. */
  update(powers: Float64Array, probability: number): void;
}

export function createNoiseFloor(): NoiseFloor {
  const noise = new Float64Array(BANDS);
  let known = false;
  /** Windows in a row that the model called empty, those aside that it was not asked about. */
  let empty = 0;
  /** Empty windows in a row that were louder than the noise, and their mean: it has changed, when they go on. */
  let louder = 0;
  const louderNoise = new Float64Array(BANDS);
  let doubtful = 0;
  let unasked = 0;

  function exceeds(powers: Float64Array): boolean {
    for (let band = 0; band < BANDS; band++) if (powers[band]! > noise[band]! * LOUDER_RATIO) return true;
    return false;
  }

  function isAlike(powers: Float64Array, others: Float64Array): boolean {
    for (let band = 0; band < BANDS; band++) {
      if (powers[band]! * SIMILAR_RATIO < others[band]! || powers[band]! > others[band]! * SIMILAR_RATIO) return false;
    }
    return true;
  }

  function follow(known: Float64Array, powers: Float64Array, share: number): void {
    for (let band = 0; band < BANDS; band++) known[band]! += (powers[band]! - known[band]!) * share;
  }

  function learn(powers: Float64Array): void {
    if (louder > 0 && !isAlike(powers, louderNoise)) louder = 0;
    follow(louderNoise, powers, 1 / ++louder);
    if (louder < LEARN_WINDOWS) return;
    noise.set(louderNoise);
    known = true;
    louder = 0;
    doubtful = 0;
  }

  /** Only downwards: upwards the noise is followed by what the model has judged, so that no voice can pass for it by growing. */
  function sink(powers: Float64Array): void {
    for (let band = 0; band < BANDS; band++) {
      const power = powers[band]!;
      if (power < noise[band]! * SOFTER_RATIO) noise[band]! += (power - noise[band]!) * SMOOTHING;
    }
  }

  return {
    check(powers) {
      if (!known) return 'new';
      if (exceeds(powers)) {
        doubtful = HOLD_WINDOWS;
        return 'new';
      }
      if (doubtful > 0) doubtful--;
      else if (empty >= RELEARN_WINDOWS && unasked < MODEL_CHECK_EVERY - 1) {
        unasked++;
        sink(powers);
        return 'calm';
      }
      return 'as before';
    },
    update(powers, probability) {
      unasked = 0;
      if (probability >= EMPTY_PROBABILITY) {
        empty = 0;
        louder = 0;
        return;
      }
      empty++;
      if (!known || exceeds(powers)) {
        learn(powers);
        return;
      }
      louder = 0;
      follow(noise, powers, SMOOTHING);
    },
  };
}

/**
 * The mean power of a window's samples, full scale being 1, and into `powers` the power in its bands. `step`: samples of an
 * eighth of a millisecond, so that the bands of every rate lie where those of 8 kHz do.
 */
export function bandPowers(window: Int16Array, step: number, powers: Float64Array): number {
  const first = 2 * step;
  let square = 0;
  let one = 0;
  let two = 0;
  for (let at = first; at < window.length; at++) {
    const sample = window[at]!;
    square += sample * sample;
    one += sample * window[at - step]!;
    two += sample * window[at - first]!;
  }
  const scale = 1 / ((window.length - first) * 32768 * 32768);
  powers[0] = (square + one) * scale;
  powers[1] = (square - one) * scale;
  powers[2] = (square - two) * scale;
  powers[3] = (square + two) * scale;
  return square * scale;
}
