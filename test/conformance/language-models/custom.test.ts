import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { languageModelConformance } from '../language-model-suite.ts';

languageModelConformance('custom', {
  provider: 'custom',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'local' }),
  key: 'LLM_API_KEY',
  url: 'LLM_BASE_URL',
});
