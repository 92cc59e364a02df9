import { synthesizer, transcriber } from './manifest.ts';

const SARVAM_API_KEY = {
  default: '',
  required: true,
  meaning: 'key of the Sarvam account, for its transcriber and its synthesizer',
} as const;

const INDIAN = 'hi bn ta te kn ml mr gu pa or en'.split(' ');
const SCHEDULED = [...INDIAN, ...'as ur ne sa sd ks kok mai doi brx mni sat'.split(' ')];

export const sarvamTranscriber = transcriber({
  name: 'sarvam',
  label: 'Sarvam Saaras',
  adapter: 'sarvam',
  settings: {
    SARVAM_API_KEY,
    SARVAM_STT_URL: { default: 'wss://api.sarvam.ai', meaning: "address of Sarvam's streaming transcription" },
  },
  defaultModel: 'saaras:v3-realtime',
  models: {
    'saaras:v3-realtime': {
      description: 'the scheduled languages of India and Indian English',
      languages: SCHEDULED,
      keyterms: false,
    },
    'saaras:v4': { description: 'the newest; takes `keyterms`', languages: SCHEDULED },
  },
  concurrencyAccount: 'sarvam-stt',
  price: { currency: 'INR', models: { '*': 0.5 } },
  capabilities: { turnDetection: false, keyterms: true },
});

export const sarvamSynthesizer = synthesizer({
  name: 'sarvam',
  label: 'Sarvam Bulbul',
  adapter: 'sarvam',
  settings: {
    SARVAM_API_KEY,
    SARVAM_TTS_URL: { default: 'wss://api.sarvam.ai', meaning: "address of Sarvam's streaming synthesis" },
  },
  defaultModel: 'bulbul:v3',
  models: {
    'bulbul:v3': { description: 'Indian voices for ten Indian languages and Indian English', languages: INDIAN },
    'bulbul:v2': { description: 'the generation before, at half the price', languages: INDIAN },
  },
  defaultVoice: 'shubh',
  concurrencyAccount: 'sarvam-tts',
  price: { currency: 'INR', models: { '*': 3, 'bulbul:v3': 3, 'bulbul:v2': 1.5 } },
  capabilities: { speed: { min: 0.5, max: 2 }, wordTimings: false },
});
