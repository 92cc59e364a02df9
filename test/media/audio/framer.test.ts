import { expect, test } from 'vitest';
import { frameBytes, MULAW_8K, PCM_8K, PCM_16K, silenceByte } from '../../../media/audio/format.ts';
import { createFramer } from '../../../media/audio/framer.ts';

test('chunks of any size become frames of exactly 20 ms', () => {
  const frames: number[][] = [];
  const framer = createFramer(MULAW_8K, (frame) => frames.push(Array.from(frame)));
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 331) {
    framer.push(bytes.subarray(at, at + size));
  }
  expect(frames.map((frame) => frame.length)).toEqual([160, 160, 160, 160, 160, 160]);
  expect(frames.flat()).toEqual(Array.from(bytes.subarray(0, 960)));
  expect(framer.pending).toBe(40);
});

test('the last frame is padded with silence', () => {
  const frames: number[][] = [];
  const framer = createFramer(MULAW_8K, (frame) => frames.push(Array.from(frame)));
  framer.push(Uint8Array.of(1, 2));
  framer.flush();
  framer.flush();
  expect(frames).toEqual([[1, 2, ...new Array(158).fill(0xff)]]);
});

test('cleared audio is never delivered', () => {
  const frames: number[][] = [];
  const framer = createFramer(PCM_8K, (frame) => frames.push(Array.from(frame)));
  framer.push(new Uint8Array(300).fill(7));
  framer.clear();
  framer.push(new Uint8Array(320).fill(8));
  framer.flush();
  expect(frames).toEqual([new Array(320).fill(8)]);
});

test('20 ms have their size in every format', () => {
  expect([MULAW_8K, PCM_8K, PCM_16K, { encoding: 'pcm16' as const, sample_rate: 22050 }].map(frameBytes)).toEqual([
    160, 320, 640, 882,
  ]);
  expect(() => frameBytes({ encoding: 'pcm16', sample_rate: 11025 })).toThrow(RangeError);
  expect((['mulaw', 'alaw', 'pcm16'] as const).map(silenceByte)).toEqual([0xff, 0xd5, 0]);
});
