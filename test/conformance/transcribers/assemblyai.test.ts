import { startAssemblyAiSimulator } from '../../../fixtures/simulators/assemblyai.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createAssemblyAi } from '../../../media/stt/assemblyai.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('assemblyai', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startAssemblyAiSimulator({ ...UTTERANCES, clock }), clock, (common) =>
    createAssemblyAi({ ...common, ...GENERAL, model: 'universal-3-5-pro', legFormat: MULAW_8K }),
  ),
);
