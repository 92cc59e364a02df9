import { cartesia } from '../../../shared/providers/cartesia.ts';
import { httpAddress, ProviderRequestError, requestBytes, requestJson } from '../provider-request.ts';
import { baseLanguage, type Gender, type Voice } from '../voice.ts';
import { MAX_PAGES, type OpenVoiceList, PAGE_SIZE, recordOf, textOf, type VoiceList, voiceIdOf } from './voice-list.ts';

const VERSION = '2026-03-01';
const SAMPLE_RATE_HZ = 22_050;

/** The voices that a Cartesia account can use: `GET /voices` (docs.cartesia.ai). */
export function cartesiaVoices(settings: { CARTESIA_URL: string; CARTESIA_API_KEY: string }): VoiceList {
  const base = httpAddress(settings.CARTESIA_URL);
  const headers = { 'x-api-key': settings.CARTESIA_API_KEY, 'cartesia-version': VERSION };
  return {
    provider: cartesia.name,
    remote: true,
    async all(signal) {
      const voices: Voice[] = [];
      let last = '';
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
        if (last !== '') query.set('starting_after', last);
        const body = recordOf(await requestJson({ url: `${base}/voices?${query}`, headers, signal }));
        if (!Array.isArray(body.data)) throw new ProviderRequestError('invalid', 'the response has no voices');
        voices.push(...body.data.flatMap((each) => voiceOf(each) ?? []));
        const next = voiceIdOf(recordOf(body.data.at(-1)).id) ?? '';
        // A page that ends like the one before would lead in a circle.
        if (body.has_more !== true || next === '' || next === last) break;
        last = next;
      }
      return voices;
    },
    async find(voiceId, signal) {
      const url = `${base}/voices/${encodeURIComponent(voiceId)}`;
      try {
        return voiceOf(await requestJson({ url, headers, signal }));
      } catch (error) {
        // What is no UUID is a bad request here.
        if (error instanceof ProviderRequestError && /^HTTP (400|422)$/.test(error.message)) return null;
        throw error;
      }
    },
    canSpeak: async () => true,
    async speak({ voiceId, model, language, text }, signal) {
      const body = {
        model_id: model,
        transcript: text,
        voice: { mode: 'id', id: voiceId },
        language,
        output_format: { container: 'wav', encoding: 'pcm_s16le', sample_rate: SAMPLE_RATE_HZ },
      };
      const wav = await requestBytes({ url: `${base}/tts/bytes`, headers, body, signal });
      if (wav === null) throw new ProviderRequestError('invalid', 'the response has no audio');
      return wav;
    },
  };
}

const GENDERS: Record<string, Gender> = { feminine: 'female', masculine: 'male' };

function voiceOf(value: unknown): Voice | null {
  const voice = recordOf(value);
  const voice_id = voiceIdOf(voice.id);
  if (voice_id === null) return null;
  const language = baseLanguage(textOf(voice.language, 20));
  return {
    provider: cartesia.name,
    voice_id,
    name: textOf(voice.name, 200) || voice_id,
    gender: GENDERS[textOf(voice.gender, 20)] ?? 'neutral',
    languages: language === '' ? [] : [language],
    models: Object.keys(cartesia.models),
    accent: textOf(voice.country, 100),
    description: textOf(voice.description, 500),
  };
}

export const voiceList: OpenVoiceList = cartesiaVoices;
