import { expect, test } from 'vitest';
import { createConverter } from '../../../media/audio/converter.ts';
import { type AudioFormat, bytesPerSample, MULAW_8K, PCM_8K, PCM_16K } from '../../../media/audio/format.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { decibels, noise, pcmBytes, pcmSamples, strength, tone } from './signals.ts';

function convert(from: AudioFormat, to: AudioFormat, bytes: Uint8Array, chunk?: () => number): Uint8Array {
  const converter = createConverter(from, to);
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const count = chunk ? chunk() : bytes.length;
    out.push(...converter.convert(bytes.subarray(at, at + count)));
    at += count;
  }
  out.push(...converter.flush());
  return Uint8Array.from(out);
}

test('equal formats pass through as they are', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4);
  expect(createConverter(MULAW_8K, { ...MULAW_8K }).convert(bytes)).toBe(bytes);
  expect(createConverter(PCM_8K, PCM_8K).convert(bytes)).toBe(bytes);
});

test('PCM split within a sample is joined again, between equal formats too', () => {
  const bytes = pcmBytes(noise(500));
  const random = seededRandom(3);
  const odd = () => 1 + 2 * Math.floor(random() * 30);
  expect(convert(PCM_8K, PCM_8K, bytes, odd)).toEqual(bytes);
  expect(convert(PCM_8K, PCM_16K, bytes, odd)).toEqual(convert(PCM_8K, PCM_16K, bytes));
  expect(convert(PCM_8K, MULAW_8K, bytes, () => 1)).toEqual(convert(PCM_8K, MULAW_8K, bytes));
});

test('between equal formats only whole samples come out', () => {
  const converter = createConverter(PCM_8K, PCM_8K);
  expect(converter.convert(Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2));
  expect(converter.convert(Uint8Array.of(4))).toEqual(Uint8Array.of(3, 4));
});

test('half a sample at the end is dropped and does not reach the next stream', () => {
  const converter = createConverter(PCM_8K, MULAW_8K);
  converter.convert(Uint8Array.of(0, 0, 99));
  expect(converter.flush()).toHaveLength(0);
  expect(converter.convert(Uint8Array.of(0, 0))).toEqual(Uint8Array.of(0xff));
});

test('mu-law becomes PCM and A-law sample by sample', () => {
  const codes = Uint8Array.of(0xff, 0x80, 0x00);
  expect(pcmSamples(convert(MULAW_8K, PCM_8K, codes))).toEqual(Int16Array.of(0, 32124, -32124));
  expect(convert(MULAW_8K, { encoding: 'alaw', sample_rate: 8000 }, codes)).toEqual(Uint8Array.of(0xd5, 0xaa, 0x2a));
});

test('a chain keeps the tone: PCM at 22050 Hz to mu-law at 8 kHz and back to 16 kHz', () => {
  const from: AudioFormat = { encoding: 'pcm16', sample_rate: 22050 };
  const random = seededRandom(5);
  const telephone = convert(from, MULAW_8K, pcmBytes(tone(1000, 22050, 22050)), () => 1 + Math.floor(random() * 999));
  // A second, and the filter's 2 ms in whole samples of the input.
  expect(telephone.length).toBe(8000 + 17);
  const back = pcmSamples(convert(MULAW_8K, PCM_16K, telephone)).subarray(200, 15800);
  expect(Math.abs(decibels(strength(back, 1000, 16000) / 0.5))).toBeLessThan(0.2);
  expect(decibels(strength(back, 7000, 16000) / 0.5)).toBeLessThan(-60);
});

test.each([
  [PCM_8K, PCM_16K],
  [PCM_16K, MULAW_8K],
])('the end of a stream without audio is as long as what the filter holds', (from, to) => {
  const { length } = createConverter(from, to).flush();
  expect(length).toBe(2 * (to.sample_rate / 1_000) * bytesPerSample(to));
});

test('an empty chunk gives nothing', () => {
  expect(createConverter(MULAW_8K, PCM_16K).convert(new Uint8Array(0))).toHaveLength(0);
});
