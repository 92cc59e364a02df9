import { WAV_HEADER_BYTES, wavHeader } from '../../shared/recordings/wav-header.ts';
import { decodeAlaw, decodeMulaw } from './g711.ts';

const PCM = 1;
const ALAW = 6;
const MULAW = 7;
const EXTENSIBLE = 0xfffe;

export interface Wav {
  sampleRateHz: number;
  /** One array per channel, left first; all of one length. */
  channels: Int16Array[];
}

export type WavResult = { type: 'wav'; wav: Wav } | { type: 'invalid'; why: string };

/** Encodes a PCM16 file of one or two channels; the shorter one is padded with silence. */
export function encodeWav(sampleRateHz: number, left: Int16Array, right?: Int16Array): Uint8Array {
  const count = Math.max(left.length, right?.length ?? 0);
  const channels = right ? 2 : 1;
  const bytes = new Uint8Array(WAV_HEADER_BYTES + count * channels * 2);
  bytes.set(wavHeader(sampleRateHz, channels, count * channels * 2));
  const view = new DataView(bytes.buffer, WAV_HEADER_BYTES);
  for (let i = 0; i < count; i++) {
    view.setInt16(i * channels * 2, left[i] ?? 0, true);
    if (right) view.setInt16(i * 4 + 2, right[i] ?? 0, true);
  }
  return bytes;
}

/**
 * Parses mono or stereo WAV: PCM16, mu-law or A-law, plain or "extensible" header, with any other chunks. A data
 * chunk longer than the file (as streaming writers leave it) ends with the file. Never throws.
 */
export function readWav(bytes: Uint8Array): WavResult {
  if (bytes.length < 12) return invalid('shorter than a RIFF header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (readName(bytes, 0) !== 'RIFF' || readName(bytes, 8) !== 'WAVE') return invalid('not a RIFF WAVE file');

  let format: { encoding: number; channels: number; sampleRateHz: number; bits: number } | null = null;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = readName(bytes, at);
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (name === 'fmt ') {
      if (size < 16 || start + 16 > bytes.length) return invalid('the fmt chunk is too short');
      let encoding = view.getUint16(start, true);
      // The first two bytes of the extensible header's GUID are the encoding.
      if (encoding === EXTENSIBLE && size >= 26 && start + 26 <= bytes.length)
        encoding = view.getUint16(start + 24, true);
      format = {
        encoding,
        channels: view.getUint16(start + 2, true),
        sampleRateHz: view.getUint32(start + 4, true),
        bits: view.getUint16(start + 14, true),
      };
    } else if (name === 'data') {
      if (!format) return invalid('the data comes before its format');
      const { encoding, channels, sampleRateHz, bits } = format;
      if (channels !== 1 && channels !== 2) return invalid(`${channels} channels`);
      if (sampleRateHz < 1000 || sampleRateHz > 384000) return invalid(`a rate of ${sampleRateHz} Hz`);
      const data = bytes.subarray(start, Math.min(bytes.length, start + size));
      const samples = decodeSamples(data, encoding, bits);
      if (!samples) return invalid(`encoding ${encoding} with ${bits} bits`);
      return { type: 'wav', wav: { sampleRateHz, channels: deinterleave(samples, channels) } };
    }
    // Chunks are padded to an even length.
    at = start + size + (size % 2);
  }
  return invalid('no data chunk');
}

function decodeSamples(data: Uint8Array, encoding: number, bits: number): Int16Array | null {
  if (encoding === PCM && bits === 16) {
    const samples = new Int16Array(data.length >> 1);
    for (let i = 0; i < samples.length; i++) samples[i] = data[i * 2]! | (data[i * 2 + 1]! << 8);
    return samples;
  }
  if ((encoding === MULAW || encoding === ALAW) && bits === 8) {
    const samples = new Int16Array(data.length);
    (encoding === MULAW ? decodeMulaw : decodeAlaw)(data, samples);
    return samples;
  }
  return null;
}

function deinterleave(samples: Int16Array, channels: number): Int16Array[] {
  if (channels === 1) return [samples];
  const count = samples.length >> 1;
  const left = new Int16Array(count);
  const right = new Int16Array(count);
  for (let i = 0; i < count; i++) {
    left[i] = samples[i * 2]!;
    right[i] = samples[i * 2 + 1]!;
  }
  return [left, right];
}

function invalid(why: string): WavResult {
  return { type: 'invalid', why };
}

function readName(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
}
