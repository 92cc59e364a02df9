import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { createFallbackContext, type FallbackContext, type SynthesizerInstance } from './fallback-context.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from './synthesizer.ts';

/**
 * One synthesizer made of several: the agent's own and its fallbacks. When one fails, the next takes over for the rest of
 * the call, in the middle of a sentence where it must be: it resumes with the first word that was not spoken completely, so
 * nothing is said twice. The call sees one synthesizer in its own format, whose contexts never break.
 *
 * A connection that lasted and broke is opened again first, because providers close idle ones. Every reply holds a permit of
 * its synthesizer's account; without one, a fallback speaks that one reply. In which order they are tried at the start of a call
 * is decided in `call/call-providers.ts`.
 */

export interface VoiceName {
  provider: string;
  model: string;
  voice_id: string;
  voice_name: string;
  language: string;
}

export interface SynthesizerChoice {
  name: VoiceName;
  /** The account whose permits it uses; empty where nothing is counted. */
  account: string;
  /** Throws ProviderError where this engine cannot create it. */
  create(listener: SynthesizerListener): Synthesizer;
}

export interface FallbackSynthesizerOptions {
  /** The agent's own voice first; at least one. */
  choices: readonly SynthesizerChoice[];
  outputFormat: AudioFormat;
  permits: Pick<ConcurrencyPermits, 'tryAcquire' | 'acquire' | 'reportRefusal'>;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
  /** Another synthesizer speaks the rest of the call. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: VoiceName; to: VoiceName }): void;
  /** An account was at its limit: `to` spoke that reply, or (null) `from` did without a permit. */
  onCapacity(change: { from: VoiceName; to: VoiceName | null }): void;
}

export interface FallbackSynthesizer extends Synthesizer {
  /** The voice that speaks now, for billing. */
  readonly active: VoiceName;
}

/** A connection that broke earlier than this is not opened again. */
const RECONNECT_AFTER_MS = 10_000;
/** How long a reply waits for a permit. */
export const PERMIT_WAIT_MS = 1_500;

