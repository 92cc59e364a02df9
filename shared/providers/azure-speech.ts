import { synthesizer, transcriber } from './manifest.ts';

/** Transcriber and synthesizer are one resource. */
const settings = {
  AZURE_SPEECH_KEY: { default: '', required: true, meaning: 'key of the Azure Speech resource' },
  AZURE_SPEECH_REGION: { default: '', required: true, meaning: 'its region, like `centralindia`' },
} as const;

/** The locale that a language means to Azure when none is named. */
const LOCALES: Readonly<Record<string, string>> = {
  ...{ en: 'en-US', hi: 'hi-IN', bn: 'bn-IN', ta: 'ta-IN', te: 'te-IN', mr: 'mr-IN', gu: 'gu-IN', kn: 'kn-IN' },
  ...{ ml: 'ml-IN', pa: 'pa-IN', or: 'or-IN', as: 'as-IN', ur: 'ur-IN', ne: 'ne-NP', si: 'si-LK', ar: 'ar-SA' },
  ...{ es: 'es-ES', fr: 'fr-FR', de: 'de-DE', pt: 'pt-BR', it: 'it-IT', nl: 'nl-NL', ru: 'ru-RU', uk: 'uk-UA' },
  ...{ pl: 'pl-PL', cs: 'cs-CZ', sk: 'sk-SK', hu: 'hu-HU', ro: 'ro-RO', bg: 'bg-BG', el: 'el-GR', tr: 'tr-TR' },
  ...{ sv: 'sv-SE', da: 'da-DK', no: 'nb-NO', fi: 'fi-FI', he: 'he-IL', fa: 'fa-IR', id: 'id-ID', ms: 'ms-MY' },
  ...{ th: 'th-TH', vi: 'vi-VN', zh: 'zh-CN', ja: 'ja-JP', ko: 'ko-KR', sw: 'sw-KE' },
};
const LANGUAGES = Object.keys(LOCALES);

/** The locale of a language tag: its own where it names a country, else the usual one; null: Azure has none. */
export function azureLocale(tag: string): string | null {
  const [base = '', country = ''] = tag.trim().split(/[-_]/);
  const usual = LOCALES[base.toLowerCase()];
  if (usual === undefined) return null;
  return /^[a-z]{2}$/i.test(country) ? `${usual.split('-')[0]}-${country.toUpperCase()}` : usual;
}

/** The address of Azure Speech in a region; null: no region has such a name, and nothing is sent anywhere. */
export function azureSpeechAddress(of: 'stt' | 'tts', region: string): string | null {
  return /^[a-z][a-z0-9]{1,29}$/.test(region) ? `wss://${region}.${of}.speech.microsoft.com` : null;
}

export const azureTranscriber = transcriber({
  name: 'azure_speech',
  label: 'Azure Speech',
  adapter: 'azure-speech',
  settings,
  defaultModel: 'conversation',
  models: {
    conversation: { description: 'the general model of each language, for calls', languages: LANGUAGES },
  },
  concurrencyAccount: 'azure-speech-stt',
  price: { currency: 'USD', models: { '*': 0.0167 } },
  capabilities: { turnDetection: false, keyterms: true },
});

export const azureSynthesizer = synthesizer({
  name: 'azure_speech',
  label: 'Azure Speech',
  adapter: 'azure-speech',
  settings,
  defaultModel: 'neural',
  models: { neural: { description: 'voices of many languages, most Indian ones among them', languages: LANGUAGES } },
  defaultVoice: 'hi-IN-SwaraNeural',
  concurrencyAccount: 'azure-speech-tts',
  price: { currency: 'USD', models: { '*': 0.015 } },
  capabilities: { speed: { min: 0.5, max: 2 }, wordTimings: true },
});
