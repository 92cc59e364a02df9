import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { LanguageModelManifest } from '../providers/manifest.ts';
import { contextTokensOf, type LlmProvider, languageModelManifest } from '../providers/registry.ts';
import type { LanguageModelSettings } from '../providers/settings.ts';
import { createAnthropic } from './anthropic.ts';
import { createGoogle } from './google.ts';
import type { LanguageModel } from './language-model.ts';
import { createOpenAiCompatible, type OpenAiCompatibleOptions } from './openai-compatible.ts';

const ADAPTERS: Record<LanguageModelManifest['protocol'], (options: OpenAiCompatibleOptions) => LanguageModel> = {
  openai: createOpenAiCompatible,
  anthropic: createAnthropic,
  google: createGoogle,
};

/**
 * Creates the adapter of a language model, for both programs. Ask `missingSetting` first: without its settings a provider
 * refuses every request. All models of a process share their connections, so this costs nothing.
 */
export function createLanguageModel(
  provider: LlmProvider,
  model: string,
  settings: LanguageModelSettings,
  log: Logger,
  clock?: Clock,
): LanguageModel {
  const { protocol, connection, defaultModel } = languageModelManifest(provider)!;
  const values: Record<string, string> = settings;
  const value = (name: string | undefined) => (name === undefined ? '' : (values[name] ?? ''));
  const adapter = ADAPTERS[protocol]({
    provider,
    model: model === defaultModel ? value(connection.model) || model : model,
    baseUrl: value(connection.baseUrl),
    apiKey: value(connection.apiKey),
    apiVersion: value(connection.apiVersion),
    log,
    ...(clock && { clock }),
  });
  return Object.assign(adapter, {
    contextTokens: Number(value(connection.contextTokens)) || contextTokensOf(provider, model),
  });
}
