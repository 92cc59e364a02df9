import { startElevenLabsTranscriberSimulator } from '../../../fixtures/simulators/elevenlabs-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createElevenLabsTranscriber } from '../../../media/stt/elevenlabs.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('elevenlabs', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startElevenLabsTranscriberSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createElevenLabsTranscriber({ ...common, ...GENERAL, model: 'scribe_v2_realtime', legFormat: MULAW_8K }),
  ),
);
