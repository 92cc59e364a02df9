import { MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { encodeTestAudio } from './test-audio.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A voice on the virtual clock whose sound names itself. */

export interface SynthesizerBehaviour {
  /** From the first text to the first sound. */
  firstAudioMs?: number;
  msPerCharacter?: number;
  /** Tells where characters lie; `beyond`: twice as late as they are. */
  timings?: boolean | 'beyond';
  /** Sound comes in chunks of so much … */
  chunkMs?: number;
  /** … so many times faster than it is heard. Left out: at once. */
  speed?: number;
  /** After so much sound (0: none) this happens instead of the rest. `done` says it was all. */
  breaksAfterMs?: number;
  breaks?: 'silence' | 'done' | 'context failed' | 'connection failed';
  /** So long after a context was cancelled, 400 ms of its sound and its end still come. */
  lateAfterCancelMs?: number;
  /** The same after it broke. */
  lateAfterBreakMs?: number;
  /** Says a context is done twice. */
  doneTwice?: boolean;
}

interface Context {
  number: number;
  behaviour: SynthesizerBehaviour;
  text: string;
  readyMs: number;
  /** Sound that was given out. */
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
    provider: 'stage',
    model: 'stage',
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
        const pieceMs = Math.min(step, lengthMs - fromMs);
        clock.after(readyMs + Math.round(fromMs / speed) - clock.now(), () => {
          if (fromMs === 0) emitTimings(contextId, context, text, startMs);
          emitAudio(contextId, context, pieceMs);
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
      const manner = { ...defaults, ...behaviours[contexts.size] };
      const readyMs = clock.now() + (manner.firstAudioMs ?? 120);
      const number = contexts.size + 1;
      context = { number, behaviour: manner, text: '', readyMs, givenMs: 0, broken: false, cancelledMs: null };
      contexts.set(contextId, context);
      if (manner.breaks && (manner.breaksAfterMs ?? 0) <= 0) {
        const begun = context;
        clock.after(manner.firstAudioMs ?? 120, () => breakDown(contextId, begun));
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
    const error = new ProviderError('stage', 'unavailable', 'broken');
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
