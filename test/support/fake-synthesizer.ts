import { MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { encodeTestAudio } from './test-audio.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Behaviour of a fake synthesizer context, whose audio encodes its position (`test-audio.ts`). */

export interface SynthesizerBehaviour {
  /** From the first text to the first audio. */
  firstAudioMs?: number;
  msPerCharacter?: number;
  /** Sends character timings; `beyond`: twice as late as they are. */
  timings?: boolean | 'beyond';
  /** Audio per chunk … */
  chunkMs?: number;
  /** … at this multiple of real time. Default: at once. */
  speed?: number;
  /** After this much audio (0: none) `breaks` happens instead of the rest. `done`: ends early. */
  breaksAfterMs?: number;
  breaks?: 'silence' | 'done' | 'context failed' | 'connection failed';
  /** After a cancellation, 400 ms of audio and `done` still arrive with this delay. */
  lateAfterCancelMs?: number;
  /** The same after `breaks`. */
  lateAfterBreakMs?: number;
  /** Sends `done` twice. */
  doneTwice?: boolean;
}

interface Context {
  number: number;
  behaviour: SynthesizerBehaviour;
  text: string;
  readyMs: number;
  /** Emitted audio. */
  givenMs: number;
  broken: boolean;
  cancelledMs: number | null;
}

export function createFakeSynthesizer(
  clock: VirtualClock,
  behaviours: readonly SynthesizerBehaviour[],
  defaults: SynthesizerBehaviour,
  emit: (event: SynthesizerEvent) => void,
) {
  const spoken: { contextId: string; text: string }[] = [];
  const contexts = new Map<string, Context>();

  const synthesizer: Synthesizer = {
    provider: 'test',
    model: 'test',
    output: MULAW_8K,
    open: async () => {},
    speak(contextId, text) {
      spoken.push({ contextId, text });
      const context = contextOf(contextId);
      context.text += text;
      const { msPerCharacter = 60, chunkMs, speed = Number.POSITIVE_INFINITY } = context.behaviour;
      const lengthMs = Math.round((text.length * msPerCharacter) / 20) * 20;
      const readyMs = Math.max(clock.now(), context.readyMs);
      context.readyMs = readyMs + Math.round(lengthMs / speed);
      const startMs: number[] = [];
      for (let index = 0; index < text.length; index++) startMs.push((index * lengthMs) / text.length);
      const step = chunkMs ?? Math.max(20, lengthMs);
      for (let fromMs = 0; fromMs < Math.max(1, lengthMs); fromMs += step) {
        const chunkLengthMs = Math.min(step, lengthMs - fromMs);
        clock.after(readyMs + Math.round(fromMs / speed) - clock.now(), () => {
          if (fromMs === 0) emitTimings(contextId, context, text, startMs);
          emitAudio(contextId, context, chunkLengthMs);
        });
      }
    },
    end(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      clock.after(Math.max(0, context.readyMs - clock.now()) + 1, () => {
        if (context.cancelledMs !== null || context.broken) return;
        emit({ type: 'done', contextId });
        if (context.behaviour.doneTwice) emit({ type: 'done', contextId });
      });
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context || context.cancelledMs !== null) return;
      context.cancelledMs = clock.now();
      emitLate(contextId, context, context.behaviour.lateAfterCancelMs);
    },
    close: async () => {},
  };

  function contextOf(contextId: string): Context {
    let context = contexts.get(contextId);
    if (!context) {
      const behaviour = { ...defaults, ...behaviours[contexts.size] };
      const readyMs = clock.now() + (behaviour.firstAudioMs ?? 120);
      const number = contexts.size + 1;
      context = { number, behaviour, text: '', readyMs, givenMs: 0, broken: false, cancelledMs: null };
      contexts.set(contextId, context);
      if (behaviour.breaks && (behaviour.breaksAfterMs ?? 0) <= 0) {
        const begun = context;
        clock.after(behaviour.firstAudioMs ?? 120, () => breakDown(contextId, begun));
      }
    }
    return context;
  }

  function emitTimings(contextId: string, context: Context, text: string, startMs: number[]): void {
    if (!context.behaviour.timings || context.cancelledMs !== null || context.broken) return;
    const factor = context.behaviour.timings === 'beyond' ? 2 : 1;
    const from = context.givenMs;
    emit({ type: 'timing', contextId, text, startMs: startMs.map((ms) => (from + ms) * factor) });
  }

  function emitLate(contextId: string, context: Context, afterMs: number | undefined): void {
    if (afterMs === undefined) return;
    clock.after(afterMs, () => {
      emit({ type: 'timing', contextId, text: 'late words', startMs: [0, 10, 20] });
      emit({ type: 'audio', contextId, bytes: nextAudio(context, 400) });
      emit({ type: 'done', contextId });
    });
  }

  function emitAudio(contextId: string, context: Context, lengthMs: number): void {
    if (context.cancelledMs !== null || context.broken) return;
    const { breaks, breaksAfterMs = 0 } = context.behaviour;
    const givenMs = breaks ? Math.max(0, Math.min(lengthMs, breaksAfterMs - context.givenMs)) : lengthMs;
    if (givenMs > 0) emit({ type: 'audio', contextId, bytes: nextAudio(context, givenMs) });
    if (breaks && context.givenMs >= breaksAfterMs) breakDown(contextId, context);
  }

  function breakDown(contextId: string, context: Context): void {
    if (context.broken || context.cancelledMs !== null) return;
    context.broken = true;
    const { breaks } = context.behaviour;
    const error = new ProviderError('test', 'unavailable', 'broken');
    if (breaks === 'done') emit({ type: 'done', contextId });
    if (breaks === 'context failed') emit({ type: 'failed', contextId, error });
    if (breaks === 'connection failed') emit({ type: 'failed', contextId: null, error });
    emitLate(contextId, context, context.behaviour.lateAfterBreakMs);
  }

  return { synthesizer: synthesizer, spoken, contexts };
}

function nextAudio(context: Context, lengthMs: number): Uint8Array {
  const bytes = encodeTestAudio(context.number, context.givenMs, lengthMs);
  context.givenMs += lengthMs;
  return bytes;
}
