import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { LlmProvider } from '../providers.ts';
import { createAnthropic } from './anthropic.ts';
import { createGoogle } from './google.ts';
import type { LanguageModel } from './language-model.ts';
import type { LanguageModelSettings } from './model-settings.ts';
import { createOpenAiCompatible } from './openai-compatible.ts';

/** The settings without which a provider cannot be asked. */
const NEEDED: Record<LlmProvider, readonly (keyof LanguageModelSettings)[]> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_API_KEY'],
  azure: ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_URL'],
  groq: ['GROQ_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  custom: ['LLM_BASE_URL'],
};

/** The first setting that is missing to ask this provider, or null when it can be asked. */
export function missingSetting(
  provider: LlmProvider,
  settings: LanguageModelSettings,
): keyof LanguageModelSettings | null {
  return NEEDED[provider].find((name) => settings[name] === '') ?? null;
}

/**
 * The one door to the language models, for both programs. Ask `missingSetting` first: without its settings a provider
 * refuses every request. Connections are shared by all models of this process, so a model costs nothing to make.
 */
export function createLanguageModel(
  provider: LlmProvider,
  model: string,
  settings: LanguageModelSettings,
  log: Logger,
  clock?: Clock,
): LanguageModel {
  const common = { provider, model, log, ...(clock && { clock }) };
  switch (provider) {
    case 'openai':
      return createOpenAiCompatible({
        ...common,
        baseUrl: settings.OPENAI_BASE_URL,
        apiKey: settings.OPENAI_API_KEY,
      });
    case 'anthropic':
      return createAnthropic({ ...common, baseUrl: settings.ANTHROPIC_URL, apiKey: settings.ANTHROPIC_API_KEY });
    case 'google':
      return createGoogle({ ...common, baseUrl: settings.GOOGLE_URL, apiKey: settings.GOOGLE_API_KEY });
    case 'azure':
      return createOpenAiCompatible({
        ...common,
        baseUrl: settings.AZURE_OPENAI_URL,
        apiKey: settings.AZURE_OPENAI_API_KEY,
        apiVersion: settings.AZURE_OPENAI_API_VERSION,
      });
    case 'groq':
      return createOpenAiCompatible({ ...common, baseUrl: settings.GROQ_URL, apiKey: settings.GROQ_API_KEY });
    case 'mistral':
      return createOpenAiCompatible({ ...common, baseUrl: settings.MISTRAL_URL, apiKey: settings.MISTRAL_API_KEY });
    case 'custom': {
      const chosen = model === 'default' && settings.LLM_MODEL !== '' ? settings.LLM_MODEL : model;
      const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey } = settings;
      return createOpenAiCompatible({ ...common, model: chosen, baseUrl, apiKey });
    }
  }
}
