import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { languageModelConformance } from '../language-model-suite.ts';

languageModelConformance('groq', {
  provider: 'groq',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'groq' }),
  key: 'GROQ_API_KEY',
  url: 'GROQ_URL',
  refusesForbiddenCalls: true,
  overloaded: 'capacity',
});
