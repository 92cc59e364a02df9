import { MAX_BATCH as DENOISE_BATCH, type DenoiseReply, ROW_SAMPLES } from '../../media/audio/denoise-protocol.ts';
import { createDenoiseThread } from '../../media/audio/denoise-thread.ts';
import { LINE_RATE } from '../../media/audio/format.ts';
import { createMediaClock } from '../../media/playout/media-clock.ts';
import { createHealth } from '../../media/provider/health.ts';
import { createChunkWriter } from '../../media/report/recording-chunk-writer.ts';
import type { SpeechModel } from '../../media/turn/silero.ts';
import { createTurnDetector } from '../../media/turn/turn-detector.ts';
import { createVad } from '../../media/turn/vad.ts';
import { createLogger } from '../../shared/log.ts';
import type { ThreadListener } from '../../shared/worker-thread.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { ask, broken, type Failure, LATE_MS } from './failure.ts';

/** What the calls of one engine share: real parts around models and a store that may fail. */
export function createFailingEngine(clock: VirtualClock, failure: Failure | null) {
  const log = createLogger('test', 'silent');
  const errors: unknown[] = [];
  const denoising = createDenoiseThread({ start: (listener) => startDenoiser(clock, failure, listener), clock, log });
  const vad = createVad({ model: loudnessModel(), log });
  const turnDetector = createTurnDetector({
    model: {
      samples: new Int16Array(8 * LINE_RATE),
      run: () => ask(failure, 'turn model', clock, async () => 0.9),
      close: async () => {},
    },
    clock,
    log,
  });
  const recordings = createChunkWriter({
    store: {
      maxConcurrentPuts: 4,
      put: (_name: string, _bytes: Uint8Array) => ask(failure, 'recording', clock, async () => {}),
    } as never,
    clock,
    log,
  });
  const mediaClock = createMediaClock(clock, (error) => errors.push(error));
  const health = createHealth({ clock, log });
  return {
    ...{ clock, log, denoising, vad, turnDetector, recordings, mediaClock, health },
    /** Errors that reached the engine's clock: none may. */
    errors,
    async close() {
      mediaClock.stop();
      denoising.close();
      const closing = [turnDetector.close(), recordings.close(1_000)];
      await clock.advance(5_000);
      await Promise.race([Promise.all(closing), clock.advance(5_000)]);
    },
  };
}

/** Takes what is loud for speech. */
function loudnessModel(): SpeechModel {
  const input = new Float32Array(64 + 512);
  return {
    ...{ rateHz: 16_000, windowSamples: 512, contextSamples: 64, input },
    newState: () => new Float32Array(),
    run: () => (input.some((sample) => sample > 0.05) ? 0.95 : 0.02),
  };
}

/** Gives the frames back as they are. */
function startDenoiser(clock: VirtualClock, failure: Failure | null, listener: ThreadListener<DenoiseReply>) {
  const memory = {
    streams: new Int32Array(DENOISE_BATCH),
    samples: new Int16Array(DENOISE_BATCH * ROW_SAMPLES),
  };
  const wrong = () => failure?.of('denoiser') ?? null;
  const isDead = () => wrong() === 'dies' || wrong() === 'throws';
  if (isDead()) broken();
  failure?.onStrike('denoiser', () => {
    if (isDead()) listener.onExit('it died');
  });
  clock.after(1, () => listener.onMessage('ready'));
  return {
    memory,
    thread: {
      post(command: unknown) {
        const count = (command as { count?: number }).count;
        if (count === undefined || wrong() === 'hangs' || isDead()) return;
        clock.after(wrong() === 'answers late' ? LATE_MS : 1, () => listener.onMessage({ count }));
      },
      terminate: async () => {},
    },
  };
}

export type FailingEngine = ReturnType<typeof createFailingEngine>;
