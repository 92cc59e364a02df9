import { synthesizer } from '../../shared/providers/manifest.ts';

/**
 * A synthesizer of your own: any server that takes `POST {"text", "voice"}` and answers with WAV. In the service this file is
 * `shared/providers/wav-server.ts` and stands in `SYNTHESIZERS` of `registry.ts`; the adapter beside it is `media/tts/wav-server.ts`.
 */
export const wavServer = synthesizer({
  name: 'wav_server',
  label: 'a WAV server',
  adapter: 'wav-server',
  settings: {
    WAV_SERVER_URL: { default: '', required: true, meaning: 'address of the WAV server' },
  },
  defaultModel: 'default',
  models: { default: { description: 'whatever the server speaks with' } },
  defaultVoice: 'default',
  concurrencyAccount: 'wav-server',
  price: { currency: 'INR', models: { '*': 0 } },
  capabilities: { speed: { min: 1, max: 1 }, wordTimings: false },
});
