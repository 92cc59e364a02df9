import { expect, test } from 'vitest';
import { createAudioHistory } from '../../../media/audio/audio-history.ts';

const written = (capacity: number, total: number, piece: number) => {
  const history = createAudioHistory(capacity);
  for (let at = 0; at < total; at += piece) {
    history.write(Uint8Array.from({ length: Math.min(piece, total - at) }, (_, i) => (at + i) % 251));
  }
  return history;
};

test.each([
  [100, 60, 7, 0],
  [100, 260, 7, 200],
  [100, 260, 33, 161],
  [100, 1000, 150, 950],
])('gives again what came from a position on: %j', (capacity, total, piece, from) => {
  const history = written(capacity, total, piece);
  expect(history.position).toBe(total);
  const given = history.since(from).flatMap((part) => [...part]);
  expect(given).toEqual(Array.from({ length: total - from }, (_, i) => (from + i) % 251));
});

test('what is too old begins with the oldest there is, and nothing follows the end', () => {
  const history = written(100, 260, 7);
  expect(history.since(0).reduce((sum, part) => sum + part.length, 0)).toBe(100);
  expect(history.since(0)[0]![0]).toBe(160);
  expect(history.since(260)).toEqual([]);
});
