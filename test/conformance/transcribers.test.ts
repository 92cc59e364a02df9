import { startDeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { speechLike } from '../../fixtures/simulators/speech-like.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { createDeepgramFlux } from '../../media/stt/deepgram-flux.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { transcriberConformance } from './transcriber-suite.ts';

const log = createLogger('test', 'silent');

function frames(): Uint8Array[] {
  const spoken = Buffer.concat([speechLike('bookatable', 'ulaw', 8000, 60).bytes, Buffer.alloc(8000, 0xff)]);
  return Array.from({ length: Math.floor(spoken.length / 160) }, (_, i) => spoken.subarray(i * 160, (i + 1) * 160));
}

transcriberConformance('deepgram flux', async () => {
  const simulator = await startDeepgramSimulator({
    script: { turns: [{ text: 'book a table', startAfterMs: 5, endAfterMs: 40 }] },
    apiKey: 'key',
  });
  const common = {
    apiKey: 'key',
    model: 'flux-general-multi',
    turnDetection: 'balanced' as const,
    languageHints: ['hi', 'en'],
    input: MULAW_8K,
    clock: systemClock,
    log,
  };
  return {
    create: (listener) => createDeepgramFlux({ ...common, url: simulator.url, listener }),
    createUnreachable: (listener) => createDeepgramFlux({ ...common, url: 'ws://127.0.0.1:1', listener }),
    speech: frames,
    words: ['book', 'table'],
    violations: () => simulator.violations,
    close: () => simulator.close(),
  };
});
