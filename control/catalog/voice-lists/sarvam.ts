import { sarvamSynthesizer } from '../../../shared/providers/sarvam.ts';
import { httpAddress, ProviderRequestError, requestJson } from '../provider-request.ts';
import type { Gender, Voice } from '../voice.ts';
import { listOf, type OpenVoiceList, recordOf, type VoiceList } from './voice-list.ts';

/** Sarvam's API lists cloned voices only; its own speakers are in its documentation (docs.sarvam.ai). */

/** The first of each generation is the vendor's default. */
const SPEAKERS: Record<string, Record<'female' | 'male', string>> = {
  'bulbul:v3': {
    female: 'ritu priya neha pooja simran kavya ishita shreya roopa tanya shruti suhani kavitha rupali niharika',
    male:
      'shubh aditya rahul rohan amit dev ratan varun manan sumit kabir aayan ashutosh advait anand tarun sunny mani ' +
      'gokul vijay mohit rehan soham',
  },
  'bulbul:v2': { female: 'anushka manisha vidya arya', male: 'abhilash karun hitesh' },
};

const SAMPLE_RATE_HZ = 22_050;

const VOICES: readonly Voice[] = Object.entries(SPEAKERS).flatMap(([model, byGender]) =>
  Object.entries(byGender).flatMap(([gender, names]) =>
    names.split(' ').map((voice_id) => ({
      provider: sarvamSynthesizer.name,
      voice_id,
      name: `${voice_id[0]!.toUpperCase()}${voice_id.slice(1)}`,
      gender: gender as Gender,
      languages: [...sarvamSynthesizer.models['bulbul:v3'].languages],
      models: [model],
      accent: 'Indian',
      description: '',
    })),
  ),
);

export function sarvamVoices(settings: { SARVAM_TTS_URL: string; SARVAM_API_KEY: string }): VoiceList {
  return {
    provider: sarvamSynthesizer.name,
    remote: false,
    all: async () => [...VOICES],
    find: async (voiceId) => VOICES.find(({ voice_id }) => voice_id === voiceId.toLowerCase()) ?? null,
    canSpeak: async () => true,
    async speak({ voiceId, model, language, text }, signal) {
      const body = {
        text,
        model,
        speaker: voiceId,
        // The vendor writes Odia `od`.
        target_language_code: `${language === 'or' ? 'od' : language}-IN`,
        speech_sample_rate: SAMPLE_RATE_HZ,
        output_audio_codec: 'wav',
      };
      const url = `${httpAddress(settings.SARVAM_TTS_URL)}/text-to-speech`;
      const headers = { 'api-subscription-key': settings.SARVAM_API_KEY };
      const [audio] = listOf(recordOf(await requestJson({ url, headers, body, signal })).audios);
      if (typeof audio !== 'string' || audio === '') {
        throw new ProviderRequestError('invalid', 'the response has no audio');
      }
      return Buffer.from(audio, 'base64');
    },
  };
}

export const voiceList: OpenVoiceList = sarvamVoices;
