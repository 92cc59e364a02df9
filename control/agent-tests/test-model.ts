import type { LlmProvider } from '../../shared/providers/registry.ts';
import { type LanguageModelSettings, missingSetting } from '../../shared/providers/settings.ts';
import type { ModelChoice } from '../analysis/analyst.ts';
import { parseModelName } from '../workspaces/model-fallbacks.ts';

export interface TestModelSettings extends LanguageModelSettings {
  /** `provider/model`, or empty; so is COMPOSER_MODEL. */
  AGENT_TEST_MODEL: string;
  COMPOSER_MODEL: string;
}

/**
 * The model that plays callers and judges; null for the agent's own.
 *
 * @throws Error when the setting names no model, or another setting of that model is missing.
 */
export const readTestModel = (settings: TestModelSettings): ModelChoice | null =>
  modelNamed('AGENT_TEST_MODEL', settings.AGENT_TEST_MODEL, settings);

/** The model that drafts scenarios, the one that generates prompts; null for the agent's own. Throws alike. */
export const readComposer = (settings: TestModelSettings): ModelChoice | null =>
  modelNamed('COMPOSER_MODEL', settings.COMPOSER_MODEL, settings);

function modelNamed(setting: string, name: string, settings: LanguageModelSettings): ModelChoice | null {
  if (name === '') return null;
  const named = parseModelName(name);
  if (typeof named === 'string') throw new Error(`${setting}: ${named}`);
  const missing = missingSetting(named.provider as LlmProvider, settings);
  if (missing) throw new Error(`${missing} is missing: ${setting} is ${name}`);
  return named as ModelChoice;
}
