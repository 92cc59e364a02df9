import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { createResampler } from '../../../media/audio/resample.ts';
import { loadSilero } from '../../../media/turn/silero.ts';
import { readSileroWeights, SILERO_FILE } from '../../../media/turn/silero-weights.ts';
import { afterFile } from '../../support/after-file.ts';

let session: InferenceSession;
beforeAll(async () => {
  session = await InferenceSession.create(SILERO_FILE, { intraOpNumThreads: 1, interOpNumThreads: 1 });
});
afterAll(() => session.release());

test.each(['day-time', 'booking-request', 'cough'])(
  'gives what onnxruntime gives of the same file (%s)',
  async (name) => {
    const { samples } = loadSpeech(name);
    const resampler = createResampler(8_000, 16_000);
    const audio = new Int16Array(resampler.maxOutput(samples.length));
    const count = resampler.process(samples, audio);
    const model = await loadSilero();
    const state = model.newState();
    const sr = new Tensor('int64', BigInt64Array.of(16_000n), []);
    let layers = new Float32Array(256);
    let spoken = 0;
    for (let at = 64; at + 512 <= count; at += 512) {
      const row = Float32Array.from(audio.subarray(at - 64, at + 512), (sample) => sample / 32_768);
      model.input.set(row);
      const probability = model.run(state);
      const { output, stateN } = await session.run({
        input: new Tensor('float32', row, [1, row.length]),
        state: new Tensor('float32', layers, [2, 1, 128]),
        sr,
      });
      layers = stateN!.data as Float32Array<ArrayBuffer>;
      expect(Math.abs(probability - (output!.data as Float32Array)[0]!)).toBeLessThan(0.001);
      if (probability >= 0.5) spoken++;
    }
    if (name !== 'cough') expect(spoken).toBeGreaterThan(20);
  },
);

test('a file that is another model is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-model-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'other.onnx');
  writeFileSync(path, Buffer.of(0x3a, 0));
  const weights = await readSileroWeights(path);
  expect(() => weights('decoder.rnn.weight_ih', 65_536)).toThrow('has no weights decoder.rnn.weight_ih, not 65536');
  const own = await readSileroWeights();
  expect(() => own('decoder.rnn.bias_ih', 256)).toThrow('has 512 weights decoder.rnn.bias_ih, not 256');
});
