import { expect, it } from 'vitest';
import { createResponseCache } from '../../../control/http/response-cache.ts';

it('returns a response only for the version it was made of', () => {
  const cache = createResponseCache(1_000);
  cache.set('a', '1', '{"version":1}');
  expect(cache.has('a')).toBe(true);
  expect(cache.get('a', '1')).toBe('{"version":1}');
  expect(cache.get('a', '2')).toBeNull();
  expect(cache.has('a')).toBe(false);
  expect(cache.get('a', '1')).toBeNull();
});

it('evicts the least recently used', () => {
  const cache = createResponseCache(100);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) cache.set(name, '1', '12345678');
  expect(cache.get('a', '1')).toBe('12345678');
  cache.set('k', '1', '12345678');
  expect([cache.has('a'), cache.has('b'), cache.has('k')]).toEqual([true, false, true]);
});

it('stores nothing that would evict everything else, and the newest of one name', () => {
  const cache = createResponseCache(100);
  cache.set('a', '1', '12345678');
  cache.set('large', '1', 'x'.repeat(90));
  expect([cache.has('a'), cache.has('large')]).toEqual([true, false]);
  cache.set('a', '2', 'new');
  expect(cache.get('a', '2')).toBe('new');
});

it('drops what is too old', async () => {
  const cache = createResponseCache(100, { maxAgeMs: 5 });
  cache.set('a', '1', '12345678');
  await expect.poll(() => cache.has('a')).toBe(false);
  expect(cache.get('a', '1')).toBeNull();
});
