import { expect, test } from 'vitest';
import { adaptToPause, adaptToTurn, NO_ADAPTATION } from '../../../media/turn/adaptive-endpointing.ts';
import { isEcho } from '../../../media/turn/echo.ts';
import { endpointingExtraMs } from '../../../media/turn/endpointing-delay.ts';
import { BANDS, bandPowers, createNoiseFloor } from '../../../media/turn/noise-floor.ts';
import { noSpeech, unbrokenSpeechMs, updateSpeech, WINDOW_MS } from '../../../media/turn/speech-state.ts';
import { periodicityOf } from '../../../media/turn/voicing.ts';

test('a prediction counts from 0.8 on, and up to 0.3', () => {
  const extra = (probability: number) =>
    endpointingExtraMs({ turnDetection: 'balanced', words: 'unsure', probability });
  expect([0.8, 0.79, 0.31, 0.3].map(extra)).toEqual([150, 300, 300, 800]);
});

test('a pause as long as the delay allows changes nothing', () => {
  expect(adaptToPause(NO_ADAPTATION, 350, 500)).toBe(NO_ADAPTATION);
  expect(adaptToTurn(NO_ADAPTATION, 350, 500)).toBe(NO_ADAPTATION);
});

test('speech starts at 0.5, goes on above 0.35, and is possible from 0.2 on', () => {
  const state = noSpeech();
  expect(state.possibleSpeech).toBe(false);
  expect(updateSpeech(state, 0.19, 32)).toBeNull();
  expect(state.possibleSpeech).toBe(false);
  expect(updateSpeech(state, 0.2, 64)).toBeNull();
  expect(state.possibleSpeech).toBe(true);
  expect(updateSpeech(state, 0.5, 96)).toBe('started');
  expect(state).toMatchObject({ startedMs: 64, lastSpeechMs: 96 });
  updateSpeech(state, 0.36, 128);
  expect(state).toMatchObject({ unbrokenSinceMs: 64, lastSpeechMs: 96 });
  updateSpeech(state, 0.35, 160);
  expect(state.unbrokenSinceMs).toBeNull();
});

test('three windows of periodicity 0.7 without a break are a voice', () => {
  const unbroken = (windows: [probability: number, periodicity: number][]) => {
    const state = noSpeech();
    for (const [index, [probability, periodicity]] of windows.entries()) {
      updateSpeech(state, probability, (index + 1) * WINDOW_MS, periodicity);
    }
    return unbrokenSpeechMs(state, windows.length * WINDOW_MS);
  };
  const [voiced, breath, silent] = [
    [0.9, 0.7],
    [0.9, 0.69],
    [0, 0],
  ] as [number, number][];
  expect(unbroken([voiced!, voiced!, voiced!])).toBe(96);
  expect(unbroken([voiced!, voiced!, breath!])).toBe(0);
  expect(unbroken([voiced!, voiced!, silent!, voiced!])).toBe(0);
});

test('a click at the beginning or the end of a window is not periodic', () => {
  for (const at of [0, 254]) {
    const window = new Float32Array(256);
    window.fill(0.9, at, at + 2);
    expect(periodicityOf(window, 8_000)).toBe(0);
  }
});

test.each([
  ['people tomorrow', true],
  ['peaple tomorrow', true],
  ['peopl tomorrow', true],
  ['eople tomorrow', true],
  ['peopples tomorrow', false],
  ['peapla tomorrow', false],
  ['peop tomorrow', false],
  ['thot people', true],
  ['tha people', false],
  ['thats people', true],
])('%s is an echo of "that people tomorrow": %s', (text, expected) => {
  expect(isEcho(text, 'that people tomorrow', true)).toBe(expected);
});

test('the four bands of a window by what repeats after one and two samples', () => {
  const bandsOf = (pattern: number[]) => {
    const powers = new Float64Array(BANDS);
    const window = Int16Array.from({ length: 34 }, (_, at) => 16_384 * pattern[at % pattern.length]!);
    expect(bandPowers(window, 1, powers)).toBeCloseTo(0.25, 9);
    return [...powers].map((power) => Number(power.toFixed(9)));
  };
  expect(bandsOf([1])).toEqual([0.5, 0, 0, 0.5]);
  expect(bandsOf([1, -1])).toEqual([0, 0.5, 0, 0.5]);
  expect(bandsOf([1, 1, -1, -1])).toEqual([0.25, 0.25, 0.5, 0]);
});

/** A noise floor with the same power in every band; `empty` and `speech` are windows that the model has run. */
function floor() {
  const noise = createNoiseFloor();
  const of = (power: number) => new Float64Array(BANDS).fill(power * 1e-4);
  const empty = (power: number, times = 1) => {
    for (let time = 0; time < times; time++) noise.update(of(power), 0.05);
  };
  const check = (power: number) => noise.check(of(power));
  return { check, empty, speech: (power: number, probability = 0.95) => noise.update(of(power), probability) };
}

test('the noise floor is known after sixteen similar windows without speech', () => {
  for (const [first, then] of [
    [1, 3],
    [3, 1],
  ] as const) {
    const { check, empty } = floor();
    empty(first, 8);
    empty(then, 15);
    expect(check(then)).toBe('louder');
    empty(then);
    expect(check(then)).toBe('noise');
  }
  const doubtful = floor();
  for (let time = 0; time < 20; time++) doubtful.speech(1, 0.1);
  expect(doubtful.check(1)).toBe('louder');
});

test('a louder floor needs sixteen windows in a row, and is in use at once', () => {
  for (const interrupt of ['speech', 'empty'] as const) {
    const { check, empty, ...rest } = floor();
    empty(1, 16);
    expect(check(2)).toBe('louder');
    empty(2, 15);
    ({ ...rest, empty })[interrupt](1);
    empty(2);
    expect(check(2)).toBe('louder');
    empty(2, 15);
    expect(check(2)).toBe('noise');
    empty(4);
    expect(check(4)).toBe('louder');
  }
});

test('after speech that is no louder than the noise six windows are run', () => {
  const { check, empty, speech } = floor();
  empty(1, 16);
  speech(1);
  for (let window = 0; window < 6; window++) {
    expect(check(1)).toBe('recheck');
    empty(1);
  }
  expect(check(1)).toBe('noise');
});

test('the floor rises by windows that were run, and falls by much softer ones that were not', () => {
  const { check, empty } = floor();
  empty(1, 16);
  for (let window = 0; window < 7; window++) expect(check(0.8)).toBe('noise');
  expect(check(1.54)).toBe('recheck');
  expect(check(1.56)).toBe('louder');
  empty(1.5, 40);
  expect(check(2.2)).not.toBe('louder');
  for (let window = 0; window < 20; window++) check(0.75);
  expect(check(2)).toBe('louder');
});
