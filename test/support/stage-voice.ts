import { MULAW_8K } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Voice, VoiceEvent } from '../../media/tts/voice.ts';
import { makeSound } from './stage-sound.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A voice on the virtual clock whose sound names itself. */

export interface VoiceManner {
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
  manner: VoiceManner;
  text: string;
  readyMs: number;
  /** Sound that was given out. */
  givenMs: number;
  broken: boolean;
  cancelledMs: number | null;
}

export function createStageVoice(
  clock: VirtualClock,
  manners: readonly VoiceManner[],
  usual: VoiceManner,
  tell: (event: VoiceEvent) => void,
) {
  const spoken: { contextId: string; text: string }[] = [];
  const contexts = new Map<string, Context>();

  const voice: Voice = {
    provider: 'stage',
    model: 'stage',
    output: MULAW_8K,
    open: async () => {},
    speak(contextId, text) {
      spoken.push({ contextId, text });
      const context = contextOf(contextId);
      context.text += text;
      const { msPerCharacter = 60, chunkMs, speed = Number.POSITIVE_INFINITY } = context.manner;
      const lengthMs = Math.round((text.length * msPerCharacter) / 20) * 20;
      const readyMs = Math.max(clock.now(), context.readyMs);
      context.readyMs = readyMs + Math.round(lengthMs / speed);
      const startMs: number[] = [];
      for (let index = 0; index < text.length; index++) startMs.push((index * lengthMs) / text.length);
      const step = chunkMs ?? Math.max(20, lengthMs);
      for (let fromMs = 0; fromMs < Math.max(1, lengthMs); fromMs += step) {
        const pieceMs = Math.min(step, lengthMs - fromMs);
        clock.after(readyMs + Math.round(fromMs / speed) - clock.now(), () => {
          if (fromMs === 0) tellTimings(contextId, context, text, startMs);
          give(contextId, context, pieceMs);
        });
      }
    },
    end(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      clock.after(Math.max(0, context.readyMs - clock.now()) + 1, () => {
        if (context.cancelledMs !== null || context.broken) return;
        tell({ type: 'done', contextId });
        if (context.manner.doneTwice) tell({ type: 'done', contextId });
      });
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context || context.cancelledMs !== null) return;
      context.cancelledMs = clock.now();
      comeLate(contextId, context, context.manner.lateAfterCancelMs);
    },
    close: async () => {},
  };

  function contextOf(contextId: string): Context {
    let context = contexts.get(contextId);
    if (!context) {
      const manner = { ...usual, ...manners[contexts.size] };
      const readyMs = clock.now() + (manner.firstAudioMs ?? 120);
      const number = contexts.size + 1;
      context = { number, manner, text: '', readyMs, givenMs: 0, broken: false, cancelledMs: null };
      contexts.set(contextId, context);
      if (manner.breaks && (manner.breaksAfterMs ?? 0) <= 0) {
        const begun = context;
        clock.after(manner.firstAudioMs ?? 120, () => breakDown(contextId, begun));
      }
    }
    return context;
  }

  function tellTimings(contextId: string, context: Context, text: string, startMs: number[]): void {
    if (!context.manner.timings || context.cancelledMs !== null || context.broken) return;
    const factor = context.manner.timings === 'beyond' ? 2 : 1;
    const from = context.givenMs;
    tell({ type: 'timing', contextId, text, startMs: startMs.map((ms) => (from + ms) * factor) });
  }

  function comeLate(contextId: string, context: Context, afterMs: number | undefined): void {
    if (afterMs === undefined) return;
    clock.after(afterMs, () => {
      tell({ type: 'timing', contextId, text: 'late words', startMs: [0, 10, 20] });
      tell({ type: 'audio', contextId, bytes: sound(context, 400) });
      tell({ type: 'done', contextId });
    });
  }

  function give(contextId: string, context: Context, lengthMs: number): void {
    if (context.cancelledMs !== null || context.broken) return;
    const { breaks, breaksAfterMs = 0 } = context.manner;
    const givenMs = breaks ? Math.max(0, Math.min(lengthMs, breaksAfterMs - context.givenMs)) : lengthMs;
    if (givenMs > 0) tell({ type: 'audio', contextId, bytes: sound(context, givenMs) });
    if (breaks && context.givenMs >= breaksAfterMs) breakDown(contextId, context);
  }

  function breakDown(contextId: string, context: Context): void {
    if (context.broken || context.cancelledMs !== null) return;
    context.broken = true;
    const { breaks } = context.manner;
    const error = new ProviderError('stage', 'unavailable', 'broken');
    if (breaks === 'done') tell({ type: 'done', contextId });
    if (breaks === 'context failed') tell({ type: 'failed', contextId, error });
    if (breaks === 'connection failed') tell({ type: 'failed', contextId: null, error });
    comeLate(contextId, context, context.manner.lateAfterBreakMs);
  }

  return { voice, spoken, contexts };
}

function sound(context: Context, lengthMs: number): Uint8Array {
  const bytes = makeSound(context.number, context.givenMs, lengthMs);
  context.givenMs += lengthMs;
  return bytes;
}
