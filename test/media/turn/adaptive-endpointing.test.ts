import { describe, expect, test } from 'vitest';
import {
  adaptedEndpointingMs,
  adaptToPause,
  adaptToTurn,
  type EndpointingAdaptation,
  MAX_SHIFT_MS,
  MIN_FACTOR,
  NO_ADAPTATION,
} from '../../../media/turn/adaptive-endpointing.ts';

function repeated(
  times: number,
  step: (pauses: EndpointingAdaptation) => EndpointingAdaptation,
  from: EndpointingAdaptation = NO_ADAPTATION,
): EndpointingAdaptation {
  let pauses = from;
  for (let time = 0; time < times; time++) pauses = step(pauses);
  return pauses;
}

describe('adaptive endpointing', () => {
  test('starts from the setting', () => {
    for (const setting of [10, 300, 900, 3_000]) expect(adaptedEndpointingMs(NO_ADAPTATION, setting)).toBe(setting);
  });

  test('one long pause moves the delay a part of the way', () => {
    const pauses = adaptToPause(NO_ADAPTATION, 700, 500);
    expect(adaptedEndpointingMs(pauses, 500)).toBeGreaterThan(500);
    expect(adaptedEndpointingMs(pauses, 500)).toBeLessThan(700);
  });

  test('it converges to the pauses of the caller', () => {
    const pauses = repeated(20, (one) => adaptToPause(one, 700, 500));
    expect(adaptedEndpointingMs(pauses, 500)).toBeGreaterThan(800);
    expect(adaptedEndpointingMs(pauses, 500)).toBeLessThanOrEqual(850);
  });

  test('turns without pauses shorten it slowly, short pauses do not', () => {
    expect(adaptToPause(NO_ADAPTATION, 100, 500)).toBe(NO_ADAPTATION);
    const once = adaptedEndpointingMs(adaptToTurn(NO_ADAPTATION, 0, 500), 500);
    expect(once).toBeLessThan(500);
    expect(once).toBeGreaterThan(480);
  });

  test('a turn with a long pause in it never shortens it', () => {
    expect(adaptToTurn(NO_ADAPTATION, 600, 500)).toBe(NO_ADAPTATION);
  });

  test('it moves back', () => {
    const patient = repeated(10, (one) => adaptToPause(one, 1_000, 500));
    const again = repeated(60, (one) => adaptToTurn(one, 0, 500), patient);
    expect(adaptedEndpointingMs(again, 500)).toBeLessThan(500);
  });

  test.each([10, 300, 900, 3_000])('%d ms stays within its bounds', (setting) => {
    const longest = adaptedEndpointingMs(
      repeated(200, (one) => adaptToPause(one, 60_000, setting)),
      setting,
    );
    const shortest = adaptedEndpointingMs(
      repeated(200, (one) => adaptToTurn(one, 0, setting)),
      setting,
    );
    expect(longest).toBeLessThanOrEqual(setting + MAX_SHIFT_MS);
    expect(longest).toBeGreaterThan(setting + MAX_SHIFT_MS - 1);
    expect(shortest).toBeGreaterThanOrEqual(setting * MIN_FACTOR);
    expect(shortest).toBeLessThanOrEqual(setting);
  });
});
