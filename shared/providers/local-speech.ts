import { synthesizer, transcriber } from './manifest.ts';

const ESPEAK_LANGUAGES = (
  'en hi bn gu kn ml mr or pa ta te ur as ne kok sd si af am ar az be bg bs ca cs cy da de el es et eu fa fi fr ga ' +
  'he hr hu hy id is it ja ka kk ko ku lt lv mk ms mt my nl no pl pt ro ru sk sl sq sr sv sw th tr uk uz vi zh'
).split(' ');

/** Both run on the operator's own machine and need no account. */
export const localTranscriber = transcriber({
  name: 'local',
  label: 'pocketsphinx, on this machine',
  adapter: 'pocketsphinx',
  settings: {
    POCKETSPHINX_BIN: { default: 'pocketsphinx_continuous', meaning: 'program of the `local` transcriber' },
    POCKETSPHINX_MODELS: {
      default: '/usr/share/pocketsphinx/model',
      meaning: "folder of pocketsphinx's acoustic models",
    },
    LANGUAGE_MODELS_DIR: {
      default: '',
      meaning: 'folder of small language models, `<name>.lm` and `<name>.dict`, chosen by `transcriber.model`',
    },
  },
  defaultModel: 'en-us',
  models: { 'en-us': { description: 'a free transcriber for trying things out; far from exact', languages: ['en'] } },
  anyModel: true,
  concurrencyAccount: '',
  price: { currency: 'INR', models: { '*': 0 } },
  capabilities: { turnDetection: false, keyterms: false },
});

export const localSynthesizer = synthesizer({
  name: 'local',
  label: 'eSpeak NG, on this machine',
  adapter: 'espeak',
  settings: { ESPEAK_BIN: { default: 'espeak-ng', meaning: 'program of the `local` synthesizer' } },
  defaultModel: 'espeak-ng',
  models: { 'espeak-ng': { description: 'a free robotic voice for trying things out', languages: ESPEAK_LANGUAGES } },
  defaultVoice: 'm3',
  concurrencyAccount: '',
  price: { currency: 'INR', models: { '*': 0 } },
  capabilities: { speed: { min: 0.6, max: 1.5 }, wordTimings: false },
});
