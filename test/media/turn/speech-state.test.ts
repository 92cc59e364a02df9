import { expect, test } from 'vitest';
import { noSpeech, unbrokenSpeechMs, updateSpeech, WINDOW_MS } from '../../../media/turn/speech-state.ts';

/** Plays a string of windows: `#` is voice, `.` is quiet, `~` is in between. */
function play(pattern: string) {
  const state = noSpeech();
  const changes: [string, number][] = [];
  [...pattern].forEach((mark, index) => {
    const change = updateSpeech(state, { '#': 0.9, '~': 0.4, '.': 0.05 }[mark]!, (index + 1) * WINDOW_MS);
    if (change) changes.push([change, (index + 1) * WINDOW_MS]);
  });
  return { state, changes };
}

test('speech starts with its first window and ends after 160 ms of silence', () => {
  expect(play('..###......').changes).toEqual([
    ['started', 3 * WINDOW_MS],
    ['ended', 10 * WINDOW_MS],
  ]);
});

test('the end of speech is the end of its last window', () => {
  expect(play('..###......').state.lastSpeechMs).toBe(5 * WINDOW_MS);
});

test('a short gap does not split a stretch', () => {
  expect(play('##..##..##').changes).toEqual([['started', WINDOW_MS]]);
});

test('a doubtful window continues speech but does not start it', () => {
  expect(play('~~~').changes).toEqual([]);
  expect(play('#~~~').state.speaking).toBe(true);
});

test('unbroken speech is counted from the last silent window', () => {
  const { state } = play('##.###');
  expect(unbrokenSpeechMs(state, 6 * WINDOW_MS)).toBe(3 * WINDOW_MS);
  expect(unbrokenSpeechMs(play('##.').state, 3 * WINDOW_MS)).toBe(0);
});

test('an unvoiced stretch is breath, however long', () => {
  const state = noSpeech();
  for (let window = 1; window <= 12; window++) updateSpeech(state, 0.8, window * WINDOW_MS, 0.5);
  expect(state.speaking).toBe(true);
  expect(unbrokenSpeechMs(state, 12 * WINDOW_MS)).toBe(0);
  for (let window = 13; window <= 15; window++) updateSpeech(state, 0.8, window * WINDOW_MS, 0.9);
  expect(unbrokenSpeechMs(state, 15 * WINDOW_MS)).toBe(15 * WINDOW_MS);
});

test('possible speech is reported before speech starts, and for 160 ms after', () => {
  const state = noSpeech();
  updateSpeech(state, 0.25, WINDOW_MS);
  expect(state).toMatchObject({ possibleSpeech: true, speaking: false });
  for (let window = 2; window <= 5; window++) updateSpeech(state, 0.05, window * WINDOW_MS);
  expect(state.possibleSpeech).toBe(true);
  updateSpeech(state, 0.05, 6 * WINDOW_MS);
  expect(state.possibleSpeech).toBe(false);
});
