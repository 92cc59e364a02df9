import { languageModel } from './manifest.ts';

export const google = languageModel({
  name: 'google',
  label: 'Google Gemini',
  protocol: 'google',
  settings: {
    GOOGLE_API_KEY: { default: '', required: true, meaning: 'key of the Gemini API' },
    GOOGLE_URL: { default: 'https://generativelanguage.googleapis.com', meaning: 'address of the Gemini API' },
  },
  connection: { baseUrl: 'GOOGLE_URL', apiKey: 'GOOGLE_API_KEY' },
  defaultModel: 'gemini-2.5-flash',
  models: {
    'gemini-2.5-flash': { description: 'fast, with good Indian languages' },
    'gemini-2.5-flash-lite': { description: 'the fastest and least expensive of the family' },
    'gemini-2.5-pro': { description: 'strong reasoning; thinks before it answers, so callers wait' },
  },
  contextTokens: { '*': 1_000_000 },
  price: {
    currency: 'USD',
    models: {
      '*': { input: 0.3, output: 2.5 },
      'gemini-2.5-flash': { input: 0.3, output: 2.5 },
      'gemini-2.5-flash-lite': { input: 0.1, output: 0.4 },
      'gemini-2.5-pro': { input: 1.25, output: 10 },
    },
  },
});
