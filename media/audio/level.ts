/** The level of digital silence; one step of 16 bits is -90.3 dBFS. */
export const SILENCE_DBFS = -100;

/** The mean of the squared samples, full scale being 1. An empty frame is silent. */
export function meanSquare(samples: Int16Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    sum += sample * sample;
  }
  return sum / samples.length / (32768 * 32768);
}

/** Root mean square, full scale being 1. */
export function rms(samples: Int16Array): number {
  return Math.sqrt(meanSquare(samples));
}

/** Decibels against a full-scale square wave: a full-scale sine is -3 dBFS. Never below SILENCE_DBFS. */
export function dbfs(samples: Int16Array): number {
  return Math.max(SILENCE_DBFS, 10 * Math.log10(meanSquare(samples)));
}
