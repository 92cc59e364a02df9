import { startSarvamSynthesizerSimulator } from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { createSarvamSynthesizer } from '../../../media/tts/sarvam.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'sarvam',
  { voiceId: 'shubh', model: 'bulbul:v3', language: 'hi', hasTimings: false },
  startSarvamSynthesizerSimulator,
  createSarvamSynthesizer,
);
