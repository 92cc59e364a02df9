import { synthesizer } from './manifest.ts';

export const elevenLabs = synthesizer({
  name: 'elevenlabs',
  label: 'ElevenLabs',
  adapter: 'elevenlabs',
  settings: {
    ELEVENLABS_API_KEY: { default: '', required: true, meaning: 'key of the ElevenLabs account' },
    ELEVENLABS_URL: { default: 'wss://api.elevenlabs.io', meaning: "address of ElevenLabs' streaming API" },
  },
  defaultModel: 'eleven_flash_v2_5',
  concurrencyAccount: 'elevenlabs',
  price: {
    currency: 'USD',
    models: { '*': 0.1, eleven_flash_v2_5: 0.05, eleven_turbo_v2_5: 0.05, eleven_multilingual_v2: 0.1 },
  },
  capabilities: { wordTimings: true },
});
