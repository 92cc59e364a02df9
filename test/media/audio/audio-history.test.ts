import { expect, test } from 'vitest';
import { createAudioHistory } from '../../../media/audio/audio-history.ts';

const written = (capacity: number, total: number, chunk: number) => {
  const history = createAudioHistory(capacity);
  for (let at = 0; at < total; at += chunk) {
    history.write(Uint8Array.from({ length: Math.min(chunk, total - at) }, (_, i) => (at + i) % 251));
  }
  return history;
};

test.each([
  [100, 60, 7, 0],
  [100, 260, 7, 200],
  [100, 260, 33, 161],
  [100, 1000, 150, 950],
])('returns what was written from a position on: %j', (capacity, total, chunk, from) => {
  const history = written(capacity, total, chunk);
  expect(history.position).toBe(total);
  const given = history.since(from).flatMap((part) => [...part]);
  expect(given).toEqual(Array.from({ length: total - from }, (_, i) => (from + i) % 251));
});

test('a position that is too old gives the oldest bytes there are, one at the end gives none', () => {
  const history = written(100, 260, 7);
  expect(history.since(0).reduce((sum, part) => sum + part.length, 0)).toBe(100);
  expect(history.since(0)[0]![0]).toBe(160);
  expect(history.since(260)).toEqual([]);
});
