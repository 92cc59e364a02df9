import { startAnthropicSimulator } from '../../fixtures/simulators/anthropic.ts';
import { startGoogleSimulator } from '../../fixtures/simulators/google.ts';
import { type OpenAiSimulatorOptions, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { modelConformance } from './model-suite.ts';

const openai = (flavour: OpenAiSimulatorOptions['flavour']) => ({
  start: (script: OpenAiSimulatorOptions) => startOpenAiSimulator({ ...script, flavour }),
});
const anthropic = { start: startAnthropicSimulator, key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_URL' } as const;
const google = { start: startGoogleSimulator, key: 'GOOGLE_API_KEY', url: 'GOOGLE_URL' } as const;
const azure = { ...openai('azure'), key: 'AZURE_OPENAI_API_KEY', url: 'AZURE_OPENAI_URL' } as const;

modelConformance('openai', { provider: 'openai', ...openai('openai'), key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' });
modelConformance('anthropic', { provider: 'anthropic', ...anthropic });
modelConformance('google', { provider: 'google', ...google });
modelConformance('azure', { provider: 'azure', ...azure });
modelConformance('groq', { provider: 'groq', ...openai('groq'), key: 'GROQ_API_KEY', url: 'GROQ_URL' });
modelConformance('mistral', { provider: 'mistral', ...openai('mistral'), key: 'MISTRAL_API_KEY', url: 'MISTRAL_URL' });
modelConformance('custom', { provider: 'custom', ...openai('local'), key: 'LLM_API_KEY', url: 'LLM_BASE_URL' });

// The same providers, where they are stricter or answer at another address.
const signed = 'gemini-3-flash-preview';
const cool = 'claude-opus-4-8';
modelConformance('google, with signed calls', {
  provider: 'google',
  ...google,
  model: signed,
  start: (script) => startGoogleSimulator({ ...script, models: [signed], tokensPerChunk: 3 }),
});
modelConformance('anthropic, without temperature', {
  provider: 'anthropic',
  ...anthropic,
  model: cool,
  start: (script) => startAnthropicSimulator({ ...script, models: [cool] }),
});
modelConformance('azure, version 1', { provider: 'azure', ...azure, settings: { AZURE_OPENAI_API_VERSION: 'v1' } });
