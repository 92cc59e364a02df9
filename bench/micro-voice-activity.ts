import { loadSilero } from '../media/turn/silero.ts';
import { createVad } from '../media/turn/vad.ts';
import { createLogger } from '../shared/log.ts';
import { callerFrames, type MicroCase } from './micro-cases.ts';

/**
 * Voice activity detection. `model`: Silero on a window of 32 ms. `one call alone`: from 20 ms frames of a recorded caller to
 * probabilities, including resampling and the noise floor.
 */

const WINDOWS = 32;
const FRAMES = 40;

export async function startVoiceActivityCases(): Promise<MicroCase[]> {
  const model = await loadSilero();
  const vad = createVad({ model, log: createLogger('bench', 'error') });
  const frames = callerFrames().slice(0, FRAMES);
  const speech = frames.flatMap((frame) => [...frame]);
  for (let at = 0; at < model.input.length; at++) model.input[at] = speech[at % speech.length]! / 32_768;
  const state = model.newState();
  const stream = vad.open(() => {});
  let atMs = 0;
  return [
    {
      ...{ group: 'voice activity', name: 'model, per window', times: WINDOWS, eachFrame: false },
      run() {
        for (let window = 0; window < WINDOWS; window++) model.run(state);
      },
    },
    {
      ...{ group: 'voice activity', name: 'one call alone, per frame', times: FRAMES, eachFrame: true },
      run() {
        for (const frame of frames) {
          atMs += 20;
          stream.push(frame, atMs);
        }
      },
    },
  ];
}
