import { startCartesiaSimulator } from '../../../fixtures/simulators/cartesia.ts';
import { createCartesiaSynthesizer } from '../../../media/tts/cartesia.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'cartesia',
  { voiceId: 'v', model: 'sonic-3.5', language: 'hi', hasTimings: true },
  startCartesiaSimulator,
  createCartesiaSynthesizer,
);
