import { expect, test } from 'vitest';
import { awaitTranscript, checkIdle, type IdleSettings, resetIdle, startIdle } from '../../../media/turn/idle.ts';

const SETTINGS: IdleSettings = { hangUpAfterMs: 20_000, askAfterMs: 5_000 };

/** Checks every second until `untilMs`; `b` in the pattern is a busy second. Returns what was decided, with its second. */
function decisions(settings: IdleSettings, untilMs: number, pattern = '') {
  const state = startIdle(settings, 1_000);
  const found: [number, string][] = [];
  for (let passedMs = 1_000; passedMs <= untilMs; passedMs += 1_000) {
    const decision = checkIdle(state, pattern[passedMs / 1_000 - 1] === 'b', 1_000 + passedMs);
    if (decision) found.push([passedMs, decision]);
  }
  return found;
}

test('the caller is asked once, and the call ends once', () => {
  expect(decisions(SETTINGS, 60_000)).toEqual([
    [5_000, 'ask'],
    [20_000, 'hang_up'],
  ]);
});

test('without a question the call ends all the same', () => {
  expect(decisions({ ...SETTINGS, askAfterMs: null }, 60_000)).toEqual([[20_000, 'hang_up']]);
});

test('time in which somebody speaks does not count, and the question waits for unbroken silence', () => {
  expect(decisions(SETTINGS, 60_000, '...b')).toEqual([
    [9_000, 'ask'],
    [21_000, 'hang_up'],
  ]);
});

test('noise postpones the question to twice the wait at most', () => {
  // Ten silent seconds without five in a row.
  expect(decisions(SETTINGS, 16_000, '...b...b...b...b')).toEqual([[13_000, 'ask']]);
});

test('an answer starts everything anew', () => {
  const state = startIdle(SETTINGS, 0);
  expect(checkIdle(state, false, 5_000)).toBe('ask');
  resetIdle(state, 7_000);
  expect(checkIdle(state, false, 11_999)).toBeNull();
  expect(checkIdle(state, false, 12_000)).toBe('ask');
  expect(checkIdle(state, false, 26_999)).toBeNull();
  expect(checkIdle(state, false, 27_000)).toBe('hang_up');
});

test('speech gives its transcript three seconds before a hang-up, and never shortens the wait', () => {
  const late = startIdle({ ...SETTINGS, askAfterMs: null }, 0);
  checkIdle(late, false, 19_500);
  awaitTranscript(late);
  expect(checkIdle(late, false, 22_499)).toBeNull();
  expect(checkIdle(late, false, 22_500)).toBe('hang_up');
  const early = startIdle({ ...SETTINGS, askAfterMs: null }, 0);
  checkIdle(early, false, 1_000);
  awaitTranscript(early);
  expect(checkIdle(early, false, 19_999)).toBeNull();
});
