import { startAuraSimulator } from '../../../fixtures/simulators/deepgram-aura.ts';
import { createDeepgramAura } from '../../../media/tts/deepgram-aura.ts';
import { cloudSynthesizerConformance } from './cloud-synthesizer.ts';

cloudSynthesizerConformance(
  'deepgram aura',
  { voiceId: 'aura-2-thalia-en', model: 'aura-2', hasTimings: false },
  startAuraSimulator,
  createDeepgramAura,
);
