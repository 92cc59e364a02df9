/**
 * Tells voiced audio from unvoiced. A cough is mostly unvoiced, but the voice-activity model takes it for speech. Pure.
 */

/** The pitch of voices, from low men to children. */
const LOWEST_HZ = 65;
const HIGHEST_HZ = 400;
/** High enough for pitch; a window then costs about 6000 multiplications. */
const PITCH_RATE = 4_000;
/** Below this (-60 dBFS, mean square) the periodicity is 0. */
const MIN_MEAN_SQUARE = 1e-6;

/**
 * The highest normalized autocorrelation at any lag of a voice's pitch, 0 to 1. Vowels are above 0.9, breath and hiss below
 * 0.7, silence is 0. `window`: 32 ms of samples from -1 to 1, at a multiple of 4000 Hz.
 */
export function periodicityOf(window: Float32Array, rateHz: number): number {
  const samples = decimate(window, rateHz / PITCH_RATE);
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy < MIN_MEAN_SQUARE * samples.length) return 0;
  const maxLag = Math.min(Math.floor(PITCH_RATE / LOWEST_HZ), samples.length >> 1);
  let best = 0;
  for (let lag = PITCH_RATE / HIGHEST_HZ; lag <= maxLag; lag++) best = Math.max(best, autocorrelation(samples, lag));
  return best;
}

/** Averages every `step` samples: a crude low pass, sufficient for pitch. */
function decimate(samples: Float32Array, step: number): Float32Array {
  const decimated = new Float32Array(Math.floor(samples.length / step));
  for (let at = 0; at < decimated.length; at++) {
    let sum = 0;
    for (let offset = 0; offset < step; offset++) sum += samples[at * step + offset]!;
    decimated[at] = sum / step;
  }
  return decimated;
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
