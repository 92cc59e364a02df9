import { startAzureSynthesizerSimulator } from '../../../fixtures/simulators/azure-synthesizer.ts';
import { createAzureSynthesizer } from '../../../media/tts/azure-speech.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'azure speech',
  { voiceId: 'hi-IN-SwaraNeural', model: 'neural', language: 'hi', hasTimings: true },
  startAzureSynthesizerSimulator,
  createAzureSynthesizer,
);
