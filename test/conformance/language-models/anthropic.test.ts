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

languageModelConformance('anthropic', anthropic);
languageModelConformance('anthropic, without temperature', {
  ...anthropic,
  model: withoutTemperature,
  start: (script) => startAnthropicSimulator({ ...script, models: [withoutTemperature] }),
});
