import { describe, expect, it } from 'vitest';
import {
  type Alert,
  alertThresholds,
  callsFail,
  creditAlerts,
  NEVER_SENT,
  nextAlert,
} from '../../../control/alerts/alert-policy.ts';

const STANDARD = alertThresholds.parse({});
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What was sent at which minute, when the condition was looked at then. */
function sent(alert: Alert, looks: [minute: number, holds: boolean][]): [number, string][] {
  let state = NEVER_SENT;
  return looks.flatMap(([minute, holds]) => {
    const next = nextAlert(alert, state, holds, minute * MINUTE_MS);
    state = next.state;
    return next.send ? [[minute, next.send] as [number, string]] : [];
  });
}

describe('an alert', () => {
  it('that calls fail is repeated every hour at most while they do, and taken back once', () => {
    const looks: [number, boolean][] = [
      [0, false],
      [1, true],
      [2, true],
      [60, true],
      [61, true],
      [62, true],
      [70, false],
      [71, false],
    ];
    expect(sent('calls_failing', looks)).toEqual([
      [1, 'alert'],
      [61, 'alert'],
      [70, 'all_clear'],
    ]);
  });

  it('that comes back within the hour is quiet, and so is its end', () => {
    const looks: [number, boolean][] = [
      [0, true],
      [5, false],
      [10, true],
      [20, false],
      [60, true],
    ];
    expect(sent('calls_failing', looks)).toEqual([
      [0, 'alert'],
      [5, 'all_clear'],
      [60, 'alert'],
    ]);
  });

  it.each(['credits_low', 'credits_used_up'] as const)('%s is sent once a day at most', (alert) => {
    const day = (24 * HOUR_MS) / MINUTE_MS;
    expect(
      sent(alert, [
        [0, true],
        [day - 1, true],
        [day, true],
      ]).map(([minute]) => minute),
    ).toEqual([0, day]);
  });
});

describe('the conditions', () => {
  it.each([
    [5_500, 10, { credits_low: false, credits_used_up: false }],
    [5_499, 9, { credits_low: true, credits_used_up: false }],
    [1, 0, { credits_low: true, credits_used_up: false }],
    [0, 0, { credits_low: false, credits_used_up: true }],
    [-20, 0, { credits_low: false, credits_used_up: true }],
  ])('of %d paise for %d minutes', (credits_paise, minutes_left, expected) => {
    expect(creditAlerts({ credits_paise, minutes_left }, STANDARD)).toEqual(expected);
  });

  it.each([
    [4, 4, false],
    [5, 1, false],
    [5, 2, true],
    [10, 3, true],
    [100, 29, false],
    [0, 0, false],
  ])('of %d finished calls with %d failed', (finished, failed, expected) => {
    expect(callsFail({ finished, failed }, STANDARD)).toBe(expected);
  });
});
