/**
 * Judges by its level alone how likely a window holds speech, for the time in which the voice-activity model does not run. Pure. It
 * takes coughs and slammed doors for speech, which the periodicity (`voicing.ts`) tells from it, and misses soft speech in noise.
 */

/** Below this level (-50 dBFS, mean square) a window is no speech. */
const MIN_MEAN_SQUARE = 1e-5;
/** Speech is this far above the line's noise (12 dB) … */
const SPEECH_RATIO = 16;
/** … and may go on this far above it (6 dB). */
const POSSIBLE_RATIO = 4;
/** The estimate of the noise follows a softer window by half, and rises by 2.5 dB in a second at most. */
const FALL = 0.5;
const RISE = 1.0186;
/** Probabilities as the model gives them: surely speech, its doubtful end, none (`speech-state.ts`). */
const SPEECH = 0.9;
const DOUBTFUL = 0.4;
const NONE = 0.02;

export interface EnergyState {
  /** The line's noise, mean square with full scale at 1. */
  noise: number;
  speaking: boolean;
}

export function newEnergyState(): EnergyState {
  return { noise: MIN_MEAN_SQUARE, speaking: false };
}

/** Follows the line's noise; for every window of 32 ms, in order, whether the model runs or not. `power`: its mean square. */
export function followNoise(state: EnergyState, power: number): void {
  state.noise = power < state.noise ? state.noise + (power - state.noise) * FALL : Math.min(power, state.noise * RISE);
}

/** The probability that a window of this level, which `followNoise` knows already, is speech. */
export function speechByEnergy(state: EnergyState, power: number): number {
  const above = power < MIN_MEAN_SQUARE ? 0 : power / Math.max(state.noise, MIN_MEAN_SQUARE / SPEECH_RATIO);
  if (above >= SPEECH_RATIO) state.speaking = true;
  else if (above < POSSIBLE_RATIO) state.speaking = false;
  if (!state.speaking) return NONE;
  return above >= SPEECH_RATIO ? SPEECH : DOUBTFUL;
}
