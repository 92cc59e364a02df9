import { synthesizer } from './manifest.ts';

const MULTILINGUAL_V2 = 'en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru'.split(
  ' ',
);
const V2_5 = [...MULTILINGUAL_V2, 'hu', 'no', 'vi'];

export const elevenLabs = synthesizer({
  name: 'elevenlabs',
  label: 'ElevenLabs',
  adapter: 'elevenlabs',
  settings: {
    ELEVENLABS_API_KEY: { default: '', required: true, meaning: 'key of the ElevenLabs account' },
    ELEVENLABS_URL: { default: 'wss://api.elevenlabs.io', meaning: "address of ElevenLabs' streaming API" },
  },
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
