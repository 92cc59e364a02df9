import { createEspeakSynthesizer } from '../../../media/tts/espeak.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { synthesizerConformance } from '../synthesizer-suite.ts';

const log = createLogger('test', 'silent');

synthesizerConformance('espeak-ng', async () => ({
  create: (listener, clock) => createEspeakSynthesizer({ bin: 'espeak-ng', language: 'en', clock, log, listener }),
  createUnreachable: (listener) =>
    createEspeakSynthesizer({ bin: '/nowhere/espeak-ng', clock: patientClock, log, listener }),
  hasTimings: false,
  remote: null,
  close: async () => {},
}));
