import { synthesizer, transcriber } from './manifest.ts';

const MULTILINGUAL_V2 = 'en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru'.split(
  ' ',
);
const V2_5 = [...MULTILINGUAL_V2, 'hu', 'no', 'vi'];

const SCRIBE = (
  'en hi ta te bn mr gu kn ml pa ur or as ne es fr de it pt nl pl ru uk cs sk ro bg hr sr sl hu el tr ar he fa ' +
  'id ms fil th vi ja ko zh sv da no fi et lv lt is sw af az ka hy kk mk bs ca gl mt cy'
).split(' ');

/** The transcriber and the synthesizer share one account. */
const settings = {
  ELEVENLABS_API_KEY: {
    default: '',
    required: true,
    meaning: 'key of the ElevenLabs account, for its transcriber and its synthesizer',
  },
  ELEVENLABS_URL: { default: 'wss://api.elevenlabs.io', meaning: "address of ElevenLabs' streaming API" },
} as const;

export const elevenLabsTranscriber = transcriber({
  name: 'elevenlabs',
  label: 'ElevenLabs Scribe',
  adapter: 'elevenlabs',
  settings,
  defaultModel: 'scribe_v2_realtime',
  models: {
    scribe_v2_realtime: { description: 'ninety languages; finds the language itself', languages: SCRIBE },
  },
  concurrencyAccount: 'elevenlabs-stt',
  price: { currency: 'USD', models: { '*': 0.0065 } },
  capabilities: { turnDetection: false, keyterms: true },
});

export const elevenLabs = synthesizer({
  name: 'elevenlabs',
  label: 'ElevenLabs',
  adapter: 'elevenlabs',
  settings,
  defaultModel: 'eleven_flash_v2_5',
  models: {
    eleven_flash_v2_5: { description: 'the quickest, made for conversations', languages: V2_5 },
    eleven_turbo_v2_5: { description: 'between speed and quality', languages: V2_5 },
    eleven_multilingual_v2: { description: 'the most lifelike; later to its first audio', languages: MULTILINGUAL_V2 },
  },
  // Sarah, one of the voices that every account has.
  defaultVoice: 'EXAVITQu4vr4xnSDxMaL',
  concurrencyAccount: 'elevenlabs',
  price: {
    currency: 'USD',
    models: { '*': 0.1, eleven_flash_v2_5: 0.05, eleven_turbo_v2_5: 0.05, eleven_multilingual_v2: 0.1 },
  },
  capabilities: { speed: { min: 0.7, max: 1.2 }, wordTimings: true },
});
