import type { Clock } from '../../shared/clock.ts';
import type { LanguageModelSettings } from '../../shared/llm/model-settings.ts';
import { createLanguageModel, missingSetting } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers.ts';
import { parseModelName } from '../workspaces/model-fallbacks.ts';
import { createPromptGenerator, type GeneratePrompt } from './prompt-generator.ts';

/** The model that writes for people: prompts of agents. */
export interface PromptGenerator {
  provider: LlmProvider;
  model: string;
  generate: GeneratePrompt;
}

export interface PromptGeneratorSettings extends LanguageModelSettings {
  /** `provider/model`; empty: nobody composes. */
  COMPOSER_MODEL: string;
}

/** @throws when the setting names no model, or one that cannot be asked for want of another setting. */
export function configuredPromptGenerator(
  settings: PromptGeneratorSettings,
  deps: { clock: Clock; log: Logger },
): PromptGenerator | null {
  if (settings.COMPOSER_MODEL === '') return null;
  const named = parseModelName(settings.COMPOSER_MODEL);
  if (typeof named === 'string') throw new Error(`COMPOSER_MODEL: ${named}`);
  const provider = named.provider as LlmProvider;
  const missing = missingSetting(provider, settings);
  if (missing) throw new Error(`${missing} is missing: COMPOSER_MODEL is ${settings.COMPOSER_MODEL}`);
  const model = createLanguageModel(provider, named.model, settings, deps.log, deps.clock);
  return { provider, model: named.model, generate: createPromptGenerator({ model, clock: deps.clock }) };
}
