import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { createConnectionGuard } from '../provider/connection-guard.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import type { Synthesizer, SynthesizerListener } from '../tts/synthesizer.ts';

/** Transcribers and synthesizers whose unexpected errors are failures of their connection (`provider/connection-guard.ts`). */

interface Guarded<Listener> {
  provider: string;
  clock: Clock;
  log: Logger;
  listener: Listener;
}

export function guardTranscriber(
  { listener, ...options }: Guarded<TranscriberListener>,
  create: (clock: Clock) => Transcriber,
): Transcriber {
  const { clock, method, opened, closed } = createConnectionGuard({
    ...options,
    onFailed(error) {
      void guarded.close();
      listener({ type: 'failed', error });
    },
  });
  const transcriber = create(clock);
  const { provider, model, input, decidesTurns, finalizationMs, speech } = transcriber;
  const guarded: Transcriber = {
    ...{ provider, model, input, decidesTurns },
    ...(finalizationMs !== undefined && { finalizationMs }),
    ...(speech && { speech: method((active: boolean) => speech(active)) }),
    open: opened(() => transcriber.open()),
    audio: method((chunk) => transcriber.audio(chunk)),
    finalize: method(() => transcriber.finalize()),
    close: closed(() => transcriber.close()),
  };
  return guarded;
}

export function guardSynthesizer(
  { listener, ...options }: Guarded<SynthesizerListener>,
  create: (clock: Clock) => Synthesizer,
): Synthesizer {
  const { clock, method, opened, closed } = createConnectionGuard({
    ...options,
    onFailed(error) {
      void guarded.close();
      listener({ type: 'failed', contextId: null, error });
    },
  });
  const synthesizer = create(clock);
  const { provider, model, output, playedOut } = synthesizer;
  const guarded: Synthesizer = {
    ...{ provider, model, output },
    ...(playedOut && { playedOut: method((contextId: string, ms: number) => playedOut(contextId, ms)) }),
    open: opened(() => synthesizer.open()),
    speak: method((contextId, text) => synthesizer.speak(contextId, text)),
    end: method((contextId) => synthesizer.end(contextId)),
    cancel: method((contextId) => synthesizer.cancel(contextId)),
    close: closed(() => synthesizer.close()),
  };
  return guarded;
}
