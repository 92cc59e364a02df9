import { expect, it } from 'vitest';
import { localVoices } from '../../../control/catalog/voice-lists/local.ts';
import { espeakVoice } from '../../../media/tts/espeak-voice.ts';
import { localSynthesizer } from '../../../shared/providers/local-speech.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

describeVoiceList('local', () => localVoices({ ESPEAK_BIN: 'espeak-ng' }));

it('the engine speaks every language of the manifest', () => {
  const fallback = espeakVoice('xx', '');
  const unknown = localSynthesizer.models['espeak-ng'].languages.filter(
    (language) => language !== 'en' && espeakVoice(language, '') === fallback,
  );
  expect(unknown).toEqual([]);
});

it('a missing program is an error', async () => {
  const sentence = { voiceId: 'm3', model: 'espeak-ng', language: 'en', text: 'Hi' };
  const list = localVoices({ ESPEAK_BIN: '/nowhere/espeak-ng' });
  await expect(list.speak(sentence, AbortSignal.timeout(5_000))).rejects.toThrow('espeak-ng: ENOENT');
});
