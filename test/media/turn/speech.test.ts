import { expect, test } from 'vitest';
import { hearWindow, quiet, unbrokenMs, WINDOW_MS } from '../../../media/turn/speech.ts';

/** Plays a string of windows: `#` is voice, `.` is quiet, `~` is in between. */
function play(pattern: string) {
  const state = quiet();
  const changes: [string, number][] = [];
  [...pattern].forEach((mark, index) => {
    const change = hearWindow(state, { '#': 0.9, '~': 0.4, '.': 0.05 }[mark]!, (index + 1) * WINDOW_MS);
    if (change) changes.push([change, (index + 1) * WINDOW_MS]);
  });
  return { state, changes };
}

test('speech starts with its first window and ends after 160 ms of quiet', () => {
  expect(play('..###......').changes).toEqual([
    ['started', 3 * WINDOW_MS],
    ['ended', 10 * WINDOW_MS],
  ]);
});

test('the true end of speech is the end of its last voiced window', () => {
  expect(play('..###......').state.lastVoiceMs).toBe(5 * WINDOW_MS);
});

test('a short gap does not split a stretch', () => {
  expect(play('##..##..##').changes).toEqual([['started', WINDOW_MS]]);
});

test('a wavering window keeps speech going but does not start it', () => {
  expect(play('~~~').changes).toEqual([]);
  expect(play('#~~~').state.speaking).toBe(true);
});

test('unbroken speech is counted from the last quiet window', () => {
  const { state } = play('##.###');
  expect(unbrokenMs(state, 6 * WINDOW_MS)).toBe(3 * WINDOW_MS);
  expect(unbrokenMs(play('##.').state, 3 * WINDOW_MS)).toBe(0);
});

test('a stretch in which nothing vibrates is breath, however long', () => {
  const state = quiet();
  for (let window = 1; window <= 12; window++) hearWindow(state, 0.8, window * WINDOW_MS, 0.5);
  expect(state.speaking).toBe(true);
  expect(unbrokenMs(state, 12 * WINDOW_MS)).toBe(0);
  for (let window = 13; window <= 15; window++) hearWindow(state, 0.8, window * WINDOW_MS, 0.9);
  expect(unbrokenMs(state, 15 * WINDOW_MS)).toBe(15 * WINDOW_MS);
});

test('what may become a voice stirs before it is one, and for 160 ms after', () => {
  const state = quiet();
  hearWindow(state, 0.25, WINDOW_MS);
  expect(state).toMatchObject({ stirring: true, speaking: false });
  for (let window = 2; window <= 5; window++) hearWindow(state, 0.05, window * WINDOW_MS);
  expect(state.stirring).toBe(true);
  hearWindow(state, 0.05, 6 * WINDOW_MS);
  expect(state.stirring).toBe(false);
});
