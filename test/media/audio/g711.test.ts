import { expect, test } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../media/audio/g711.ts';

const CODES = Uint8Array.from({ length: 256 }, (_, code) => code);
const ALL = Int16Array.from({ length: 65536 }, (_, i) => i - 32768);

function expand(decode: typeof decodeMulaw, ...codes: number[]): number[] {
  const target = new Int16Array(codes.length);
  decode(Uint8Array.from(codes), target);
  return Array.from(target);
}

function compress(encode: typeof encodeMulaw, ...samples: number[]): number[] {
  const target = new Uint8Array(samples.length);
  encode(Int16Array.from(samples), target);
  return Array.from(target);
}

test('mu-law expands to the values of the recommendation', () => {
  // Tables 2a and 2b, times four: 0, 8031, -8031, 0, 3999, 495, 231, 99, 33, 2.
  expect(expand(decodeMulaw, 0xff, 0x80, 0x00, 0x7f, 0x90, 0xbf, 0xcf, 0xdf, 0xef, 0xfe)).toEqual([
    0, 32124, -32124, 0, 15996, 1980, 924, 396, 132, 8,
  ]);
});

test('A-law expands to the values of the recommendation', () => {
  // Table 1a/1b, times eight, with the even bits inverted: 1, 4032, 2016 and their negatives.
  expect(expand(decodeAlaw, 0xd5, 0x55, 0xaa, 0x2a, 0xba)).toEqual([8, -8, 32256, -32256, 16128]);
});

test('every code survives decoding and encoding', () => {
  const samples = new Int16Array(256);
  const back = new Uint8Array(256);
  decodeAlaw(CODES, samples);
  encodeAlaw(samples, back);
  expect(back).toEqual(CODES);
  decodeMulaw(CODES, samples);
  encodeMulaw(samples, back);
  // mu-law has two zeros; the positive one is sent.
  expect(back).toEqual(CODES.with(0x7f, 0xff));
});

test('the intervals begin at the decision values of the recommendation', () => {
  // Mu-law 1, 3, 31, 35, 95, 4063 times four; A-law 2, 64, 128, 2048 times eight: the last of one, the first of the next.
  expect(compress(encodeMulaw, 3, 4, 11, 12, 123, 124, 139, 140, 379, 380, 16251, 16252)).toEqual([
    0xff, 0xfe, 0xfe, 0xfd, 0xf0, 0xef, 0xef, 0xee, 0xe0, 0xdf, 0x90, 0x8f,
  ]);
  expect(compress(encodeAlaw, 0, 15, 16, 511, 512, 1023, 1024, 16383, 16384)).toEqual(
    [0x80, 0x80, 0x81, 0x9f, 0xa0, 0xaf, 0xb0, 0xef, 0xf0].map((code) => code ^ 0x55),
  );
});

test.each([
  ['mu-law', encodeMulaw, decodeMulaw, 4, 132],
  ['A-law', encodeAlaw, decodeAlaw, 8, 0],
] as const)('%s: louder never decodes to softer, and no sample is off by more than half a step', (...row) => {
  const [, encode, decode, halfStep, bias] = row;
  const codes = new Uint8Array(65536);
  const decoded = new Int16Array(65536);
  encode(ALL, codes);
  decode(codes, decoded);
  let falls = 0;
  let worse = 0;
  for (let i = 0; i < 65536; i++) {
    if (i > 0 && decoded[i]! < decoded[i - 1]!) falls++;
    const magnitude = Math.abs(decoded[i]!) + bias;
    const allowed = halfStep * 2 ** Math.max(0, Math.floor(Math.log2(magnitude)) - (bias ? 7 : 8));
    const clipped = Math.abs(ALL[i]!) > 32635;
    if (!clipped && Math.abs(decoded[i]! - ALL[i]!) > allowed) worse++;
  }
  expect({ falls, worse }).toEqual({ falls: 0, worse: 0 });
});

test('the loudest samples are clipped, not wrapped', () => {
  expect(compress(encodeMulaw, 32767, -32768)).toEqual([0x80, 0x00]);
  expect(compress(encodeAlaw, 32767, -32768)).toEqual([0xaa, 0x2a]);
});

test('a target too small is refused', () => {
  expect(() => decodeMulaw(CODES, new Int16Array(255))).toThrow(RangeError);
  expect(() => encodeAlaw(ALL, new Uint8Array(1))).toThrow(RangeError);
});