export function createFallbackSynthesizer(options: FallbackSynthesizerOptions): FallbackSynthesizer {
  const { choices, outputFormat, permits, clock, log, listener, onFallback, onCapacity } = options;
  const contexts = new Map<string, FallbackContext>();
  const instances = new Map<number, SynthesizerInstance>();
  /** The choice of new contexts. */
  let active = 0;
  let closed = false;
  let failedForGood = false;

  /** Creates and opens a choice's synthesizer. Throws ProviderError. */
  function start(choice: number): void {
    const synthesizer = choices[choice]!.create((event) => {
      if (instances.get(choice) === instance && !closed) onEvent(choice, instance, event);
    });
    const instance: SynthesizerInstance = { synthesizer, openedAtMs: clock.now(), warm: false };
    instances.set(choice, instance);
    synthesizer.open().catch((error: unknown) => {
      const current = instances.get(choice) === instance && !closed;
      if (current) failed(choice, asProviderError(error, synthesizer.provider), null);
    });
  }

  function onEvent(choice: number, instance: SynthesizerInstance, event: SynthesizerEvent): void {
    const { contextId } = event;
    const context = [...contexts.values()].find(({ attemptId }) => attemptId === contextId) ?? null;
    if (event.type === 'failed') {
      if (contextId === null || context) failed(choice, event.error, context);
      return;
    }
    if (!context) return;
    if (event.type === 'audio') instance.warm = true;
    context.handle(event);
  }

  function failed(choice: number, error: ProviderError, context: FallbackContext | null): void {
    if (closed || failedForGood) return;
    const { name, account } = choices[choice]!;
    if (error.kind === 'capacity') {
      permits.reportRefusal(account);
      if (context && moveForCapacity(context)) return;
    }
    const transient = error.kind === 'unavailable';
    if (context && transient && !context.retried) {
      context.retried = true;
      context.cancelAttempt();
      context.resume();
      return;
    }
    const lasted = clock.now() - (instances.get(choice)?.openedAtMs ?? 0) >= RECONNECT_AFTER_MS;
    if (!context && transient && lasted && replace(choice, choice)) {
      log.warn({ provider: name.provider, error: error.message }, 'synthesizer reconnected');
      return;
    }
    for (let next = choice + 1; next < choices.length; next++) {
      if (!replace(choice, next)) continue;
      if (choice === active) activate(next, error);
      return;
    }
    failedForGood = true;
    for (const each of contexts.values()) forget(each);
    listener({ type: 'failed', contextId: null, error });
  }

  function activate(choice: number, { kind, message }: ProviderError): void {
    const from = choices[active]!.name;
    active = choice;
    onFallback({ kind, reason: `${kind}: ${message}`, from, to: choices[choice]!.name });
  }

  /** Closes a choice and moves its contexts to `next`, which may be a new instance of the same; false if that cannot start. */
  function replace(choice: number, next: number): boolean {
    const before = instances.get(choice)?.synthesizer;
    instances.delete(choice);
    void before?.close();
    if (!instances.has(next)) {
      try {
        start(next);
      } catch (error) {
        log.warn({ provider: choices[next]!.name.provider, error: errorText(error) }, 'synthesizer could not start');
        return false;
      }
    }
    for (const context of contexts.values()) if (context.choice === choice) context.moveTo(next);
    return true;
  }

  /** Moves this one reply to a fallback whose account has a permit. */
  function moveForCapacity(context: FallbackContext): boolean {
    for (let next = context.choice + 1; next < choices.length; next++) {
      const permit = permits.tryAcquire(choices[next]!.account);
      if (!permit) continue;
      try {
        if (!instances.has(next)) start(next);
      } catch {
        permit.release();
        continue;
      }
      const from = choices[context.choice]!.name;
      context.cancelAttempt();
      context.moveTo(next);
      context.permit = permit;
      onCapacity({ from, to: choices[next]!.name });
      return true;
    }
    return false;
  }

  async function waitForPermit(context: FallbackContext): Promise<void> {
    const { choice } = context;
    const { account, name } = choices[choice]!;
    context.waitsForPermit = true;
    const permit = await permits.acquire(account, PERMIT_WAIT_MS);
    context.waitsForPermit = false;
    const live = !closed && !failedForGood && contexts.get(context.id) === context;
    // The context may have moved to a choice of another account meanwhile.
    if (live && context.choice === choice) context.permit = permit;
    else permit?.release();
    if (!live) return;
    if (!permit && context.choice === choice) {
      if (moveForCapacity(context)) return;
      onCapacity({ from: name, to: null });
    }
    context.resume();
  }

  function forget(context: FallbackContext): void {
    context.close();
    contexts.delete(context.id);
  }

  function openContext(id: string): FallbackContext {
    const context = createFallbackContext({
      id,
      choice: active,
      lastChoice: choices.length - 1,
      outputFormat,
      clock,
      listener,
      instanceOf: (choice) => instances.get(choice),
      onDone(done) {
        forget(done);
        listener({ type: 'done', contextId: id });
      },
      onSilent(silent, kind, reason) {
        failed(silent.choice, new ProviderError(choices[silent.choice]!.name.provider, kind, reason), silent);
      },
    });
    contexts.set(id, context);
    context.permit = permits.tryAcquire(choices[active]!.account);
    if (!context.permit) void waitForPermit(context);
    return context;
  }

  return {
    get provider() {
      return choices[active]!.name.provider;
    },
    get model() {
      return choices[active]!.name.model;
    },
    get active() {
      return choices[active]!.name;
    },
    output: outputFormat,

    async open() {
      for (;;) {
        try {
          start(active);
          return;
        } catch (error) {
          const known = asProviderError(error, choices[active]!.name.provider);
          if (active + 1 >= choices.length) throw known;
          activate(active + 1, known);
        }
      }
    },
    speak(contextId, text) {
      if (closed || failedForGood) return;
      const context = contexts.get(contextId) ?? openContext(contextId);
      context.speak(text);
    },
    end: (contextId) => contexts.get(contextId)?.end(),
    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      forget(context);
      context.cancelAttempt();
    },
    async close() {
      closed = true;
      for (const context of contexts.values()) forget(context);
      await Promise.all([...instances.values()].map(({ synthesizer }) => synthesizer.close()));
    },
  };
}
