import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type LanguageModelUnderTest, languageModelConformance } from '../language-model-suite.ts';

const mistral: LanguageModelUnderTest = {
  provider: 'mistral',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'mistral' }),
  key: 'MISTRAL_API_KEY',
  url: 'MISTRAL_URL',
};
/** A model that sends its reasoning, and text as parts. */
const thinks = 'magistral-medium-latest';

languageModelConformance('mistral', mistral);
languageModelConformance('mistral, with reasoning', {
  ...mistral,
  model: thinks,
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'mistral', models: [thinks] }),
});
