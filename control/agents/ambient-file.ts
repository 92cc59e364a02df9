import { UPLOADED_AMBIENT_SOUND_HZ } from '../../shared/ambient-sounds.ts';

/**
 * Decodes a background sound by its content, not by its file name, and makes the WAV file that is stored. Runs in a worker
 * thread (`ambient-decoder-worker.ts`): it computes for up to a second, and the MP3 decoder is third-party code.
 */

export const MIN_SECONDS = 1;
export const MAX_SECONDS = 120;
/** Bytes before the first sample of the stored file. */
const HEADER_BYTES = 44;

export type DecodedFile =
  | { type: 'decoded'; wav: Uint8Array<ArrayBuffer>; seconds: number }
  /** Neither WAV nor MP3, or an encoding of them that is not supported. */
  | { type: 'unknown' }
  /** Not between `MIN_SECONDS` and `MAX_SECONDS` long. */
  | { type: 'length' };

/** One channel, −1 to 1. */
interface MonoAudio {
  samples: Float32Array;
  rateHz: number;
}

export async function decodeAmbientFile(bytes: Uint8Array): Promise<DecodedFile> {
  const audio = readWavHeader(bytes) ? decodeWav(bytes) : looksLikeMp3(bytes) ? await decodeMp3(bytes) : 'unknown';
  if (typeof audio === 'string') return { type: audio };
  const { samples, rateHz } = audio;
  const seconds = samples.length / rateHz;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) return { type: 'length' };
  const resampled =
    rateHz === UPLOADED_AMBIENT_SOUND_HZ ? samples : resample(samples, rateHz, UPLOADED_AMBIENT_SOUND_HZ);
  return { type: 'decoded', wav: writeWav(resampled), seconds: resampled.length / UPLOADED_AMBIENT_SOUND_HZ };
}

const PCM = 1;
const FLOAT = 3;
const ALAW = 6;
const MULAW = 7;
const EXTENSIBLE = 0xfffe;

export interface WavHeader {
  encoding: number;
  channels: number;
  rateHz: number;
  bits: number;
  dataStart: number;
  dataBytes: number;
  seconds: number;
}

/** Reads format and position of the samples in a RIFF WAVE file; null when it is none. A length beyond the file ends with the file. */
export function readWavHeader(bytes: Uint8Array): WavHeader | null {
  if (bytes.length < 12 || chunkNameAt(bytes, 0) !== 'RIFF' || chunkNameAt(bytes, 8) !== 'WAVE') return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Omit<WavHeader, 'dataStart' | 'dataBytes' | 'seconds'> | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (chunkNameAt(bytes, at) === 'fmt ') {
      if (size < 16 || start + 16 > bytes.length) return null;
      const tag = view.getUint16(start, true);
      // The first two bytes of the extensible header's GUID are the encoding.
      const extended = tag === EXTENSIBLE && size >= 26 && start + 26 <= bytes.length;
      format = {
        encoding: extended ? view.getUint16(start + 24, true) : tag,
        channels: view.getUint16(start + 2, true),
        rateHz: view.getUint32(start + 4, true),
        bits: view.getUint16(start + 14, true),
      };
    } else if (chunkNameAt(bytes, at) === 'data' && format) {
      const dataBytes = Math.min(size, bytes.length - start);
      const seconds = dataBytes / ((format.bits / 8) * format.channels * format.rateHz);
      return { ...format, dataStart: start, dataBytes, seconds };
    }
    // Chunks are padded to an even length.
    at = start + size + (size % 2);
  }
  return null;
}

function decodeWav(bytes: Uint8Array): MonoAudio | 'unknown' | 'length' {
  const header = readWavHeader(bytes)!;
  const { channels, rateHz, bits, dataStart, dataBytes, seconds } = header;
  const sampleAt = sampleReader(bytes, header);
  if (!sampleAt || channels < 1 || channels > 8 || rateHz < 4_000 || rateHz > 192_000) return 'unknown';
  if (!(seconds <= MAX_SECONDS)) return 'length';
  const step = bits / 8;
  const samples = new Float32Array(Math.floor(dataBytes / (step * channels)));
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += sampleAt(dataStart + (i * channels + channel) * step);
    samples[i] = sum / channels;
  }
  return { samples, rateHz };
}

function sampleReader(bytes: Uint8Array, { encoding, bits }: WavHeader): ((at: number) => number) | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === PCM && bits === 8) return (at) => (bytes[at]! - 128) / 128;
  if (encoding === PCM && bits === 16) return (at) => view.getInt16(at, true) / 2 ** 15;
  if (encoding === PCM && bits === 24) return (at) => (view.getInt16(at + 1, true) * 256 + bytes[at]!) / 2 ** 23;
  if (encoding === PCM && bits === 32) return (at) => view.getInt32(at, true) / 2 ** 31;
  if (encoding === FLOAT && bits === 32) {
    return (at) => {
      const value = view.getFloat32(at, true);
      return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
    };
  }
  if (encoding === MULAW && bits === 8) return (at) => mulaw(bytes[at]!) / 2 ** 15;
  if (encoding === ALAW && bits === 8) return (at) => alaw(bytes[at]!) / 2 ** 15;
  return null;
}

