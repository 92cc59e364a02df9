import { loadSilero } from '../media/turn/silero.ts';
import { loadVad } from '../media/turn/vad.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { callerFrames, type MicroCase } from './micro-cases.ts';

/**
 * Voice activity detection. `model`: one run of Silero in its thread, including the messages, by windows of 32 ms per batch.
 * `one call alone`: from 20 ms frames of a recorded caller to probabilities, including resampling and the noise floor.
 */

const BATCHES = [1, 8, 32] as const;
/** A number of frames that makes whole windows: 8 of 20 ms are 5 of 32 ms. */
const FRAMES = 40;
const WITHIN_MS = 5_000;

export async function startVoiceActivityCases(): Promise<{ cases: MicroCase[]; close(): Promise<void> }> {
  const model = await loadSilero(systemClock);
  const vad = await loadVad({ clock: systemClock, log: createLogger('bench', 'error') });
  const frames = callerFrames().slice(0, FRAMES);
  const speech = frames.flatMap((frame) => [...frame]);
  for (let at = 0; at < model.input.length; at++) model.input[at] = speech[at % speech.length]! / 32_768;

  const cases: MicroCase[] = BATCHES.map((size) => ({
    ...{ group: 'voice activity', name: `model, batch of ${size}, per window`, times: size, eachFrame: false },
    run: () => model.run(size),
  }));
  let windows = 0;
  const stream = vad.open(() => windows++);
  cases.push({
    ...{ group: 'voice activity', name: 'one call alone, per frame', times: FRAMES, eachFrame: true },
    async run() {
      windows = 0;
      const startMs = performance.now();
      for (const [index, frame] of frames.entries()) {
        stream.push(frame, performance.now());
        // The next frame comes when the model is idle, as in a call.
        while (windows < Math.floor(((index + 1) * 20) / 32)) {
          if (performance.now() - startMs > WITHIN_MS) throw new Error('voice activity did not answer');
          await new Promise((next) => setImmediate(next));
        }
      }
    },
  });
  return {
    cases,
    async close() {
      await vad.close();
      await model.close();
    },
  };
}
