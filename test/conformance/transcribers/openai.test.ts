import { startOpenAiTranscriberSimulator } from '../../../fixtures/simulators/openai-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createOpenAiTranscriber } from '../../../media/stt/openai.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { cloudTranscriber, GENERAL, UTTERANCES } from './cloud-transcriber.ts';

transcriberConformance('openai', { turnDetection: 'finalize', through: 'connection' }, async (clock) =>
  cloudTranscriber(await startOpenAiTranscriberSimulator({ ...UTTERANCES, clock }), clock, ({ url, ...common }) =>
    createOpenAiTranscriber({
      ...{ ...common, ...GENERAL, url: `${url}/v1`, model: 'gpt-live-transcribe', legFormat: MULAW_8K },
    }),
  ),
);
