import { expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { createBlockConverter } from '../../../media/audio/block-converter.ts';
import { createResampler } from '../../../media/audio/resample.ts';

test.each([
  [8_000, 48_000],
  [48_000, 8_000],
  [16_000, 48_000],
  [48_000, 16_000],
  [24_000, 48_000],
  [48_000, 24_000],
  [8_000, 16_000],
  [16_000, 16_000],
])('blocks from %i to %i Hz are what the resampler makes of the stream', (fromHz, toHz) => {
  const { samples } = loadSpeech('okay');
  const [inputs, outputs] = [fromHz / 50, toHz / 50];
  const resampler = createResampler(fromHz, toHz);
  const { input, earlier, output, run } = createBlockConverter(fromHz, toHz, outputs);
  const expected = new Int16Array(outputs);
  for (let at = 0; at + inputs <= samples.length; at += inputs) {
    input.copyWithin(0, inputs);
    input.set(samples.subarray(at, at + inputs), earlier);
    run();
    resampler.process(samples.subarray(at, at + inputs), expected);
    // It rounds and does not wrap.
    for (let i = 0; i < outputs; i++) {
      const limited = Math.max(-32_768, Math.min(32_767, output[i]!));
      expect(Math.abs(limited - expected[i]!)).toBeLessThan(0.51);
    }
  }
});

test('refuses blocks that are no whole number of samples', () => {
  expect(() => createBlockConverter(11_025, 48_000, 960)).toThrow(RangeError);
  expect(() => createBlockConverter(8_000, 48_000, 950)).toThrow(RangeError);
});
