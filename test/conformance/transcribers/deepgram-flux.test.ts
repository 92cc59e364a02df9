import { startDeepgramSimulator } from '../../../fixtures/simulators/deepgram.ts';
import { SIMULATOR_SEED } from '../../../fixtures/simulators/draws.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createDeepgramFlux } from '../../../media/stt/deepgram-flux.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber } from './cloud-transcriber.ts';
import { TEXT } from './speech.ts';

transcriberConformance('deepgram flux', { turnDetection: 'provider', through: 'connection' }, async (clock) => {
  const simulator = await startDeepgramSimulator({
    script: { turns: () => ({ text: TEXT, startAfterMs: 5, endAfterMs: 40 }) },
    apiKey: 'key',
    seed: SIMULATOR_SEED,
    clock,
  });
  return cloudTranscriber(simulator, clock, (common) =>
    createDeepgramFlux({
      ...common,
      model: 'flux-general-multi',
      turnDetection: 'balanced',
      languageHints: ['hi', 'en'],
      input: MULAW_8K,
    }),
  );
});
