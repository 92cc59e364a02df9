import { describe, expect, test } from 'vitest';
import type { Completeness } from '../../../media/turn/completeness.ts';
import { EXTRA_MS, endpointingDelayMs } from '../../../media/turn/endpointing-delay.ts';
import type { TurnDetection } from '../../../shared/agent.ts';

const COMPLETENESS: Completeness[] = ['complete', 'unsure', 'incomplete', 'dictating'];
const DETECTIONS: TurnDetection[] = ['responsive', 'balanced', 'patient'];
const PROBABILITIES = [null, 0, 0.29, 0.5, 0.81, 1];

describe('the endpointing delay', () => {
  const wait = (
    words: Completeness,
    probability: number | null = null,
    endpointingMs = 300,
    turnDetection: TurnDetection = 'balanced',
  ) => endpointingDelayMs({ endpointingMs, adaptedMs: endpointingMs, turnDetection, words, probability });

  test.each<[Completeness, number | null, number]>([
    ['complete', null, 450],
    ['complete', 0.95, 450],
    ['complete', 0.1, 600],
    ['unsure', null, 600],
    ['unsure', 0.5, 600],
    ['unsure', 0.95, 450],
    ['unsure', 0.1, 1_100],
    ['incomplete', null, 1_300],
    ['incomplete', 0.95, 800],
    ['incomplete', 0.1, 1_300],
    ['dictating', null, 1_800],
    ['dictating', 0.95, 1_800],
  ])('%s, and the voice says %s: %d ms of 300', (words, probability, expected) => {
    expect(wait(words, probability)).toBe(expected);
  });

  test('responsive waits as long as the setting after a finished sentence', () => {
    for (const setting of [10, 300, 800, 3_000]) expect(wait('complete', null, setting, 'responsive')).toBe(setting);
  });

  test('responsive waits least and patient most, whatever the words', () => {
    for (const words of COMPLETENESS) {
      const waits = DETECTIONS.map((detection) => wait(words, null, 300, detection));
      expect(waits).toEqual(waits.toSorted((a, b) => a - b));
      expect(new Set(waits).size).toBe(3);
    }
  });

  test('it starts from the delay adapted to the caller', () => {
    const signals = { endpointingMs: 800, turnDetection: 'balanced', words: 'complete', probability: null } as const;
    const adapted = (adaptedMs: number) => endpointingDelayMs({ ...signals, adaptedMs });
    expect(adapted(1_000) - adapted(800)).toBe(200);
  });

  test('it is bounded whatever the signals', () => {
    for (const turnDetection of DETECTIONS) {
      for (const endpointingMs of [10, 300, 800, 3_000]) {
        for (const adaptedMs of [endpointingMs * 0.85, endpointingMs, endpointingMs + 700]) {
          for (const words of COMPLETENESS) {
            for (const probability of PROBABILITIES) {
              const signals = { endpointingMs, adaptedMs, turnDetection, words };
              const ms = endpointingDelayMs({ ...signals, probability });
              expect(ms).toBeGreaterThanOrEqual(adaptedMs);
              expect(ms).toBeLessThanOrEqual(endpointingMs + EXTRA_MS[turnDetection].dictating);
              // A prediction that the caller goes on never shortens it.
              expect(ms).toBeLessThanOrEqual(endpointingDelayMs({ ...signals, probability: 0 }));
            }
          }
        }
      }
    }
  });
});
