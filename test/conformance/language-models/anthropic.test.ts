import { startAnthropicSimulator } from '../../../fixtures/simulators/anthropic.ts';
import { type LanguageModelUnderTest, languageModelConformance } from '../language-model-suite.ts';

const anthropic: LanguageModelUnderTest = {
  provider: 'anthropic',
  start: startAnthropicSimulator,
  key: 'ANTHROPIC_API_KEY',
  url: 'ANTHROPIC_URL',
};
/** A model that refuses a temperature. */
const withoutTemperature = 'claude-opus-4-8';

/** A model that thinks before it speaks, as little as it can be asked for. */
const thinks = 'claude-opus-5-1';

languageModelConformance('anthropic', anthropic);
languageModelConformance('anthropic, with thinking', {
  ...anthropic,
  model: thinks,
  start: (script) => startAnthropicSimulator({ ...script, models: [thinks] }),
});
languageModelConformance('anthropic, without temperature', {
  ...anthropic,
  model: withoutTemperature,
  start: (script) => startAnthropicSimulator({ ...script, models: [withoutTemperature] }),
});
