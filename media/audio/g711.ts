/**
 * G.711 by lookup tables, after ITU-T Recommendation G.711 (11/88), tables 1a/1b (A-law) and 2a/2b (mu-law), with even bits
 * of A-law inverted as sent on the line. Samples are the recommendation's values scaled to 16 bits: mu-law (14 bit)
 * by 4, A-law (13 bit) by 8. All functions write into the caller's target and return how many items they wrote;
 * they throw RangeError when the target is too small.
 */

const MULAW_BIAS = 132;
/** The largest magnitude with a mu-law interval of its own; larger ones are clipped. */
const MULAW_CLIP = 32635;

const MULAW_TO_PCM = new Int16Array(256);
const ALAW_TO_PCM = new Int16Array(256);
/** Indexed by the sample's 16 bits as an unsigned number. */
const PCM_TO_MULAW = new Uint8Array(65536);
const PCM_TO_ALAW = new Uint8Array(65536);

for (let code = 0; code < 256; code++) {
  MULAW_TO_PCM[code] = expandMulaw(code);
  ALAW_TO_PCM[code] = expandAlaw(code);
}
for (let bits = 0; bits < 65536; bits++) {
  const sample = (bits << 16) >> 16;
  PCM_TO_MULAW[bits] = compressMulaw(sample);
  PCM_TO_ALAW[bits] = compressAlaw(sample);
}

export function decodeMulaw(bytes: Uint8Array, target: Int16Array): number {
  return decode(MULAW_TO_PCM, bytes, target);
}

export function encodeMulaw(samples: Int16Array, target: Uint8Array): number {
  return encode(PCM_TO_MULAW, samples, target);
}

export function decodeAlaw(bytes: Uint8Array, target: Int16Array): number {
  return decode(ALAW_TO_PCM, bytes, target);
}

export function encodeAlaw(samples: Int16Array, target: Uint8Array): number {
  return encode(PCM_TO_ALAW, samples, target);
}

function decode(table: Int16Array, bytes: Uint8Array, target: Int16Array): number {
  const count = bytes.length;
  if (target.length < count) throw new RangeError(`${count} samples do not fit into ${target.length}`);
  for (let i = 0; i < count; i++) target[i] = table[bytes[i]!]!;
  return count;
}

function encode(table: Uint8Array, samples: Int16Array, target: Uint8Array): number {
  const count = samples.length;
  if (target.length < count) throw new RangeError(`${count} bytes do not fit into ${target.length}`);
  for (let i = 0; i < count; i++) target[i] = table[samples[i]! & 0xffff]!;
  return count;
}

function expandMulaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + MULAW_BIAS) << ((bits & 0x70) >> 4)) - MULAW_BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

function compressMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), MULAW_CLIP) + MULAW_BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

function expandAlaw(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits & 0x70) >> 4;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

function compressAlaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32767);
  const segment = Math.max(0, 24 - Math.clz32(magnitude));
  const step = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55;
}
