import { describe, expect, test } from 'vitest';
import { planDelays, scriptedWaitMs } from '../../bench/provider-delays.ts';

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!;
const close = (found: number, wanted: number) => Math.abs(found / wanted - 1) < 0.04;

describe('delays of the simulated providers', () => {
  const turns = planDelays('recorded', true, 5_000, 7);

  test('are the same for the same seed, with and without an eager end', () => {
    expect(planDelays('recorded', true, 5_000, 7)).toEqual(turns);
    expect(planDelays('recorded', true, 5, 8)).not.toEqual(turns.slice(0, 5));
    const without = planDelays('recorded', false, 5_000, 7);
    expect(without).toEqual(turns.map((turn) => ({ ...turn, eagerMs: null })));
  });

  test('have the published percentiles', () => {
    const ends = turns.map((turn) => turn.endOfTurnMs);
    const tokens = turns.map((turn) => turn.firstTokenMs);
    const sounds = turns.map((turn) => turn.firstAudioMs);
    expect(close(percentile(ends, 0.5), 247)).toBe(true);
    expect(close(percentile(ends, 0.95), 298)).toBe(true);
    expect(close(percentile(tokens, 0.5), 683)).toBe(true);
    expect(close(percentile(tokens, 0.95), 1_052)).toBe(true);
    expect(close(percentile(sounds, 0.5), 288)).toBe(true);
    expect(close(percentile(sounds, 0.75) - percentile(sounds, 0.25), 28)).toBe(true);
  });

  test('an eager end comes before the end', () => {
    expect(turns.every(({ eagerMs, endOfTurnMs }) => eagerMs !== null && eagerMs < endOfTurnMs)).toBe(true);
  });

  test('the scripted wait is the longer of the two paths', () => {
    const delays = { endOfTurnMs: 200, firstTokenMs: 250, firstAudioMs: 120 };
    expect(scriptedWaitMs({ ...delays, eagerMs: null })).toBe(570);
    expect(scriptedWaitMs({ ...delays, eagerMs: 100 })).toBe(470);
    expect(scriptedWaitMs({ endOfTurnMs: 900, firstTokenMs: 250, firstAudioMs: 120, eagerMs: 100 })).toBe(900);
  });
});
