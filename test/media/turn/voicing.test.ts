import { describe, expect, test } from 'vitest';
import { loadSpeech, speechNames } from '../../../fixtures/speech.ts';
import { noSpeech, unbrokenSpeechMs, updateSpeech, WINDOW_MS } from '../../../media/turn/speech-state.ts';
import { periodicityOf } from '../../../media/turn/voicing.ts';

const wave = (count: number, rateHz: number, hz: number, level = 0.3) =>
  Float32Array.from({ length: count }, (_, at) => {
    const phase = (2 * Math.PI * hz * at) / rateHz;
    // A voice has overtones.
    return level * (Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase));
  });

function noise(count: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.5;
  });
}

test.each([90, 150, 220, 350])('a voice of %i Hz is periodic, at either rate', (hz) => {
  expect(periodicityOf(wave(256, 8_000, hz), 8_000)).toBeGreaterThan(0.9);
  expect(periodicityOf(wave(512, 16_000, hz), 16_000)).toBeGreaterThan(0.9);
});

test('hiss is not periodic, and silence is 0', () => {
  expect(periodicityOf(noise(512), 16_000)).toBeLessThan(0.6);
  expect(periodicityOf(new Float32Array(512), 16_000)).toBe(0);
});

/** The longest unbroken speech of a recording when every loud window counts as speech, the model's worst case. */
function longestVoiceMs(name: string, offset: number): number {
  const { samples, speech } = loadSpeech(name);
  const state = noSpeech();
  let longest = 0;
  for (let from = offset; from + 256 <= samples.length; from += 256) {
    const window = Float32Array.from(samples.subarray(from, from + 256), (sample) => sample / 32_768);
    const isLoud = speech.some(({ start, end }) => from < end && from + 256 > start);
    const endMs = ((from + 256) / 256) * WINDOW_MS;
    updateSpeech(state, isLoud ? 0.9 : 0, endMs, periodicityOf(window, 8_000));
    longest = Math.max(longest, unbrokenSpeechMs(state, endMs));
  }
  return longest;
}

describe.each([0, 64, 128, 192])('windows that begin at sample %i', (offset) => {
  const named = (kind: string) => speechNames().filter((name) => loadSpeech(name).kind === kind);

  test.each(named('cough'))('%s is unvoiced', (name) => {
    expect(longestVoiceMs(name, offset)).toBe(0);
  });

  test.each(named('interruption'))('%s is voiced', (name) => {
    expect(longestVoiceMs(name, offset)).toBeGreaterThan(300);
  });
});
