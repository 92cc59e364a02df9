/** Encoding and rate of audio bytes. All audio is mono; PCM is signed 16 bit, little endian. */
export interface AudioFormat {
  encoding: 'mulaw' | 'alaw' | 'pcm16';
  sample_rate: number;
}

export const MULAW_8K: AudioFormat = { encoding: 'mulaw', sample_rate: 8000 };
export const PCM_8K: AudioFormat = { encoding: 'pcm16', sample_rate: 8000 };
export const PCM_16K: AudioFormat = { encoding: 'pcm16', sample_rate: 16000 };

/** The engine's frame: 20 ms of telephone audio, 160 samples at 8 kHz. */
export const FRAME_MS = 20;
export const FRAME_SAMPLES = 160;
export const LINE_RATE = 8000;

export function bytesPerSample(format: AudioFormat): number {
  return format.encoding === 'pcm16' ? 2 : 1;
}

export function sameFormat(a: AudioFormat, b: AudioFormat): boolean {
  return a.encoding === b.encoding && a.sample_rate === b.sample_rate;
}

/** The byte of silence: G.711's positive zero (0xFF) in mu-law and smallest value (0xD5) in A-law, zeros in PCM. */
export function silenceByte(encoding: AudioFormat['encoding']): number {
  if (encoding === 'mulaw') return 0xff;
  if (encoding === 'alaw') return 0xd5;
  return 0;
}

/** Bytes of one 20 ms frame. Throws RangeError for a rate at which 20 ms is not a whole number of samples. */
export function frameBytes(format: AudioFormat): number {
  const samples = (format.sample_rate * FRAME_MS) / 1000;
  if (!Number.isInteger(samples) || samples <= 0) throw new RangeError(`no 20 ms frames at ${format.sample_rate} Hz`);
  return samples * bytesPerSample(format);
}
