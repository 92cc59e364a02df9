import { transcriber } from './manifest.ts';

const LANGUAGES = (
  'en hi es fr de pt it nl ru ja ko zh bn gu kn ml mr pa ta te ur ' +
  'af ar az be bg bs ca cs cy da el et eu fa fi gl he hr hu id kk lt lv mk ms no pl ro sk sl sq sr sv sw th tl tr uk vi'
).split(' ');

export const soniox = transcriber({
  name: 'soniox',
  label: 'Soniox',
  adapter: 'soniox',
  settings: {
    SONIOX_API_KEY: { default: '', required: true, meaning: 'key of the Soniox project' },
    SONIOX_URL: { default: 'wss://stt-rt.soniox.com', meaning: "address of Soniox's streaming transcription" },
  },
  defaultModel: 'stt-rt-v5',
  models: {
    'stt-rt-v5': { description: 'sixty languages, also mixed within a sentence', languages: LANGUAGES },
    'stt-rt-v4': { description: 'the generation before', languages: LANGUAGES },
  },
  concurrencyAccount: 'soniox',
  price: { currency: 'USD', models: { '*': 0.002 } },
  capabilities: { turnDetection: false, keyterms: true },
});
