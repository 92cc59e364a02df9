import { startElevenLabsSimulator } from '../../../fixtures/simulators/elevenlabs.ts';
import { createElevenLabsSynthesizer } from '../../../media/tts/elevenlabs.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'elevenlabs',
  { voiceId: 'v', model: 'eleven_flash_v2_5', hasTimings: true },
  startElevenLabsSimulator,
  createElevenLabsSynthesizer,
);
