import { synthesizer, transcriber } from './manifest.ts';

/** Flux, Nova and Aura share one account. */
const settings = {
  DEEPGRAM_API_KEY: { default: '', required: true, meaning: 'key of the Deepgram account' },
  DEEPGRAM_URL: { default: 'wss://api.deepgram.com', meaning: "address of Deepgram's streaming API" },
} as const;

const MULTILINGUAL = 'en es fr de hi ru pt ja it nl'.split(' ');
const NOVA_3 = [
  ...MULTILINGUAL,
  ...'bn kn mr ta te gu pa ur bg ca cs da el et fi hu id ko lt lv ms no pl ro sk sv th tr uk vi'.split(' '),
];
const NOVA_2 = [...MULTILINGUAL, ...'bg ca cs da el et fi hu id ko lt lv ms no pl ro sk sv th tr uk vi zh'.split(' ')];

export const deepgramFlux = transcriber({
  name: 'deepgram_flux',
  label: 'Deepgram Flux',
  adapter: 'deepgram-flux',
  settings,
  defaultModel: 'flux-general-multi',
  models: {
    'flux-general-multi': {
      description: 'finds the language and the end of each turn itself',
      languages: MULTILINGUAL,
    },
    'flux-general-en': { description: 'finds the end of each turn itself', languages: ['en'] },
  },
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
  models: {
    'nova-3': { description: 'a general transcriber, with most Indian languages', languages: NOVA_3 },
    'nova-3-medical': { description: 'for medical words', languages: ['en'] },
    'nova-2': { description: 'the generation before', languages: NOVA_2 },
    'nova-2-phonecall': { description: 'for telephone audio', languages: ['en'] },
  },
  concurrencyAccount: 'deepgram',
  price: { currency: 'USD', models: { '*': 0.0077, 'nova-3': 0.0077, 'nova-2': 0.0058 } },
  capabilities: { turnDetection: false, keyterms: true },
});

export const deepgramAura = synthesizer({
  name: 'deepgram_aura',
  label: 'Deepgram Aura',
  adapter: 'deepgram-aura',
  settings,
  defaultModel: 'aura-2',
  models: {
    'aura-2': {
      description: 'voices for telephone agents; each speaks one language, and none an Indian one',
      languages: 'en es de fr nl it ja'.split(' '),
    },
  },
  defaultVoice: 'aura-2-thalia-en',
  // Deepgram counts streams of speech apart from those of transcription.
  concurrencyAccount: 'deepgram-tts',
  price: { currency: 'USD', models: { '*': 0.03 } },
  capabilities: { speed: { min: 0.7, max: 1.5 }, wordTimings: false, ipa: ['en', 'es'] },
});
