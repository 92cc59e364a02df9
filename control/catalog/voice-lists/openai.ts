import { openAiSynthesizer } from '../../../shared/providers/openai.ts';
import { wavHeader } from '../../../shared/recordings/wav-header.ts';
import { ProviderRequestError, requestBytes } from '../provider-request.ts';
import type { Voice } from '../voice.ts';
import type { OpenVoiceList, VoiceList } from './voice-list.ts';

/** OpenAI's API lists no voices: they are in its documentation (developers.openai.com, "Text to speech"). */

const OF_EVERY_MODEL = 'alloy ash coral echo fable nova onyx sage shimmer'.split(' ');
const OF_GPT = 'ballad cedar marin verse'.split(' ');
const SAMPLE_RATE_HZ = 24_000;

const voice = (voice_id: string, models: readonly string[]): Voice => ({
  ...{ provider: openAiSynthesizer.name, voice_id, name: `${voice_id[0]!.toUpperCase()}${voice_id.slice(1)}` },
  // The vendor names no gender; every voice speaks every language.
  ...{ gender: 'neutral', languages: [], models: [...models], accent: '', description: '' },
});

const VOICES: readonly Voice[] = [
  ...OF_EVERY_MODEL.map((id) => voice(id, Object.keys(openAiSynthesizer.models))),
  ...OF_GPT.map((id) => voice(id, ['gpt-4o-mini-tts'])),
];

export function openAiVoices(settings: { OPENAI_BASE_URL: string; OPENAI_API_KEY: string }): VoiceList {
  return {
    provider: openAiSynthesizer.name,
    remote: false,
    all: async () => [...VOICES],
    find: async (voiceId) => VOICES.find(({ voice_id }) => voice_id === voiceId) ?? null,
    canSpeak: async () => true,
    async speak({ voiceId, model, text }, signal) {
      const audio = await requestBytes({
        url: `${settings.OPENAI_BASE_URL.replace(/\/+$/, '')}/audio/speech`,
        headers: { authorization: `Bearer ${settings.OPENAI_API_KEY}` },
        body: { model, voice: voiceId, input: text, response_format: 'pcm' },
        signal,
      });
      if (audio === null) throw new ProviderRequestError('invalid', 'the response has no audio');
      return Buffer.concat([wavHeader(SAMPLE_RATE_HZ, 1, audio.length), audio]);
    },
  };
}

export const voiceList: OpenVoiceList = openAiVoices;
