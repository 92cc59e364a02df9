import type { Clock } from '../../shared/clock.ts';
import type { LanguageModelSettings } from '../../shared/llm/model-settings.ts';
import { createLanguageModel, missingSetting } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers.ts';
import { readModelName } from '../workspaces/model-fallbacks.ts';
import { createPromptWriter, type WritePrompt } from './prompt-writer.ts';

/** The model that writes for people: prompts of agents. */
export interface Composer {
  provider: LlmProvider;
  model: string;
  write: WritePrompt;
}

export interface ComposerSettings extends LanguageModelSettings {
  /** `provider/model`; empty: nobody composes. */
  COMPOSER_MODEL: string;
}

/** @throws when the setting names no model, or one that cannot be asked for want of another setting. */
export function configuredComposer(settings: ComposerSettings, deps: { clock: Clock; log: Logger }): Composer | null {
  if (settings.COMPOSER_MODEL === '') return null;
  const named = readModelName(settings.COMPOSER_MODEL);
  if (typeof named === 'string') throw new Error(`COMPOSER_MODEL: ${named}`);
  const provider = named.provider as LlmProvider;
  const missing = missingSetting(provider, settings);
  if (missing) throw new Error(`${missing} is missing: COMPOSER_MODEL is ${settings.COMPOSER_MODEL}`);
  const model = createLanguageModel(provider, named.model, settings, deps.log, deps.clock);
  return { provider, model: named.model, write: createPromptWriter({ model, clock: deps.clock }) };
}
