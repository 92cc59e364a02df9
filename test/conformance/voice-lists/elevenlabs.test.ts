import { afterAll, beforeAll, expect, it } from 'vitest';
import { elevenLabsVoices } from '../../../control/catalog/voice-lists/elevenlabs.ts';
import { type ElevenLabsSimulator, startElevenLabsSimulator } from '../../../fixtures/simulators/elevenlabs.ts';
import { describeRemoteVoiceList } from '../remote-voice-list-suite.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: ElevenLabsSimulator;
const listOf = ({ url }: ElevenLabsSimulator) => elevenLabsVoices({ ELEVENLABS_URL: url, ELEVENLABS_API_KEY: 'key' });

beforeAll(async () => {
  simulator = await startElevenLabsSimulator({ voices: [], apiKey: 'key' });
});
afterAll(() => simulator.close());

describeVoiceList('elevenlabs', () => listOf(simulator));

describeRemoteVoiceList('elevenlabs', async ({ voices = 2, apiKey }) => {
  const library = Array.from({ length: voices }, (_, n) => ({ voice_id: `v${n}`, name: `Voice ${n}` }));
  const own = await startElevenLabsSimulator({ library, ...(apiKey ? { apiKey } : {}) });
  return { list: listOf(own), faults: own.faults, close: () => own.close() };
});

it('a voice has the language of its label and those it was verified for', async () => {
  const sarah = await listOf(simulator).find('EXAVITQu4vr4xnSDxMaL', AbortSignal.timeout(5_000));
  expect(sarah).toMatchObject({ name: 'Sarah', gender: 'female', accent: 'american', languages: ['en', 'hi'] });
});
