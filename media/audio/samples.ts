import type { AudioFormat } from './format.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from './g711.ts';

/**
 * Converts whole frames between bytes and samples without state; for a stream that may be split anywhere, `converter.ts` keeps
 * the odd bytes. Both functions write into the caller's memory, return the number of items written, and throw
 * RangeError when the target is too small.
 */

/** Decodes bytes to samples; an odd last byte of PCM is ignored. */
export function readSamples(bytes: Uint8Array, encoding: AudioFormat['encoding'], target: Int16Array): number {
  if (encoding === 'mulaw') return decodeMulaw(bytes, target);
  if (encoding === 'alaw') return decodeAlaw(bytes, target);
  const count = bytes.length >> 1;
  if (target.length < count) throw new RangeError(`${count} samples do not fit into ${target.length}`);
  for (let i = 0; i < count; i++) target[i] = bytes[i * 2]! | (bytes[i * 2 + 1]! << 8);
  return count;
}

/** Encodes samples to bytes. */
export function writeSamples(samples: Int16Array, encoding: AudioFormat['encoding'], target: Uint8Array): number {
  if (encoding === 'mulaw') return encodeMulaw(samples, target);
  if (encoding === 'alaw') return encodeAlaw(samples, target);
  const count = samples.length * 2;
  if (target.length < count) throw new RangeError(`${count} bytes do not fit into ${target.length}`);
  for (let i = 0; i < samples.length; i++) {
    target[i * 2] = samples[i]! & 0xff;
    target[i * 2 + 1] = (samples[i]! >> 8) & 0xff;
  }
  return count;
}
