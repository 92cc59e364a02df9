import { expect, it } from 'vitest';
import { createKeptAnswers } from '../../../control/http/kept-answers.ts';

it('gives an answer back only for the mark it was made of', () => {
  const kept = createKeptAnswers(1_000);
  kept.keep('a', '1', '{"version":1}');
  expect(kept.has('a')).toBe(true);
  expect(kept.find('a', '1')).toBe('{"version":1}');
  expect(kept.find('a', '2')).toBeNull();
  expect(kept.has('a')).toBe(false);
  expect(kept.find('a', '1')).toBeNull();
});

it('lets the ones go that were asked for longest ago', () => {
  const kept = createKeptAnswers(100);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) kept.keep(name, '1', '12345678');
  expect(kept.find('a', '1')).toBe('12345678');
  kept.keep('k', '1', '12345678');
  expect([kept.has('a'), kept.has('b'), kept.has('k')]).toEqual([true, false, true]);
});

it('keeps nothing that would push everything else out, and the newest of one name', () => {
  const kept = createKeptAnswers(100);
  kept.keep('a', '1', '12345678');
  kept.keep('large', '1', 'x'.repeat(90));
  expect([kept.has('a'), kept.has('large')]).toEqual([true, false]);
  kept.keep('a', '2', 'new');
  expect(kept.find('a', '2')).toBe('new');
});
