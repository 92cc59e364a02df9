import { startDeepgramGeneralSimulator } from '../../../fixtures/simulators/deepgram-general.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createDeepgram } from '../../../media/stt/deepgram.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('deepgram', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startDeepgramGeneralSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createDeepgram({ ...common, ...GENERAL, model: 'nova-3', input: MULAW_8K }),
  ),
);
