import { languageModel } from './manifest.ts';

export const anthropic = languageModel({
  name: 'anthropic',
  label: 'Anthropic',
  protocol: 'anthropic',
  settings: {
    ANTHROPIC_API_KEY: { default: '', required: true, meaning: 'key of the Anthropic account' },
    ANTHROPIC_URL: { default: 'https://api.anthropic.com', meaning: "address of Anthropic's API" },
  },
  connection: { baseUrl: 'ANTHROPIC_URL', apiKey: 'ANTHROPIC_API_KEY' },
  defaultModel: 'claude-haiku-4-5',
  models: {
    'claude-haiku-4-5': { description: 'fast and inexpensive; follows long prompts well' },
    'claude-sonnet-4-5': { description: 'stronger reasoning and tool use, slower to the first word' },
    'claude-opus-4-5': { description: 'the strongest of the family, for conversations that may wait for it' },
  },
  contextTokens: { '*': 200_000 },
  price: {
    currency: 'USD',
    models: {
      '*': { input: 3, output: 15 },
      'claude-haiku-4-5': { input: 1, output: 5 },
      'claude-sonnet-4-5': { input: 3, output: 15 },
      'claude-opus-4-5': { input: 5, output: 25 },
    },
  },
});
