import { type AudioFormat, FRAME_SAMPLES } from './format.ts';
import { readSamples, writeSamples } from './samples.ts';

/**
 * Adds `background` to `samples` into `target` (which may be either of them), clipped to 16 bits. All three have one length,
 * else RangeError.
 */
export function mix(samples: Int16Array, background: Int16Array, target: Int16Array): void {
  const count = samples.length;
  if (background.length !== count || target.length !== count) {
    throw new RangeError(`cannot mix ${count} samples with ${background.length} into ${target.length}`);
  }
  for (let i = 0; i < count; i++) {
    const sum = samples[i]! + background[i]!;
    target[i] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
  }
}

/** Working memory of `mixIntoFrame`, used only within a call. */
let decoded = new Int16Array(FRAME_SAMPLES);

/**
 * Adds `background` to an encoded frame into `target` (which may be the frame). The frame holds as many
 * samples as the background, and the target as many bytes as the frame, else RangeError.
 */
export function mixIntoFrame(
  frame: Uint8Array,
  encoding: AudioFormat['encoding'],
  background: Int16Array,
  target: Uint8Array,
): void {
  if (decoded.length !== background.length) decoded = new Int16Array(background.length);
  const bytes = encoding === 'pcm16' ? background.length * 2 : background.length;
  if (frame.length !== bytes || target.length !== bytes) {
    throw new RangeError(`cannot mix ${background.length} samples with ${frame.length} bytes into ${target.length}`);
  }
  readSamples(frame, encoding, decoded);
  mix(decoded, background, decoded);
  writeSamples(decoded, encoding, target);
}
