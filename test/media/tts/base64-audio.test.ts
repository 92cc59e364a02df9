import { expect, test } from 'vitest';
import { createBase64AudioDecoder } from '../../../media/tts/base64-audio.ts';

const sound = (...bytes: number[]) => Buffer.from(bytes).toString('base64');

test('what is kept of a piece stays as it was when the next one comes', () => {
  const { decode } = createBase64AudioDecoder({ encoding: 'mulaw', sample_rate: 8000 });
  const held = { byte: null };
  // As a reply does with the sound of a draft. A Buffer's `slice` would be the same memory.
  const first = decode(sound(1, 2, 3, 4), held).slice();
  const second = decode(sound(5, 6), held).slice();
  expect([...first]).toEqual([1, 2, 3, 4]);
  expect([...second]).toEqual([5, 6]);
});

test('half a sample waits for its other half', () => {
  const { decode } = createBase64AudioDecoder({ encoding: 'pcm16', sample_rate: 16_000 });
  const held = { byte: null };
  expect([...decode(sound(1, 2, 3), held)]).toEqual([1, 2]);
  expect([...decode(sound(4, 5), held)]).toEqual([3, 4]);
  expect(held.byte).toBe(5);
});

test('a piece longer than any before has room', () => {
  const { decode } = createBase64AudioDecoder({ encoding: 'mulaw', sample_rate: 8000 });
  const long = Buffer.alloc(50_000, 7);
  expect(Buffer.from(decode(long.toString('base64'), { byte: null })).equals(long)).toBe(true);
});
