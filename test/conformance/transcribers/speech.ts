import { type SpokenFormat, speechLike } from '../../../fixtures/simulators/speech-like.ts';

/** What every simulated transcriber recognizes. */
export const TEXT = 'book a table';
export const WORDS = ['book', 'table'];

/** Returns 600 ms of speech and a second of silence, in frames of 20 ms. */
export function speechFrames(format: SpokenFormat, rate: number): Uint8Array[] {
  const [bytesPerSample, silent] = format === 'pcm' ? [2, 0] : [1, 0xff];
  const silence = Buffer.alloc(rate * bytesPerSample, silent);
  const audio = Buffer.concat([speechLike('bookatable', format, rate, 60).bytes, silence]);
  const frame = (rate / 50) * bytesPerSample;
  return Array.from({ length: Math.floor(audio.length / frame) }, (_, i) => audio.subarray(i * frame, (i + 1) * frame));
}
