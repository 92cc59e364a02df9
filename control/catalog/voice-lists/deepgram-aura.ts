import { deepgramAura } from '../../../shared/providers/deepgram.ts';
import { httpAddress, ProviderRequestError, requestBytes, requestJson } from '../provider-request.ts';
import { baseLanguage, type Gender, type Voice } from '../voice.ts';
import { listOf, MAX_VOICES, type OpenVoiceList, recordOf, textOf, type VoiceList, voiceIdOf } from './voice-list.ts';

const SAMPLE_RATE_HZ = 24_000;

/** Aura's voices: `GET /v1/models` lists all models of Deepgram (developers.deepgram.com); each voice is one of them. */
export function deepgramAuraVoices(settings: { DEEPGRAM_URL: string; DEEPGRAM_API_KEY: string }): VoiceList {
  const base = httpAddress(settings.DEEPGRAM_URL);
  const headers = { authorization: `Token ${settings.DEEPGRAM_API_KEY}` };

  async function all(signal: AbortSignal): Promise<Voice[]> {
    const { tts } = recordOf(await requestJson({ url: `${base}/v1/models`, headers, signal }));
    if (!Array.isArray(tts)) throw new ProviderRequestError('invalid', 'the response has no voices');
    // A voice is listed once for each of its versions.
    const byId = new Map(tts.flatMap((each) => voiceOf(each) ?? []).map((voice) => [voice.voice_id, voice]));
    return [...byId.values()].slice(0, MAX_VOICES);
  }

  return {
    provider: deepgramAura.name,
    remote: true,
    all,
    find: async (voiceId, signal) => (await all(signal)).find(({ voice_id }) => voice_id === voiceId) ?? null,
    canSpeak: async () => true,
    async speak({ voiceId, text }, signal) {
      const query = new URLSearchParams({
        ...{ model: voiceId, encoding: 'linear16', container: 'wav', sample_rate: String(SAMPLE_RATE_HZ) },
      });
      const wav = await requestBytes({ url: `${base}/v1/speak?${query}`, headers, body: { text }, signal });
      if (wav === null) throw new ProviderRequestError('invalid', 'the response has no audio');
      return wav;
    },
  };
}

const GENDERS: readonly [tag: string, Gender][] = [
  ['feminine', 'female'],
  ['masculine', 'male'],
];

function voiceOf(value: unknown): Voice | null {
  const voice = recordOf(value);
  const voice_id = voiceIdOf(voice.canonical_name);
  // Voices of an earlier generation, like `aura-asteria-en`, are no voices of these models.
  const model = Object.keys(deepgramAura.models).find((each) => voice_id?.startsWith(`${each}-`));
  if (voice_id === null || model === undefined) return null;
  const { accent, tags } = recordOf(voice.metadata);
  const words = listOf(tags).map((tag) => textOf(tag, 50));
  const name = textOf(voice.name, 200) || voice_id;
  const languages = listOf(voice.languages).map((tag) => baseLanguage(textOf(tag, 20)));
  return {
    provider: deepgramAura.name,
    voice_id,
    name: `${name[0]!.toUpperCase()}${name.slice(1)}`,
    gender: GENDERS.find(([tag]) => words.includes(tag))?.[1] ?? 'neutral',
    languages: [...new Set(languages)].filter((language) => language !== ''),
    models: [model],
    accent: textOf(accent, 100),
    description: words.filter((word) => !GENDERS.some(([tag]) => tag === word)).join(', '),
  };
}

export const voiceList: OpenVoiceList = deepgramAuraVoices;
