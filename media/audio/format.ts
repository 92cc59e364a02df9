/** How audio lies in bytes. Everything is mono; PCM is signed 16 bit, little endian. */
export interface AudioFormat {
  encoding: 'mulaw' | 'alaw' | 'pcm16';
  sample_rate: number;
}

export const MULAW_8K: AudioFormat = { encoding: 'mulaw', sample_rate: 8000 };
export const PCM_8K: AudioFormat = { encoding: 'pcm16', sample_rate: 8000 };
export const PCM_16K: AudioFormat = { encoding: 'pcm16', sample_rate: 16000 };

/** The engine's own raster: 20 ms of telephone sound, 160 samples at 8 kHz. */
export const FRAME_MS = 20;
export const FRAME_SAMPLES = 160;
export const LINE_RATE = 8000;

export function bytesPerSample(format: AudioFormat): number {
  return format.encoding === 'pcm16' ? 2 : 1;
}

export function sameFormat(a: AudioFormat, b: AudioFormat): boolean {
  return a.encoding === b.encoding && a.sample_rate === b.sample_rate;
}
