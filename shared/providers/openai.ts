import { languageModel, type PriceList, synthesizer, type TokenPrice, transcriber } from './manifest.ts';

const price = {
  currency: 'USD',
  models: {
    '*': { input: 0.4, output: 1.6 },
    'gpt-4.1': { input: 2, output: 8 },
    'gpt-4.1-mini': { input: 0.4, output: 1.6 },
    'gpt-4.1-nano': { input: 0.1, output: 0.4 },
    'gpt-4o': { input: 2.5, output: 10 },
    'gpt-4o-mini': { input: 0.15, output: 0.6 },
    'gpt-5': { input: 1.25, output: 10 },
    'gpt-5-mini': { input: 0.25, output: 2 },
    'gpt-5-nano': { input: 0.05, output: 0.4 },
  },
} satisfies PriceList<TokenPrice>;

const models = {
  'gpt-4.1': { description: 'strong at tools and long prompts' },
  'gpt-4.1-mini': { description: 'a light model with a quick first word; follows tools well' },
  'gpt-4.1-nano': { description: 'the lightest, for short and simple conversations' },
  'gpt-4o': { description: 'an all-round model with good languages' },
  'gpt-4o-mini': { description: 'light and inexpensive' },
  'gpt-5': { description: 'strong reasoning; thinks before it answers, so callers wait' },
  'gpt-5-mini': { description: 'reasoning at a lower price; thinks before it answers' },
  'gpt-5-nano': { description: 'the lightest of the reasoning models' },
};

/** One account and one address for all that OpenAI does. */
const settings = {
  OPENAI_API_KEY: { default: '', required: true, meaning: 'key of the OpenAI account' },
  OPENAI_BASE_URL: { default: 'https://api.openai.com/v1', meaning: "address of OpenAI's API" },
} as const;

export const openAiTranscriber = transcriber({
  name: 'openai',
  label: 'OpenAI',
  adapter: 'openai',
  settings,
  defaultModel: 'gpt-live-transcribe',
  models: {
    'gpt-live-transcribe': { description: 'words while the caller speaks, in several languages at once' },
    'gpt-realtime-whisper': { description: 'words while the caller speaks, as soon as they can be', keyterms: false },
  },
  concurrencyAccount: 'openai-stt',
  price: { currency: 'USD', models: { '*': 0.017 } },
  capabilities: { turnDetection: false, keyterms: true },
});

/** Of its speech, which follows the languages of Whisper. */
const SPOKEN = (
  'en hi ta kn mr ur ne es fr de pt it nl ru uk pl cs sk hu ro bg el tr sv da no fi he fa ar id ms th vi zh ja ko sw ' +
  'af az be bs ca cy et gl hr hy is kk lt lv mi mk sl sr tl'
).split(' ');

export const openAiSynthesizer = synthesizer({
  name: 'openai',
  label: 'OpenAI',
  adapter: 'openai',
  settings,
  defaultModel: 'gpt-4o-mini-tts',
  models: {
    'gpt-4o-mini-tts': {
      description: 'natural voices of many languages; each sentence is a request, so it begins later',
      languages: SPOKEN,
    },
    'tts-1': { description: 'the generation before, made for a quick first word', languages: SPOKEN },
    'tts-1-hd': { description: 'the generation before, clearer and slower', languages: SPOKEN },
  },
  defaultVoice: 'coral',
  concurrencyAccount: 'openai-tts',
  // `gpt-4o-mini-tts` is billed by tokens of audio: about 1.5 cents a minute, of some 950 characters.
  price: { currency: 'USD', models: { '*': 0.016, 'gpt-4o-mini-tts': 0.016, 'tts-1': 0.015, 'tts-1-hd': 0.03 } },
  capabilities: { speed: { min: 0.25, max: 4 }, wordTimings: false },
});

export const openAi = languageModel({
  name: 'openai',
  label: 'OpenAI',
  protocol: 'openai',
  settings,
  connection: { baseUrl: 'OPENAI_BASE_URL', apiKey: 'OPENAI_API_KEY' },
  defaultModel: 'gpt-4.1-mini',
  models,
  contextTokens: {
    '*': 128_000,
    'gpt-4.1': 1_000_000,
    'gpt-4.1-mini': 1_000_000,
    'gpt-4.1-nano': 1_000_000,
    'gpt-5': 272_000,
    'gpt-5-mini': 272_000,
    'gpt-5-nano': 272_000,
  },
  price,
});

