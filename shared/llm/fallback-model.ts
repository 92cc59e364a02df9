import type { Clock, Timer } from '../clock.ts';
import {
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
  type LanguageModelFailure,
} from './language-model.ts';

/**
 * One language model made of several: the agent's own and those that stand in for it. A model that fails before its first
 * word is replaced at once; one that hesitates gets company: the next one is asked as well, and whoever speaks first is
 * heard. After the first word nobody is replaced, since nothing may be said twice. Who took over answers for the rest of
 * the call.
 */

export interface ModelName {
  provider: string;
  model: string;
}

export interface FallbackModelOptions {
  /** The agent's own model first; at least one. */
  choices: readonly LanguageModel[];
  clock: Clock;
  /** Another model answers from now on. */
  onFallback(change: { kind: LanguageModelFailure; reason: string; from: ModelName; to: ModelName }): void;
  /** Without a first word for so long, the next one is asked as well. */
  hedgeAfterMs?: number;
}

/** Beyond the slow end of what fast models need in good health (p99 about a second). */
export const HEDGE_AFTER_MS = 1_200;

interface Attempt {
  choice: number;
  parts: AsyncIterator<ChatPart>;
  abort: AbortController;
  /** What came up to the first word, then open; or why nothing will come. */
  begun: Promise<Begun>;
}

type Begun = { attempt: Attempt; parts: ChatPart[]; over: boolean } | { attempt: Attempt; error: LanguageModelError };

export interface FallbackModel extends LanguageModel {
  /** Who answers now. */
  readonly active: ModelName;
}

export function createFallbackModel(options: FallbackModelOptions): FallbackModel {
  const { choices, clock, hedgeAfterMs = HEDGE_AFTER_MS } = options;
  let active = 0;

  const nameOf = (choice: number): ModelName => ({
    provider: choices[choice]!.provider,
    model: choices[choice]!.model,
  });

  function start(choice: number, request: ChatRequest, signal: AbortSignal): Attempt {
    const abort = new AbortController();
    const stop = AbortSignal.any([signal, abort.signal]);
    const parts = choices[choice]!.stream(request, stop)[Symbol.asyncIterator]();
    const attempt: Attempt = { choice, parts, abort, begun: Promise.resolve({} as Begun) };
    attempt.begun = readUntilFirstWord(attempt);
    return attempt;
  }

  async function readUntilFirstWord(attempt: Attempt): Promise<Begun> {
    const parts: ChatPart[] = [];
    try {
      for (;;) {
        const next = await attempt.parts.next();
        if (next.done) return { attempt, parts, over: true };
        parts.push(next.value);
        if (next.value.type === 'text' || next.value.type === 'tool_call') return { attempt, parts, over: false };
      }
    } catch (error) {
      const known =
        error instanceof LanguageModelError
          ? error
          : new LanguageModelError('unavailable', error instanceof Error ? error.message : String(error));
      return { attempt, error: known };
    }
  }

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    const first = active;
    const running = new Map<number, Attempt>();
    let next = first;
    let kind: LanguageModelFailure = 'timeout';
    let reason = '';
    let lastError: LanguageModelError | null = null;
    const launch = () => {
      running.set(next, start(next, request, signal));
      next++;
    };
    launch();
    let winner: Exclude<Begun, { error: LanguageModelError }> | null = null;
    try {
      while (!winner) {
        if (running.size === 0) {
          if (next >= choices.length || signal.aborted) throw lastError!;
          launch();
        }
        const begun = await firstToBegin([...running.values()], next < choices.length);
        if (begun === 'hesitates') {
          reason ||= `timeout: no first word within ${hedgeAfterMs} ms`;
          launch();
        } else if ('error' in begun) {
          running.delete(begun.attempt.choice);
          lastError = begun.error;
          ({ kind } = begun.error);
          reason = `${kind}: ${begun.error.message}`;
        } else winner = begun;
      }
      for (const attempt of running.values()) if (attempt !== winner.attempt) attempt.abort.abort();
      if (winner.attempt.choice !== active && active === first) {
        active = winner.attempt.choice;
        options.onFallback({ kind, reason, from: nameOf(first), to: nameOf(active) });
      }
      yield* winner.parts;
      if (winner.over) return;
      for (;;) {
        const part = await winner.attempt.parts.next();
        if (part.done) return;
        yield part.value;
      }
    } finally {
      for (const attempt of running.values()) attempt.abort.abort();
    }
  }

  /** Whoever has something to say first; `hesitates` when nobody has for long and somebody else could be asked. */
  async function firstToBegin(attempts: Attempt[], othersLeft: boolean): Promise<Begun | 'hesitates'> {
    let timer: Timer | null = null;
    const waits: Promise<Begun | 'hesitates'>[] = attempts.map((attempt) => attempt.begun);
    if (othersLeft) {
      waits.push(
        new Promise((resolve) => {
          timer = clock.after(hedgeAfterMs, () => resolve('hesitates'));
        }),
      );
    }
    const outcome = await Promise.race(waits);
    (timer as Timer | null)?.cancel();
    return outcome;
  }

  return {
    get provider() {
      return nameOf(active).provider;
    },
    get model() {
      return nameOf(active).model;
    },
    get active() {
      return nameOf(active);
    },
    stream,
    async warm() {
      await Promise.all(choices.map((choice) => choice.warm()));
    },
  };
}
