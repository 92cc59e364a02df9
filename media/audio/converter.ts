import { type AudioFormat, sameFormat } from './format.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from './g711.ts';
import { createResampler, type Resampler } from './resample.ts';

export interface Converter {
  readonly from: AudioFormat;
  readonly to: AudioFormat;
  /**
   * Converts the next bytes of the stream, of any length, to whole samples. The result is valid until the next call; between
   * equal formats it may be the given array itself.
   */
  convert(bytes: Uint8Array): Uint8Array;
  /** Returns what the filter still holds, without an odd last byte, and resets the converter. */
  flush(): Uint8Array;
}

const NOTHING = new Uint8Array(0);

/**
 * Creates a converter for one direction of one stream; it keeps an odd byte of PCM and the filter's history between calls.
 * Memory grows with the largest input. Throws RangeError for a pair of rates that cannot be converted.
 */
export function createConverter(from: AudioFormat, to: AudioFormat): Converter {
  const identity = sameFormat(from, to);
  const resampler = from.sample_rate === to.sample_rate ? null : createResampler(from.sample_rate, to.sample_rate);
  const pcmIn = from.encoding === 'pcm16';
  let carry = -1;
  let input = new Int16Array(0);
  let resampled = new Int16Array(0);
  let output = new Uint8Array(0);

  /** Bytes to samples in `input`. */
  function decode(bytes: Uint8Array): Int16Array {
    const count = pcmIn ? (bytes.length + (carry < 0 ? 0 : 1)) >> 1 : bytes.length;
    if (input.length < count) input = new Int16Array(count);
    if (from.encoding === 'mulaw') decodeMulaw(bytes, input);
    else if (from.encoding === 'alaw') decodeAlaw(bytes, input);
    else {
      let at = 0;
      let sample = 0;
      if (carry >= 0 && bytes.length > 0) {
        input[sample++] = carry | (bytes[at++]! << 8);
        carry = -1;
      }
      for (; at + 1 < bytes.length; at += 2) input[sample++] = bytes[at]! | (bytes[at + 1]! << 8);
      if (at < bytes.length) carry = bytes[at]!;
    }
    return input.length === count ? input : input.subarray(0, count);
  }

  function encode(samples: Int16Array): Uint8Array {
    const size = to.encoding === 'pcm16' ? samples.length * 2 : samples.length;
    if (output.length < size) output = new Uint8Array(size);
    if (to.encoding === 'mulaw') encodeMulaw(samples, output);
    else if (to.encoding === 'alaw') encodeAlaw(samples, output);
    else {
      for (let i = 0, at = 0; i < samples.length; i++) {
        const sample = samples[i]!;
        output[at++] = sample & 0xff;
        output[at++] = (sample >> 8) & 0xff;
      }
    }
    return output.subarray(0, size);
  }

  function makeRoom(forResampler: Resampler, inputSamples: number): void {
    const capacity = forResampler.maxOutput(inputSamples);
    if (resampled.length < capacity) resampled = new Int16Array(capacity);
  }

  return {
    from,
    to,
    convert(bytes) {
      if (identity && (!pcmIn || (carry < 0 && bytes.length % 2 === 0))) return bytes;
      const samples = decode(bytes);
      if (!resampler) return encode(samples);
      makeRoom(resampler, samples.length);
      return encode(resampled.subarray(0, resampler.process(samples, resampled)));
    },
    flush() {
      carry = -1;
      if (!resampler) return NOTHING;
      makeRoom(resampler, Math.ceil((resampler.delayMs * resampler.fromHz) / 1_000));
      return encode(resampled.subarray(0, resampler.flush(resampled)));
    },
  };
}
