import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type LanguageModelUnderTest, languageModelConformance } from '../language-model-suite.ts';

const openAi: LanguageModelUnderTest = {
  provider: 'openai',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'openai' }),
  key: 'OPENAI_API_KEY',
  url: 'OPENAI_BASE_URL',
};

languageModelConformance('openai', openAi);
for (const model of ['gpt-5-mini', 'gpt-5.1', 'o4-mini']) {
  languageModelConformance(`openai, ${model}, which reasons`, {
    ...openAi,
    model,
    start: (script) => startOpenAiSimulator({ ...script, flavour: 'openai', models: [model] }),
  });
}
