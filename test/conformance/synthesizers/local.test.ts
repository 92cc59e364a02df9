import { createEspeakSynthesizer } from '../../../media/tts/espeak.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { synthesizerConformance } from '../synthesizer-suite.ts';

const log = createLogger('test', 'silent');

synthesizerConformance('espeak-ng', async () => ({
  create: (listener, clock) => createEspeakSynthesizer({ bin: 'espeak-ng', language: 'en', clock, log, listener }),
  createUnreachable: (listener) =>
    createEspeakSynthesizer({ bin: '/nowhere/espeak-ng', clock: systemClock, log, listener }),
  hasTimings: false,
  remote: null,
  close: async () => {},
}));
