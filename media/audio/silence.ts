import { type AudioFormat, bytesPerSample, FRAME_MS } from './format.ts';

/** The byte that silence is made of: ITU-T G.711 sends its positive zero (0xFF) or smallest value (0xD5), PCM zeros. */
export function silenceByte(encoding: AudioFormat['encoding']): number {
  if (encoding === 'mulaw') return 0xff;
  if (encoding === 'alaw') return 0xd5;
  return 0;
}

/** Bytes of one 20 ms frame. Throws RangeError for a rate at which 20 ms is no whole number of samples. */
export function frameBytes(format: AudioFormat): number {
  const samples = (format.sample_rate * FRAME_MS) / 1000;
  if (!Number.isInteger(samples) || samples <= 0) throw new RangeError(`no 20 ms frames at ${format.sample_rate} Hz`);
  return samples * bytesPerSample(format);
}
