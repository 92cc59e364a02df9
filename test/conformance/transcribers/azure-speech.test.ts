import { startAzureTranscriberSimulator } from '../../../fixtures/simulators/azure-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createAzureTranscriber } from '../../../media/stt/azure-speech.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('azure speech', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startAzureTranscriberSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createAzureTranscriber({ ...common, ...GENERAL, model: 'conversation', legFormat: MULAW_8K }),
  ),
);
