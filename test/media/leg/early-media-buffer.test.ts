import { expect, test } from 'vitest';
import { createEarlyMediaBuffer } from '../../../media/leg/early-media-buffer.ts';

const frame = (value: number) => new Uint8Array(160).fill(value);

/** A listener that writes down what it is told: the first byte of each frame, and each digit. */
function listening() {
  const heard: (number | string)[] = [];
  const audio = (bytes: Uint8Array) => void heard.push(bytes[0]!);
  const digit = (one: string) => void heard.push(one);
  return { heard, audio, digit };
}

test('the latest two seconds and the first digits are told once, sound first', () => {
  const early = createEarlyMediaBuffer();
  const lent = new Uint8Array(160);
  for (let at = 0; at < 120; at++) early.audio(lent.fill(at), at * 20);
  for (let at = 0; at < 40; at++) early.digit(String(at % 10));
  lent.fill(255);
  const first = listening();
  early.flushTo(first, () => false);
  const digits = Array.from({ length: 32 }, (_, at) => String(at % 10));
  expect(first.heard).toEqual([...Array.from({ length: 100 }, (_, at) => at + 20), ...digits]);
  const second = listening();
  early.flushTo(second, () => false);
  expect(second.heard).toEqual([]);
});

test('who hangs up is told nothing more, and what is forgotten is not told', () => {
  const early = createEarlyMediaBuffer();
  for (const value of [1, 2, 3]) early.audio(frame(value), value);
  early.digit('5');
  const listener = listening();
  early.flushTo(listener, () => listener.heard.length === 2);
  expect(listener.heard).toEqual([1, 2]);
  early.audio(frame(4), 4);
  early.clear();
  early.flushTo(listener, () => false);
  expect(listener.heard).toEqual([1, 2]);
});
