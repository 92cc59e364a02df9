import { describe, expect, test } from 'vitest';
import {
  adapted,
  heardCut,
  heardPause,
  heardTurn,
  LEAST_SHARE,
  MOST_MORE_MS,
  NO_PAUSES_YET,
  type Pauses,
} from '../../../media/turn/pauses.ts';

function repeated(times: number, step: (pauses: Pauses) => Pauses, from: Pauses = NO_PAUSES_YET): Pauses {
  let pauses = from;
  for (let time = 0; time < times; time++) pauses = step(pauses);
  return pauses;
}

describe('the pauses of one caller', () => {
  test('nothing heard changes nothing', () => {
    for (const setting of [10, 300, 900, 3_000]) expect(adapted(NO_PAUSES_YET, setting)).toBe(setting);
  });

  test('one long pause moves the patience a part of the way', () => {
    const pauses = heardPause(NO_PAUSES_YET, 700, 500);
    expect(adapted(pauses, 500)).toBeGreaterThan(500);
    expect(adapted(pauses, 500)).toBeLessThan(700);
  });

  test('a turn that was cut moves it further than a pause that was waited for', () => {
    const cut = adapted(heardCut(NO_PAUSES_YET, 700, 500), 500);
    expect(cut).toBeGreaterThan(adapted(heardPause(NO_PAUSES_YET, 700, 500), 500));
  });

  test('a caller who always pauses so long is waited for so long', () => {
    const pauses = repeated(20, (one) => heardPause(one, 700, 500));
    expect(adapted(pauses, 500)).toBeGreaterThan(800);
    expect(adapted(pauses, 500)).toBeLessThanOrEqual(850);
  });

  test('pauses shorter than the patience do not shorten it by themselves, turns without pauses do, slowly', () => {
    expect(heardPause(NO_PAUSES_YET, 100, 500)).toBe(NO_PAUSES_YET);
    expect(heardCut(NO_PAUSES_YET, 100, 500)).toBe(NO_PAUSES_YET);
    const once = adapted(heardTurn(NO_PAUSES_YET, 0, 500), 500);
    expect(once).toBeLessThan(500);
    expect(once).toBeGreaterThan(480);
  });

  test('a turn with a long pause in it never shortens it', () => {
    expect(heardTurn(NO_PAUSES_YET, 600, 500)).toBe(NO_PAUSES_YET);
  });

  test('what was learned is unlearned', () => {
    const patient = repeated(10, (one) => heardCut(one, 1_000, 500));
    const again = repeated(60, (one) => heardTurn(one, 0, 500), patient);
    expect(adapted(again, 500)).toBeLessThan(500);
  });

  test.each([10, 300, 900, 3_000])('whatever is heard, %d ms stays within its bounds', (setting) => {
    const longest = adapted(
      repeated(200, (one) => heardCut(one, 60_000, setting)),
      setting,
    );
    const shortest = adapted(
      repeated(200, (one) => heardTurn(one, 0, setting)),
      setting,
    );
    expect(longest).toBeLessThanOrEqual(setting + MOST_MORE_MS);
    expect(longest).toBeGreaterThan(setting + MOST_MORE_MS - 1);
    expect(shortest).toBeGreaterThanOrEqual(setting * LEAST_SHARE);
    expect(shortest).toBeLessThanOrEqual(setting);
  });
});
