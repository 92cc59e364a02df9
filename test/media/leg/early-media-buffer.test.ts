import { expect, test } from 'vitest';
import { createEarlyMediaBuffer } from '../../../media/leg/early-media-buffer.ts';

const frame = (value: number) => new Uint8Array(160).fill(value);

/** A listener that records the first byte of each frame, and each digit. */
function listening() {
  const received: (number | string)[] = [];
  const audio = (bytes: Uint8Array) => void received.push(bytes[0]!);
  const digit = (one: string) => void received.push(one);
  return { received, audio, digit };
}

test('the latest two seconds and the first digits are delivered once, audio first', () => {
  const early = createEarlyMediaBuffer();
  const lent = new Uint8Array(160);
  for (let at = 0; at < 120; at++) early.audio(lent.fill(at), at * 20);
  for (let at = 0; at < 40; at++) early.digit(String(at % 10));
  lent.fill(255);
  const first = listening();
  early.flushTo(first, () => false);
  const digits = Array.from({ length: 32 }, (_, at) => String(at % 10));
  expect(first.received).toEqual([...Array.from({ length: 100 }, (_, at) => at + 20), ...digits]);
  const second = listening();
  early.flushTo(second, () => false);
  expect(second.received).toEqual([]);
});

test('delivery stops when the leg is hung up, and cleared audio is not delivered', () => {
  const early = createEarlyMediaBuffer();
  for (const value of [1, 2, 3]) early.audio(frame(value), value);
  early.digit('5');
  const listener = listening();
  early.flushTo(listener, () => listener.received.length === 2);
  expect(listener.received).toEqual([1, 2]);
  early.audio(frame(4), 4);
  early.clear();
  early.flushTo(listener, () => false);
  expect(listener.received).toEqual([1, 2]);
});
