import type { Clock, Timer } from '../clock.ts';
import {
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
  type LanguageModelFailure,
} from './language-model.ts';

/**
 * One language model made of several: the agent's own and its fallbacks. A model that fails before its first token is replaced
 * at once. When a model is slow, the next one is requested as well (hedging), and the first to send a token is used. After the
 * first token no model is replaced, since nothing may be said twice. A fallback serves the rest of the call.
 */

export interface ModelName {
  provider: string;
  model: string;
}

export interface FallbackModelOptions {
  /** The agent's own model first; at least one. */
  choices: readonly LanguageModel[];
  clock: Clock;
  /** Another model is used from now on. */
  onFallback(change: { kind: LanguageModelFailure; reason: string; from: ModelName; to: ModelName }): void;
  /** A request had its first token in time (null), or none in time, or failed before it; not called for a cancelled one. */
  onOutcome?(name: ModelName, failure: LanguageModelError | null): void;
  /** The next model is requested as well after this long without a first token. */
  hedgeAfterMs?: number;
}

/** Above the 99th percentile of fast models, about a second. */
export const HEDGE_AFTER_MS = 1_200;

interface Attempt {
  choice: number;
  parts: AsyncIterator<ChatPart>;
  abort: AbortController;
  /** The parts up to the first token, or the failure. */
  begun: Promise<Begun>;
}

type Begun = { attempt: Attempt; parts: ChatPart[]; over: boolean } | { attempt: Attempt; error: LanguageModelError };

export interface FallbackModel extends LanguageModel {
  /** The model in use. */
  readonly active: ModelName;
}

export function createFallbackModel(options: FallbackModelOptions): FallbackModel {
  const { choices, clock, hedgeAfterMs = HEDGE_AFTER_MS } = options;
  let active = 0;
  /** Any of them may get the request. */
  const contextTokens = Math.min(...choices.map((choice) => choice.contextTokens ?? Number.POSITIVE_INFINITY));

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
    const judged = new Set<number>();
    let next = first;
    let kind: LanguageModelFailure = 'timeout';
    let reason = '';
    let lastError: LanguageModelError | null = null;
    const startNext = () => {
      running.set(next, start(next, request, signal));
      next++;
    };
    const judge = (choice: number, failure: LanguageModelError | null) => {
      if (signal.aborted || judged.has(choice)) return;
      judged.add(choice);
      options.onOutcome?.(nameOf(choice), failure);
    };
    startNext();
    let winner: Exclude<Begun, { error: LanguageModelError }> | null = null;
    try {
      while (!winner) {
        if (running.size === 0) {
          if (next >= choices.length || signal.aborted) throw lastError!;
          startNext();
        }
        const begun = await firstToBegin([...running.values()], next < choices.length);
        if (begun === 'slow') {
          const slow = new LanguageModelError('timeout', `no first word within ${hedgeAfterMs} ms`);
          reason ||= `timeout: ${slow.message}`;
          for (const choice of running.keys()) judge(choice, slow);
          startNext();
        } else if ('error' in begun) {
          running.delete(begun.attempt.choice);
          judge(begun.attempt.choice, begun.error);
          lastError = begun.error;
          ({ kind } = begun.error);
          reason = `${kind}: ${begun.error.message}`;
        } else winner = begun;
      }
      judge(winner.attempt.choice, null);
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

  /** The first attempt to begin or fail; `slow` when none does in time and another model is left. */
  async function firstToBegin(attempts: Attempt[], othersLeft: boolean): Promise<Begun | 'slow'> {
    let timer: Timer | null = null;
    const waits: Promise<Begun | 'slow'>[] = attempts.map((attempt) => attempt.begun);
    if (othersLeft) {
      waits.push(
        new Promise((resolve) => {
          timer = clock.after(hedgeAfterMs, () => resolve('slow'));
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
    ...(Number.isFinite(contextTokens) && { contextTokens }),
    stream,
    async warm() {
      await Promise.all(choices.map((choice) => choice.warm()));
    },
  };
}
