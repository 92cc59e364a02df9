import { startSonioxSimulator } from '../../../fixtures/simulators/soniox.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createSoniox } from '../../../media/stt/soniox.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('soniox', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startSonioxSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createSoniox({ ...common, ...GENERAL, model: 'stt-rt-v5', input: MULAW_8K }),
  ),
);
