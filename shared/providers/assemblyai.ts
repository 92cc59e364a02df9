import { transcriber } from './manifest.ts';

const EUROPEAN = 'en es fr de it pt'.split(' ');

export const assemblyAi = transcriber({
  name: 'assemblyai',
  label: 'AssemblyAI',
  adapter: 'assemblyai',
  settings: {
    ASSEMBLYAI_API_KEY: { default: '', required: true, meaning: 'key of the AssemblyAI account' },
    ASSEMBLYAI_URL: {
      default: 'wss://streaming.assemblyai.com',
      meaning: "address of AssemblyAI's streaming transcription; `wss://streaming.eu.assemblyai.com` stays in Europe",
    },
  },
  defaultModel: 'universal-3-5-pro',
  models: {
    'universal-3-5-pro': {
      description: 'the most accurate, also for Hindi mixed with English',
      languages: [...EUROPEAN, 'hi'],
    },
    'u3-rt-pro': { description: 'the generation before', languages: EUROPEAN },
    'universal-streaming-english': { description: 'quick and inexpensive', languages: ['en'] },
    'universal-streaming-multilingual': { description: 'quick, for six languages', languages: EUROPEAN },
    'whisper-rt': { description: 'ninety-nine languages, without expected words', keyterms: false },
  },
  concurrencyAccount: 'assemblyai',
  price: {
    currency: 'USD',
    models: { '*': 0.0075, 'universal-streaming-english': 0.0025, 'universal-streaming-multilingual': 0.0025 },
  },
  capabilities: { turnDetection: false, keyterms: true },
});
