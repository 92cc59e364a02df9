import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { languageModelConformance } from '../language-model-suite.ts';

languageModelConformance('mistral', {
  provider: 'mistral',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'mistral' }),
  key: 'MISTRAL_API_KEY',
  url: 'MISTRAL_URL',
});
