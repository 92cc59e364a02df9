import { synthesizer, transcriber } from './manifest.ts';

const SARVAM_API_KEY = {
  default: '',
  required: true,
  meaning: 'key of the Sarvam account, for its transcriber and its synthesizer',
} as const;

export const sarvamTranscriber = transcriber({
  name: 'sarvam',
  label: 'Sarvam Saaras',
  adapter: 'sarvam',
  settings: {
    SARVAM_API_KEY,
    SARVAM_STT_URL: { default: 'wss://api.sarvam.ai', meaning: "address of Sarvam's streaming transcription" },
  },
  defaultModel: 'saaras:v3-realtime',
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
  concurrencyAccount: 'sarvam-tts',
  price: { currency: 'INR', models: { '*': 3, 'bulbul:v3': 3, 'bulbul:v2': 1.5 } },
  capabilities: { wordTimings: false },
});
