import { afterAll, beforeAll, expect, it } from 'vitest';
import { sarvamVoices } from '../../../control/catalog/voice-lists/sarvam.ts';
import {
  type SarvamSynthesizerSimulator,
  startSarvamSynthesizerSimulator,
} from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: SarvamSynthesizerSimulator;
const list = () => sarvamVoices({ SARVAM_TTS_URL: simulator.url, SARVAM_API_KEY: 'key' });

beforeAll(async () => {
  simulator = await startSarvamSynthesizerSimulator({ apiKey: 'key' });
});
afterAll(() => simulator.close());

describeVoiceList('sarvam', list);

it('every voice speaks with its own model', async () => {
  const signal = AbortSignal.timeout(20_000);
  for (const { voice_id, models } of await list().all(signal)) {
    const sentence = { voiceId: voice_id, model: models[0]!, language: 'or', text: 'Hi' };
    expect((await list().speak(sentence, signal)).length, voice_id).toBeGreaterThan(44);
  }
});
