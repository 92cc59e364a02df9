import { expect, test } from 'vitest';
import { createAudioDecoder } from '../../../media/tts/audio-decoder.ts';

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');

test('a slice of a decoded message stays as it was when the next one is decoded', () => {
  const { decode } = createAudioDecoder({ encoding: 'mulaw', sample_rate: 8000 });
  const partial = { byte: null };
  // A Buffer's `slice` would share the reused memory.
  const first = decode(base64(1, 2, 3, 4), partial).slice();
  const second = decode(base64(5, 6), partial).slice();
  expect([...first]).toEqual([1, 2, 3, 4]);
  expect([...second]).toEqual([5, 6]);
});

test('the first half of a sample is held for the next message', () => {
  const { decode } = createAudioDecoder({ encoding: 'pcm16', sample_rate: 16_000 });
  const partial = { byte: null };
  expect([...decode(base64(1, 2, 3), partial)]).toEqual([1, 2]);
  expect([...decode(base64(4, 5), partial)]).toEqual([3, 4]);
  expect(partial.byte).toBe(5);
});

test('decodes a message longer than any before', () => {
  const { decode } = createAudioDecoder({ encoding: 'mulaw', sample_rate: 8000 });
  const long = Buffer.alloc(50_000, 7);
  expect(Buffer.from(decode(long.toString('base64'), { byte: null })).equals(long)).toBe(true);
});

test('bytes are cut like base64', () => {
  const { decode } = createAudioDecoder({ encoding: 'pcm16', sample_rate: 16_000 });
  const partial = { byte: null };
  expect([...decode(Uint8Array.of(1, 2, 3), partial)]).toEqual([1, 2]);
  expect([...decode(Uint8Array.of(4), partial)]).toEqual([3, 4]);
});
