import { expect, it } from 'vitest';
import { createResponseCache } from '../../../control/http/response-cache.ts';

it('gives an answer back only for the mark it was made of', () => {
  const kept = createResponseCache(1_000);
  kept.set('a', '1', '{"version":1}');
  expect(kept.has('a')).toBe(true);
  expect(kept.get('a', '1')).toBe('{"version":1}');
  expect(kept.get('a', '2')).toBeNull();
  expect(kept.has('a')).toBe(false);
  expect(kept.get('a', '1')).toBeNull();
});

it('lets the ones go that were asked for longest ago', () => {
  const kept = createResponseCache(100);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) kept.set(name, '1', '12345678');
  expect(kept.get('a', '1')).toBe('12345678');
  kept.set('k', '1', '12345678');
  expect([kept.has('a'), kept.has('b'), kept.has('k')]).toEqual([true, false, true]);
});

it('keeps nothing that would push everything else out, and the newest of one name', () => {
  const kept = createResponseCache(100);
  kept.set('a', '1', '12345678');
  kept.set('large', '1', 'x'.repeat(90));
  expect([kept.has('a'), kept.has('large')]).toEqual([true, false]);
  kept.set('a', '2', 'new');
  expect(kept.get('a', '2')).toBe('new');
});
