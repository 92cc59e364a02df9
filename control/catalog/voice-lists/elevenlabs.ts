import { elevenLabs } from '../../../shared/providers/elevenlabs.ts';
import { wavHeader } from '../../../shared/recordings/wav-header.ts';
import { httpAddress, ProviderRequestError, requestBytes, requestJson } from '../provider-request.ts';
import { baseLanguage, type Gender, type Voice } from '../voice.ts';
import {
  listOf,
  MAX_PAGES,
  type OpenVoiceList,
  PAGE_SIZE,
  recordOf,
  textOf,
  type VoiceList,
  voiceIdOf,
} from './voice-list.ts';

const SAMPLE_RATE_HZ = 22_050;

/** The voices of an ElevenLabs account: `GET /v2/voices` and `GET /v1/voices/{id}` (elevenlabs.io/docs). */
export function elevenLabsVoices(settings: { ELEVENLABS_URL: string; ELEVENLABS_API_KEY: string }): VoiceList {
  const base = httpAddress(settings.ELEVENLABS_URL);
  const headers = { 'xi-api-key': settings.ELEVENLABS_API_KEY };
  return {
    provider: elevenLabs.name,
    remote: true,
    async all(signal) {
      const voices: Voice[] = [];
      let token = '';
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = new URLSearchParams({ page_size: String(PAGE_SIZE) });
        if (token !== '') query.set('next_page_token', token);
        const body = recordOf(await requestJson({ url: `${base}/v2/voices?${query}`, headers, signal }));
        if (!Array.isArray(body.voices)) throw new ProviderRequestError('invalid', 'the response has no voices');
        voices.push(...body.voices.flatMap((each) => voiceOf(each) ?? []));
        const next = textOf(body.next_page_token, 1_000);
        // A token that does not change would lead in a circle.
        if (body.has_more !== true || next === '' || next === token) break;
        token = next;
      }
      return voices;
    },
    async find(voiceId, signal) {
      const url = `${base}/v1/voices/${encodeURIComponent(voiceId)}`;
      try {
        return voiceOf(await requestJson({ url, headers, signal }));
      } catch (error) {
        // An unknown id is a bad request here.
        if (error instanceof ProviderRequestError && /^HTTP (400|422)$/.test(error.message)) return null;
        throw error;
      }
    },
    canSpeak: async () => true,
    async speak({ voiceId, model, language, text }, signal) {
      const query = `output_format=pcm_${SAMPLE_RATE_HZ}`;
      const url = `${base}/v1/text-to-speech/${encodeURIComponent(voiceId)}?${query}`;
      const takesLanguage = /^eleven_(flash|turbo)_v2_5$/.test(model);
      const body = { text, model_id: model, ...(takesLanguage ? { language_code: language } : {}) };
      const samples = await requestBytes({ url, headers, body, signal });
      if (samples === null || samples.length < 2)
        throw new ProviderRequestError('invalid', 'the response has no audio');
      return Buffer.concat([wavHeader(SAMPLE_RATE_HZ, 1, samples.length), samples]);
    },
  };
}

const GENDERS: Record<string, Gender> = { female: 'female', male: 'male' };

function voiceOf(value: unknown): Voice | null {
  const voice = recordOf(value);
  const voice_id = voiceIdOf(voice.voice_id);
  if (voice_id === null) return null;
  const labels = recordOf(voice.labels);
  const verified = listOf(voice.verified_languages).map((each) => textOf(recordOf(each).language, 20));
  const languages = [textOf(labels.language, 20), ...verified].filter((each) => each !== '').map(baseLanguage);
  return {
    provider: elevenLabs.name,
    voice_id,
    name: textOf(voice.name, 200) || voice_id,
    gender: GENDERS[textOf(labels.gender, 20).toLowerCase()] ?? 'neutral',
    languages: [...new Set(languages)].slice(0, 100),
    models: Object.keys(elevenLabs.models),
    accent: textOf(labels.accent, 100),
    description: textOf(voice.description, 500) || textOf(labels.descriptive ?? labels.description, 200),
  };
}

export const voiceList: OpenVoiceList = elevenLabsVoices;
