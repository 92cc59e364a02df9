import { startGoogleSimulator } from '../../../fixtures/simulators/google.ts';
import { type LanguageModelUnderTest, languageModelConformance } from '../language-model-suite.ts';

const google: LanguageModelUnderTest = {
  provider: 'google',
  start: startGoogleSimulator,
  key: 'GOOGLE_API_KEY',
  url: 'GOOGLE_URL',
};
/** A model whose tool calls carry a signature. */
const withSignatures = 'gemini-3-flash-preview';

languageModelConformance('google', google);
languageModelConformance('google, with signed calls', {
  ...google,
  model: withSignatures,
  start: (script) => startGoogleSimulator({ ...script, models: [withSignatures] }),
});
