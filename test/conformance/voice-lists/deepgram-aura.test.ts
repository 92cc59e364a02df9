import { afterAll, beforeAll, expect, it } from 'vitest';
import { deepgramAuraVoices } from '../../../control/catalog/voice-lists/deepgram-aura.ts';
import { type AuraSimulator, startAuraSimulator } from '../../../fixtures/simulators/deepgram-aura.ts';
import { describeRemoteVoiceList } from '../remote-voice-list-suite.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: AuraSimulator;
const voicesOf = ({ url }: AuraSimulator) => deepgramAuraVoices({ DEEPGRAM_URL: url, DEEPGRAM_API_KEY: 'key' });

beforeAll(async () => {
  simulator = await startAuraSimulator({ apiKey: 'key' });
});
afterAll(() => simulator.close());

describeVoiceList('deepgram_aura', () => voicesOf(simulator));

/** Letters only, as in the names of real voices. */
const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

describeRemoteVoiceList('deepgram_aura', async ({ voices, apiKey = 'key' }) => {
  const library = Array.from({ length: voices ?? 1 }, (_, index) => ({
    ...{
      name: letters(index),
      canonical_name: `aura-2-${letters(index)}-en`,
      architecture: 'aura-2',
      languages: ['en'],
    },
  }));
  const remote = await startAuraSimulator({ apiKey, voices: library });
  return {
    list: voicesOf(remote),
    faults: remote.faults,
    shape: { body: (tts) => ({ stt: [], tts }), id: 'aura-2-ok-en' },
    close: () => remote.close(),
  };
});

it('has voices of Aura-2 only, with language, accent and gender', async () => {
  expect(await voicesOf(simulator).all(AbortSignal.timeout(5_000))).toMatchObject([
    { name: 'Thalia', gender: 'female', languages: ['en'], accent: 'American', description: 'clear, confident' },
    { name: 'Nestor', gender: 'male', languages: ['es'], models: ['aura-2'] },
  ]);
});
