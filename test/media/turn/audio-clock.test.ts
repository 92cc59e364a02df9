import { expect, test } from 'vitest';
import { audioTimeMs, MAX_STALL_WAIT_MS, newAudioClock, onExamined } from '../../../media/turn/audio-clock.ts';

function examinedUpTo(endMs: number) {
  const state = newAudioClock();
  onExamined(state, endMs);
  return state;
}

test('before any audio it is the present', () => {
  expect(audioTimeMs(newAudioClock(), 7_000)).toBe(7_000);
});

test('with the usual lag of the audio it is the present', () => {
  const state = examinedUpTo(1_000);
  expect(audioTimeMs(state, 1_052)).toBe(1_052);
  expect(audioTimeMs(state, 1_100)).toBe(1_100);
});

test('stands still while no audio comes, and never goes back', () => {
  const state = examinedUpTo(1_000);
  audioTimeMs(state, 1_090);
  for (const nowMs of [1_120, 1_500, 2_200]) expect(audioTimeMs(state, nowMs)).toBe(1_090);
});

test('follows a burst window by window, and is the present after it', () => {
  const state = examinedUpTo(1_000);
  audioTimeMs(state, 1_090);
  const times = [1_032, 1_064, 1_096, 1_128, 1_480].map((endMs) => {
    onExamined(state, endMs);
    return audioTimeMs(state, 1_500);
  });
  expect(times).toEqual([1_090, 1_090, 1_096, 1_128, 1_500]);
});

test('goes on without audio that does not come at all, behind the present by the longest wait', () => {
  const state = examinedUpTo(1_000);
  expect(audioTimeMs(state, 5_000)).toBe(5_000 - MAX_STALL_WAIT_MS);
  onExamined(state, 5_010);
  expect(audioTimeMs(state, 5_020)).toBe(5_020);
});

test('ignores older windows', () => {
  const state = examinedUpTo(2_000);
  onExamined(state, 1_000);
  expect(audioTimeMs(state, 2_050)).toBe(2_050);
});
