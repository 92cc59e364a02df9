import { transcriber } from './manifest.ts';

/** Flux and Nova share one account. */
const settings = {
  DEEPGRAM_API_KEY: { default: '', required: true, meaning: 'key of the Deepgram account' },
  DEEPGRAM_URL: { default: 'wss://api.deepgram.com', meaning: "address of Deepgram's streaming API" },
} as const;

export const deepgramFlux = transcriber({
  name: 'deepgram_flux',
  label: 'Deepgram Flux',
  adapter: 'deepgram-flux',
  settings,
  defaultModel: 'flux-general-multi',
  concurrencyAccount: 'deepgram',
  price: { currency: 'USD', models: { '*': 0.0077 } },
  capabilities: { turnDetection: true, keyterms: true },
});

export const deepgram = transcriber({
  name: 'deepgram',
  label: 'Deepgram Nova',
  adapter: 'deepgram',
  settings,
  defaultModel: 'nova-3',
  concurrencyAccount: 'deepgram',
  price: { currency: 'USD', models: { '*': 0.0077, 'nova-3': 0.0077, 'nova-2': 0.0058 } },
  capabilities: { turnDetection: false, keyterms: true },
});