export const azureOpenAi = languageModel({
  name: 'azure',
  label: 'Azure OpenAI',
  protocol: 'openai',
  settings: {
    AZURE_OPENAI_API_KEY: { default: '', required: true, meaning: 'key of the Azure OpenAI resource' },
    AZURE_OPENAI_URL: {
      default: '',
      required: true,
      meaning:
        "the resource's address, like `https://my-resource.openai.azure.com`; models are named by their deployment",
    },
    AZURE_OPENAI_API_VERSION: {
      default: '2024-10-21',
      meaning: 'a date, or `v1` for the address without dates, which reasoning models need',
    },
  },
  connection: {
    baseUrl: 'AZURE_OPENAI_URL',
    apiKey: 'AZURE_OPENAI_API_KEY',
    apiVersion: 'AZURE_OPENAI_API_VERSION',
  },
  defaultModel: 'gpt-4.1-mini',
  models,
  anyModel: true,
  // Of a standard deployment, whatever its model can take.
  contextTokens: { '*': 128_000 },
  // A deployment may have any name, so its price is that of the model it is named after.
  price,
});

export const groq = languageModel({
  name: 'groq',
  label: 'Groq',
  protocol: 'openai',
  settings: {
    GROQ_API_KEY: { default: '', required: true, meaning: 'key of the Groq account' },
    GROQ_URL: { default: 'https://api.groq.com/openai/v1', meaning: "address of Groq's API" },
  },
  connection: { baseUrl: 'GROQ_URL', apiKey: 'GROQ_API_KEY' },
  defaultModel: 'llama-3.3-70b-versatile',
  models: {
    'llama-3.3-70b-versatile': { description: 'an open model of 70 billion parameters with a very quick first word' },
    'llama-3.1-8b-instant': { description: 'a small open model, the quickest; for simple conversations' },
  },
  contextTokens: { '*': 128_000 },
  price: {
    currency: 'USD',
    models: {
      '*': { input: 0.59, output: 0.79 },
      'llama-3.3-70b-versatile': { input: 0.59, output: 0.79 },
      'llama-3.1-8b-instant': { input: 0.05, output: 0.08 },
    },
  },
});

export const mistral = languageModel({
  name: 'mistral',
  label: 'Mistral',
  protocol: 'openai',
  settings: {
    MISTRAL_API_KEY: { default: '', required: true, meaning: 'key of the Mistral account' },
    MISTRAL_URL: { default: 'https://api.mistral.ai/v1', meaning: "address of Mistral's API" },
  },
  connection: { baseUrl: 'MISTRAL_URL', apiKey: 'MISTRAL_API_KEY' },
  defaultModel: 'mistral-small-latest',
  models: {
    'mistral-small-latest': { description: 'light and inexpensive, good at European languages' },
    'mistral-medium-latest': { description: 'between the light and the large one' },
    'mistral-large-latest': { description: 'the strongest of the family' },
  },
  contextTokens: { '*': 128_000 },
  price: {
    currency: 'USD',
    models: {
      '*': { input: 0.4, output: 2 },
      'mistral-small-latest': { input: 0.1, output: 0.3 },
      'mistral-medium-latest': { input: 0.4, output: 2 },
      'mistral-large-latest': { input: 2, output: 6 },
    },
  },
});

/** Any OpenAI-compatible server of the operator's own; nobody sends a bill for it. */
export const customModel = languageModel({
  name: 'custom',
  label: 'any OpenAI-compatible server',
  protocol: 'openai',
  settings: {
    LLM_BASE_URL: { default: '', required: true, meaning: 'address of an OpenAI-compatible server' },
    LLM_API_KEY: { default: '', meaning: 'its key, if it wants one' },
    LLM_MODEL: { default: '', meaning: "what an agent's model `default` stands for" },
    LLM_CONTEXT_TOKENS: {
      default: '32768',
      meaning: "tokens of its models' context; a long call's oldest turns are left out before it is full",
    },
  },
  connection: {
    baseUrl: 'LLM_BASE_URL',
    apiKey: 'LLM_API_KEY',
    model: 'LLM_MODEL',
    contextTokens: 'LLM_CONTEXT_TOKENS',
  },
  contextTokens: { '*': 32_768 },
  defaultModel: 'default',
  models: { default: { description: "the model that the operator's own server answers with" } },
  anyModel: true,
  price: { currency: 'INR', models: { '*': { input: 0, output: 0 } } },
});
