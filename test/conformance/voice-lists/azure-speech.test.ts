import { afterAll, beforeAll, expect, it } from 'vitest';
import { azureSpeechVoices } from '../../../control/catalog/voice-lists/azure-speech.ts';
import {
  type AzureSynthesizerSimulator,
  startAzureSynthesizerSimulator,
} from '../../../fixtures/simulators/azure-synthesizer.ts';
import { describeRemoteVoiceList } from '../remote-voice-list-suite.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: AzureSynthesizerSimulator;
const voicesOf = ({ url }: AzureSynthesizerSimulator) => azureSpeechVoices({ url, apiKey: 'key' });

beforeAll(async () => {
  simulator = await startAzureSynthesizerSimulator({ apiKey: 'key' });
});
afterAll(() => simulator.close());

describeVoiceList('azure_speech', () => voicesOf(simulator));

describeRemoteVoiceList('azure_speech', async ({ voices, apiKey = 'key' }) => {
  const library = Array.from({ length: voices ?? 1 }, (_, index) => ({
    ...{ ShortName: `hi-IN-V${index}Neural`, DisplayName: 'V', LocalName: 'V', Gender: 'Female', Locale: 'hi-IN' },
  }));
  const remote = await startAzureSynthesizerSimulator({ apiKey, voices: library });
  return {
    list: voicesOf(remote),
    faults: remote.faults,
    shape: { body: (entries) => entries, id: 'ok' },
    close: () => remote.close(),
  };
});

it('a voice of several languages has them all', async () => {
  const voices = await voicesOf(simulator).all(AbortSignal.timeout(5_000));
  expect(voices.map(({ languages }) => languages)).toEqual([['hi'], ['en', 'de', 'hi']]);
});

it('markup in a sentence is spoken, not obeyed', async () => {
  const sentence = { voiceId: 'hi-IN-SwaraNeural', model: 'neural', language: 'hi', text: '</voice> & "so" <on>' };
  const wav = await voicesOf(simulator).speak(sentence, AbortSignal.timeout(5_000));
  expect(wav.length).toBeGreaterThan(44);
});

it('a region that is none is asked nothing', async () => {
  const list = azureSpeechVoices({ url: '', apiKey: 'key' });
  await expect(list.all(AbortSignal.timeout(5_000))).rejects.toThrow('AZURE_SPEECH_REGION');
});
