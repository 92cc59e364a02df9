import type { AudioFormat } from '../audio/format.ts';

/** A header longer than this is treated as malformed. */
const MAX_HEADER_BYTES = 4096;
const PCM = 1;

export interface WavStream {
  /**
   * Takes the next bytes of a WAV stream and returns the audio in them: whole samples, often a view of the input.
   * Ignores the length in the header, because a program that writes to a pipe does not know it yet.
   * Throws Error for anything but WAV in the expected format.
   */
  push(bytes: Uint8Array): Uint8Array;
}

/** Reads mono 16-bit PCM at the given rate (RIFF/WAVE, `fmt ` and `data` chunks, others skipped). */
export function createWavStream(expected: AudioFormat): WavStream {
  let header: Buffer | null = Buffer.alloc(0);
  let formatSeen = false;
  let partial: Uint8Array | null = null;

  /** Returns the offset of the audio, or -1 when more bytes are needed. */
  function audioStart(bytes: Buffer): number {
    if (bytes.length < 12) return -1;
    if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
      throw new Error('not a WAV stream');
    }
    let at = 12;
    while (at + 8 <= bytes.length) {
      const name = bytes.toString('latin1', at, at + 4);
      const size = bytes.readUInt32LE(at + 4);
      if (name === 'data') {
        if (!formatSeen) throw new Error('WAV stream without a format');
        return at + 8;
      }
      if (name === 'fmt ') {
        if (at + 24 > bytes.length) return -1;
        checkFormat(bytes, at + 8);
        formatSeen = true;
      }
      at += 8 + size + (size % 2);
    }
    return -1;
  }

  function checkFormat(bytes: Buffer, at: number): void {
    const channels = bytes.readUInt16LE(at + 2);
    const rate = bytes.readUInt32LE(at + 4);
    const bits = bytes.readUInt16LE(at + 14);
    if (bytes.readUInt16LE(at) !== PCM || channels !== 1 || bits !== 16 || rate !== expected.sample_rate) {
      throw new Error(`WAV stream of ${channels} channels, ${bits} bits, ${rate} Hz`);
    }
  }

  function wholeSamples(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    const joined = partial ? Buffer.concat([partial, bytes]) : bytes;
    partial = joined.length % 2 === 1 ? joined.slice(joined.length - 1) : null;
    return partial ? joined.subarray(0, joined.length - 1) : joined;
  }

  return {
    push(bytes) {
      if (!header) return wholeSamples(bytes);
      header = Buffer.concat([header, bytes]);
      const start = audioStart(header);
      if (start < 0) {
        if (header.length > MAX_HEADER_BYTES) throw new Error('WAV header too long');
        return new Uint8Array(0);
      }
      const audio = header.subarray(start);
      header = null;
      return wholeSamples(audio);
    },
  };
}