/** ITU-T G.711. */
function mulaw(code: number): number {
  const inverted = ~code & 0xff;
  const size = (((inverted & 0x0f) << 3) + 0x84) << ((inverted >> 4) & 7);
  return inverted & 0x80 ? 0x84 - size : size - 0x84;
}

function alaw(code: number): number {
  const even = code ^ 0x55;
  const segment = (even >> 4) & 7;
  const step = ((even & 0x0f) << 4) + 8;
  const size = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return even & 0x80 ? size : -size;
}

/** A tag (ID3v2), or the head of a frame: eleven set bits, a layer, a bit rate and a sample rate that exist (ISO 11172-3). */
function looksLikeMp3(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  if (chunkNameAt(bytes, 0).startsWith('ID3')) return true;
  const [first, second, third] = bytes as unknown as [number, number, number];
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return false;
  return (second & 0x18) !== 0x08 && (second & 0x06) !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c;
}

/** Decoded at a time, so that decoding can stop when the sound gets too long. */
const MP3_CHUNK_BYTES = 32 * 1024;

async function decodeMp3(bytes: Uint8Array): Promise<MonoAudio | 'unknown' | 'length'> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const chunks: Float32Array[] = [];
    let [count, rateHz] = [0, 0];
    for (let at = 0; at < bytes.length; at += MP3_CHUNK_BYTES) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(bytes.subarray(at, at + MP3_CHUNK_BYTES));
      if (samplesDecoded === 0) continue;
      // A sound whose rate changes cannot be resampled as a whole.
      if (rateHz !== 0 && sampleRate !== rateHz) return 'unknown';
      rateHz = sampleRate;
      const [left, right = left] = channelData;
      chunks.push(left!.map((value, i) => (value + right![i]!) / 2));
      count += samplesDecoded;
      if (count > rateHz * MAX_SECONDS) return 'length';
    }
    if (count === 0) return 'unknown';
    const samples = new Float32Array(count);
    let at = 0;
    for (const chunk of chunks) {
      samples.set(chunk, at);
      at += chunk.length;
    }
    return { samples, rateHz };
  } finally {
    decoder.free();
  }
}

/** Zero crossings of the sinc on each side, in samples of the lower rate. */
const SINC_LOBES = 16;

/** Converts the sample rate of a whole sound: a sinc under a Hann window, cut off a little below half the lower rate. */
function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const cutoff = (Math.min(1, toHz / fromHz) * (SINC_LOBES - 1)) / SINC_LOBES;
  const half = Math.ceil(SINC_LOBES / Math.min(1, toHz / fromHz));
  const up = toHz / greatestCommonDivisor(fromHz, toHz);
  const down = fromHz / greatestCommonDivisor(fromHz, toHz);
  /** Filter coefficients by the position between two samples. */
  const rows = new Map<number, Float64Array>();
  const result = new Float32Array(Math.round((samples.length * toHz) / fromHz));
  for (let n = 0; n < result.length; n++) {
    const position = n * down;
    const whole = Math.floor(position / up);
    const phase = position % up;
    let row = rows.get(phase);
    if (!row) {
      row = sincCoefficients(phase / up, half, cutoff);
      rows.set(phase, row);
    }
    let sum = 0;
    const first = whole - half + 1;
    const from = Math.max(0, -first);
    const to = Math.min(row.length, samples.length - first);
    for (let k = from; k < to; k++) sum += row[k]! * samples[first + k]!;
    result[n] = sum;
  }
  return result;
}

function sincCoefficients(fraction: number, half: number, cutoff: number): Float64Array {
  const row = Float64Array.from({ length: half * 2 }, (_, k) => {
    const x = k - half + 1 - fraction;
    const angle = Math.PI * x * cutoff;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / half));
  });
  const sum = row.reduce((total, value) => total + value, 0);
  return row.map((value) => value / sum);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function writeWav(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => {
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  };
  name(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  name(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, UPLOADED_AMBIENT_SOUND_HZ, true);
  view.setUint32(28, UPLOADED_AMBIENT_SOUND_HZ * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  for (let i = 0; i < samples.length; i++) {
    const value = Math.round(samples[i]! * 32767);
    view.setInt16(HEADER_BYTES + i * 2, Math.max(-32768, Math.min(32767, value)), true);
  }
  return bytes;
}

function chunkNameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
