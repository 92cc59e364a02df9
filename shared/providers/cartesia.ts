import { synthesizer } from './manifest.ts';

export const cartesia = synthesizer({
  name: 'cartesia',
  label: 'Cartesia Sonic',
  adapter: 'cartesia',
  settings: {
    CARTESIA_API_KEY: { default: '', required: true, meaning: 'key of the Cartesia account' },
    CARTESIA_URL: { default: 'wss://api.cartesia.ai', meaning: "address of Cartesia's streaming API" },
  },
  defaultModel: 'sonic-3.5',
  concurrencyAccount: 'cartesia',
  price: { currency: 'USD', models: { '*': 0.04 } },
  capabilities: { wordTimings: true },
});
