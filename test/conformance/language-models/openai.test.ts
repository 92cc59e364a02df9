import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { languageModelConformance } from '../language-model-suite.ts';

languageModelConformance('openai', {
  provider: 'openai',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'openai' }),
  key: 'OPENAI_API_KEY',
  url: 'OPENAI_BASE_URL',
});
