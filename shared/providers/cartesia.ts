import { synthesizer } from './manifest.ts';

const EARLIER = 'en fr de es pt zh ja hi it ko nl pl ru sv tr'.split(' ');
const SONIC_3 = [
  ...EARLIER,
  ...'tl bg ro ar cs el fi hr ms sk da ta uk hu no vi bn th he ka id te gu kn ml mr pa'.split(' '),
];

/** These models take no speed. */
const OWN_SPEED = { min: 1, max: 1 };

export const cartesia = synthesizer({
  name: 'cartesia',
  label: 'Cartesia Sonic',
  adapter: 'cartesia',
  settings: {
    CARTESIA_API_KEY: { default: '', required: true, meaning: 'key of the Cartesia account' },
    CARTESIA_URL: { default: 'wss://api.cartesia.ai', meaning: "address of Cartesia's streaming API" },
  },
  defaultModel: 'sonic-3.5',
  models: {
    'sonic-3.5': { description: 'the newest voice model, with ten Indian languages', languages: SONIC_3 },
    'sonic-3': { description: 'expressive and quick, with ten Indian languages', languages: SONIC_3 },
    'sonic-2': { description: 'the generation before', languages: EARLIER, speed: OWN_SPEED },
    'sonic-turbo': { description: 'the quickest to its first audio', languages: EARLIER, speed: OWN_SPEED },
  },
  defaultVoice: '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
  concurrencyAccount: 'cartesia',
  price: { currency: 'USD', models: { '*': 0.04 } },
  capabilities: { speed: { min: 0.6, max: 1.5 }, wordTimings: true, ipa: 'all' },
});
