import { azureLocale, azureSpeechAddress, azureSynthesizer } from '../../../shared/providers/azure-speech.ts';
import { httpAddress, ProviderRequestError, requestBytes, requestJson } from '../provider-request.ts';
import { baseLanguage, type Gender, type Voice } from '../voice.ts';
import { listOf, MAX_VOICES, type OpenVoiceList, recordOf, textOf, type VoiceList, voiceIdOf } from './voice-list.ts';

/** The voices of a region: `GET /cognitiveservices/voices/list` (learn.microsoft.com, "Text to speech REST API"). */
export function azureSpeechVoices({ url, apiKey }: { url: string; apiKey: string }): VoiceList {
  const base = `${httpAddress(url)}/cognitiveservices`;
  const headers = { 'ocp-apim-subscription-key': apiKey };

  async function all(signal: AbortSignal): Promise<Voice[]> {
    if (url === '') throw new ProviderRequestError('invalid', 'AZURE_SPEECH_REGION is not the name of a region');
    const voices = listOf(await requestJson({ url: `${base}/voices/list`, headers, signal }));
    if (voices.length === 0) throw new ProviderRequestError('invalid', 'the response has no voices');
    return voices.flatMap((each) => voiceOf(each) ?? []).slice(0, MAX_VOICES);
  }

  return {
    provider: azureSynthesizer.name,
    remote: true,
    all,
    find: async (voiceId, signal) => (await all(signal)).find(({ voice_id }) => voice_id === voiceId) ?? null,
    canSpeak: async () => url !== '',
    async speak({ voiceId, language, text }, signal) {
      const locale = azureLocale(language) ?? 'en-US';
      const wav = await requestBytes({
        url: `${base}/v1`,
        headers: {
          ...headers,
          'content-type': 'application/ssml+xml',
          'x-microsoft-outputformat': 'riff-24khz-16bit-mono-pcm',
          'user-agent': 'antiphon',
        },
        body: `<speak version="1.0" xml:lang="${locale}"><voice name="${escaped(voiceId)}">${escaped(text)}</voice></speak>`,
        signal,
      });
      if (wav === null) throw new ProviderRequestError('invalid', 'the response has no audio');
      return wav;
    },
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

const GENDERS: Record<string, Gender> = { Female: 'female', Male: 'male' };

function voiceOf(value: unknown): Voice | null {
  const voice = recordOf(value);
  const voice_id = voiceIdOf(voice.ShortName);
  if (voice_id === null) return null;
  const locales = [voice.Locale, ...listOf(voice.SecondaryLocaleList)].map((each) => textOf(each, 20));
  return {
    provider: azureSynthesizer.name,
    voice_id,
    name: textOf(voice.DisplayName, 200) || voice_id,
    gender: GENDERS[textOf(voice.Gender, 20)] ?? 'neutral',
    languages: [...new Set(locales.map(baseLanguage))].filter((language) => language !== ''),
    models: Object.keys(azureSynthesizer.models),
    accent: textOf(voice.LocaleName, 100),
    description: '',
  };
}

export const voiceList: OpenVoiceList = ({ AZURE_SPEECH_REGION, AZURE_SPEECH_KEY }) =>
  azureSpeechVoices({ url: azureSpeechAddress('tts', AZURE_SPEECH_REGION) ?? '', apiKey: AZURE_SPEECH_KEY });
