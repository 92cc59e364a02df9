import { startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type LanguageModelUnderTest, languageModelConformance } from '../language-model-suite.ts';

const azure: LanguageModelUnderTest = {
  provider: 'azure',
  start: (script) => startOpenAiSimulator({ ...script, flavour: 'azure' }),
  key: 'AZURE_OPENAI_API_KEY',
  url: 'AZURE_OPENAI_URL',
};

languageModelConformance('azure', azure);
languageModelConformance('azure, version 1', { ...azure, settings: { AZURE_OPENAI_API_VERSION: 'v1' } });
