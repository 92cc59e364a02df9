import { startSarvamTranscriberSimulator } from '../../../fixtures/simulators/sarvam-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createSarvam } from '../../../media/stt/sarvam.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('sarvam', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startSarvamTranscriberSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createSarvam({ ...common, ...GENERAL, model: 'saaras:v3-realtime', legFormat: MULAW_8K }),
  ),
);
