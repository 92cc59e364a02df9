/**
 * Does something vibrate in this sound, as in a voice? A cough is mostly breath: voice activity takes it for speech, and it
 * wants to say nothing. Pure.
 */

/** The pitch of voices on the telephone, from low men to children. */
const LOWEST_HZ = 65;
const HIGHEST_HZ = 400;
/** Pitch needs no higher rate, and at this one a window costs some 6000 multiplications. */
const PITCH_RATE = 4_000;
/** Fainter than this (-60 dBFS, mean square) nothing is said about it. */
const MIN_MEAN_SQUARE = 1e-6;

/**
 * 0 to 1: how much the sound repeats itself at the pitch of a voice, as the highest normalised autocorrelation at any lag
 * of it. A vowel is above 0.9, breath and hiss lie below 0.7, silence is 0. `window`: samples from -1 to 1 at a multiple of
 * 4000 Hz, 32 ms of them.
 */
export function periodicityOf(window: Float32Array, rateHz: number): number {
  const samples = decimate(window, rateHz / PITCH_RATE);
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy < MIN_MEAN_SQUARE * samples.length) return 0;
  const longest = Math.min(Math.floor(PITCH_RATE / LOWEST_HZ), samples.length >> 1);
  let best = 0;
  for (let lag = PITCH_RATE / HIGHEST_HZ; lag <= longest; lag++) best = Math.max(best, autocorrelation(samples, lag));
  return best;
}

/** Every `step` samples become their mean: a crude low pass, enough to look for pitch. */
function decimate(samples: Float32Array, step: number): Float32Array {
  const few = new Float32Array(Math.floor(samples.length / step));
  for (let at = 0; at < few.length; at++) {
    let sum = 0;
    for (let offset = 0; offset < step; offset++) sum += samples[at * step + offset]!;
    few[at] = sum / step;
  }
  return few;
}

function autocorrelation(samples: Float32Array, lag: number): number {
  let product = 0;
  let early = 0;
  let late = 0;
  for (let at = lag; at < samples.length; at++) {
    const now = samples[at]!;
    const before = samples[at - lag]!;
    product += now * before;
    early += before * before;
    late += now * now;
  }
  return early > 0 && late > 0 ? product / Math.sqrt(early * late) : 0;
}
