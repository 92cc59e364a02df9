import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAiVoices } from '../../../control/catalog/voice-lists/openai.ts';
import { type OpenAiSpeechSimulator, startOpenAiSpeechSimulator } from '../../../fixtures/simulators/openai-speech.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: OpenAiSpeechSimulator;
const list = () => openAiVoices({ OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: 'key' });

beforeAll(async () => {
  simulator = await startOpenAiSpeechSimulator({ apiKey: 'key', firstAudioMs: 1, realtimeFactor: 10_000 });
});
afterAll(() => simulator.close());

describeVoiceList('openai', list);

it('every voice speaks with each of its models', async () => {
  const signal = AbortSignal.timeout(20_000);
  for (const { voice_id, models } of await list().all(signal)) {
    for (const model of models) {
      const wav = await list().speak({ voiceId: voice_id, model, language: 'hi', text: 'Hi' }, signal);
      expect(wav.length, voice_id).toBeGreaterThan(44);
    }
  }
});
