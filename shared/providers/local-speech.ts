import { synthesizer, transcriber } from './manifest.ts';

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
  concurrencyAccount: '',
  price: { currency: 'INR', models: { '*': 0 } },
  capabilities: { wordTimings: false },
});
