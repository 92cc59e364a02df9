import { startOpenAiSpeechSimulator } from '../../../fixtures/simulators/openai-speech.ts';
import { createOpenAiSynthesizer } from '../../../media/tts/openai.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'openai',
  { voiceId: 'coral', model: 'gpt-4o-mini-tts', hasTimings: false, overHttp: true },
  startOpenAiSpeechSimulator,
  createOpenAiSynthesizer,
);
