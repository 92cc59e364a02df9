import { describe, expect, test } from 'vitest';
import type { Completeness } from '../../../media/turn/completeness.ts';
import { endpointingDelayMs, MAX_EXTRA_MS, MIN_DELAY_MS } from '../../../media/turn/endpointing-delay.ts';

const COMPLETENESS: Completeness[] = ['complete', 'unsure', 'incomplete', 'dictating'];

describe('the endpointing delay', () => {
  const wait = (words: Completeness, probability: number | null = null, endpointingMs = 800) =>
    endpointingDelayMs({ endpointingMs, adaptedMs: endpointingMs, words, probability });

  test('without any signal it is the setting', () => {
    for (const setting of [10, 300, 800, 3_000]) expect(wait('unsure', null, setting)).toBe(setting);
    expect(wait('unsure', 0.5)).toBe(800);
  });

  test.each<[Completeness, number | null, number]>([
    ['complete', null, 400],
    ['complete', 0.95, 400],
    ['complete', 0.1, 800],
    ['unsure', 0.95, 400],
    ['unsure', 0.1, 1_600],
    ['incomplete', null, 1_800],
    ['incomplete', 0.95, 1_300],
    ['incomplete', 0.1, 1_800],
    ['dictating', null, 2_300],
    ['dictating', 0.95, 2_300],
  ])('%s, and the voice says %s: %d ms of 800', (words, probability, expected) => {
    expect(wait(words, probability)).toBe(expected);
  });

  test('it starts from the delay adapted to the caller', () => {
    const signs = { endpointingMs: 800, adaptedMs: 1_000, words: 'unsure', probability: null } as const;
    expect(endpointingDelayMs(signs)).toBe(1_000);
    expect(endpointingDelayMs({ ...signs, words: 'complete' })).toBe(500);
  });

  test('it is bounded whatever the signals', () => {
    for (const setting of [10, 300, 800, 3_000]) {
      for (const adaptedMs of [setting * 0.85, setting, setting + 700]) {
        for (const words of COMPLETENESS) {
          for (const probability of [null, 0, 0.29, 0.5, 0.81, 1]) {
            const ms = endpointingDelayMs({ endpointingMs: setting, adaptedMs, words, probability });
            expect(ms).toBeLessThanOrEqual(setting + MAX_EXTRA_MS);
            expect(ms).toBeGreaterThanOrEqual(Math.min(setting * 0.425, MIN_DELAY_MS));
            // No sign that it is over makes it longer, no sign that it goes on makes it shorter.
            const more = endpointingDelayMs({ endpointingMs: setting, adaptedMs, words, probability: 0 });
            expect(ms).toBeLessThanOrEqual(more);
          }
        }
      }
    }
  });
});
