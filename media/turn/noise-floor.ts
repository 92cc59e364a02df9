/**
 * Estimates a line's noise floor, so that windows that hold nothing else need not go to the voice-activity model: those no
 * louder in any of four bands than what the model has called empty for half a second. It saves processor time; in doubt the
 * model is run, because a mistake costs a word.
 *
 * The bands come from three sums over the window: x[n] + x[n - 1] keeps low frequencies, x[n] - x[n - 1] high ones,
 * x[n] - x[n - 2] those around 2 kHz, x[n] + x[n - 2] those below and above. A voice shows above a hum, and an "s" above a
 * rumble, where the total level would hide both.
 */

export const BANDS = 4;
/** Consecutive similar windows called empty by the model that set the noise floor: half a second. */
const LEARN_WINDOWS = 16;
/** Consecutive empty windows after speech until the floor is used again. */
const RELEARN_WINDOWS = 6;
/** Well below any threshold of `speech-state.ts` (0.2). */
const EMPTY_PROBABILITY = 0.1;
/** Similar: within 4 dB. */
const SIMILAR_RATIO = 2.5;
/** A window this much above the floor in a band (1.9 dB) is run. White noise stays below it in 99.9 % of windows. */
const LOUDER_RATIO = 1.55;
/** Windows that are run in any case after a louder one: a voice may swell. */
const HOLD_WINDOWS = 6;
/** One of so many windows is run in any case: the model may detect what no band shows. */
const MODEL_CHECK_EVERY = 8;
/** Weight of a window in the floor. */
const SMOOTHING = 1 / 12;
/** A window this far below (-2 dB) lowers the floor. */
const SOFTER_RATIO = 0.63;

/** `noise`: the window holds only noise. `recheck`: it seems to, and is run nevertheless. `louder`: it holds more, or the floor is unknown. */
export type NoiseCheck = 'noise' | 'recheck' | 'louder';

export interface NoiseFloor {
  /** To be called for every window, once. */
  check(powers: Float64Array): NoiseCheck;
  /** To be called with the model's result for a window. */
  update(powers: Float64Array, probability: number): void;
}

export function createNoiseFloor(): NoiseFloor {
  const noise = new Float64Array(BANDS);
  let known = false;
  /** Consecutive windows that the model called empty, not counting those that were not run. */
  let empty = 0;
  /** Consecutive empty windows that were louder than the floor, and their mean: the next floor when they continue. */
  let louder = 0;
  const louderNoise = new Float64Array(BANDS);
  let hold = 0;
  let skipped = 0;

  function exceeds(powers: Float64Array): boolean {
    for (let band = 0; band < BANDS; band++) if (powers[band]! > noise[band]! * LOUDER_RATIO) return true;
    return false;
  }

  function isSimilar(powers: Float64Array, others: Float64Array): boolean {
    for (let band = 0; band < BANDS; band++) {
      if (powers[band]! * SIMILAR_RATIO < others[band]! || powers[band]! > others[band]! * SIMILAR_RATIO) return false;
    }
    return true;
  }

  function smooth(estimate: Float64Array, powers: Float64Array, weight: number): void {
    for (let band = 0; band < BANDS; band++) estimate[band]! += (powers[band]! - estimate[band]!) * weight;
  }

  function learn(powers: Float64Array): void {
    if (louder > 0 && !isSimilar(powers, louderNoise)) louder = 0;
    smooth(louderNoise, powers, 1 / ++louder);
    if (louder < LEARN_WINDOWS) return;
    noise.set(louderNoise);
    known = true;
    louder = 0;
    hold = 0;
  }

  /** Lowers the floor. It rises only by windows the model has run, so that a voice that grows slowly never becomes part of it. */
  function lower(powers: Float64Array): void {
    for (let band = 0; band < BANDS; band++) {
      const power = powers[band]!;
      if (power < noise[band]! * SOFTER_RATIO) noise[band]! += (power - noise[band]!) * SMOOTHING;
    }
  }

  return {
    check(powers) {
      if (!known) return 'louder';
      if (exceeds(powers)) {
        hold = HOLD_WINDOWS;
        return 'louder';
      }
      if (hold > 0) hold--;
      else if (empty >= RELEARN_WINDOWS && skipped < MODEL_CHECK_EVERY - 1) {
        skipped++;
        lower(powers);
        return 'noise';
      }
      return 'recheck';
    },
    update(powers, probability) {
      skipped = 0;
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
      smooth(noise, powers, SMOOTHING);
    },
  };
}

/**
 * Returns the mean power of a window, full scale being 1, and writes the power in its bands to `powers`. `step`: samples per
 * 0.125 ms, so that the bands lie where those of 8 kHz do at every rate.
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
