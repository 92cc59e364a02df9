import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { afterFailure, newReconnects, onAnswer, type Reconnects } from '../provider/reconnect-policy.ts';
import { createFallbackContext, type FallbackContext, type SynthesizerInstance } from './fallback-context.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from './synthesizer.ts';

/**
 * One synthesizer made of several: the agent's own and its fallbacks. When one fails, the next takes over for the rest of
 * the call, in the middle of a sentence where it must be: it resumes with the first word that was not spoken completely, so
 * nothing is said twice. The call sees one synthesizer in its own format, whose contexts never break.
 *
 * When a lost connection is opened again, and for how long, is decided in `provider/reconnect-policy.ts`; until then text is kept.
 * Every reply holds a permit of its synthesizer's account; without one, a fallback speaks that one reply. In which order they are
 * tried at the start of a call is decided in `call/call-providers.ts`.
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
  /** Takes work whose rejection nobody expects. */
  watch(work: Promise<unknown>): void;
  /** Another synthesizer speaks the rest of the call. */
  onFallback(change: { kind: ProviderFailure; reason: string; from: VoiceName; to: VoiceName }): void;
  /** An account was at its limit: `to` spoke that reply, or (null) `from` did without a permit. */
  onCapacity(change: { from: VoiceName; to: VoiceName | null }): void;
  /** This voice speaks the context from now on. */
  onVoice?(contextId: string, name: VoiceName): void;
  /** A connection is lost and will be opened again; not repeated until it has worked. */
  onReconnect?(name: VoiceName, error: ProviderError): void;
  /** A reply has its first audio (null), or a connection, or a reply on it, has failed. */
  onOutcome?(name: VoiceName, failure: ProviderError | null): void;
}

export interface FallbackSynthesizer extends Synthesizer {
  /** The voice that speaks now, for billing. */
  readonly active: VoiceName;
}

/** How long a reply waits for a permit. */
export const PERMIT_WAIT_MS = 1_500;

export function createFallbackSynthesizer(options: FallbackSynthesizerOptions): FallbackSynthesizer {
  const { choices, outputFormat, permits, clock, log, listener, watch } = options;
  const contexts = new Map<string, FallbackContext>();
  /** By choice. */
  const instances = new Map<number, SynthesizerInstance>();
  const reconnects: Reconnects[] = choices.map(newReconnects);
  const reconnectTimers = new Map<number, Timer>();
  /** The choice of new contexts. */
  let active = 0;
  let closed = false;
  let failedForGood = false;

  /** Creates and opens a choice's synthesizer. Throws ProviderError. */
  function start(choice: number): void {
    const synthesizer = choices[choice]!.create((event) => {
      if (instances.get(choice) === instance && !closed) onEvent(choice, instance, event);
    });
    const instance: SynthesizerInstance = { synthesizer, openedAtMs: null, warm: false };
    instances.set(choice, instance);
    const opened = synthesizer.open().then(
      () => {
        instance.openedAtMs = clock.now();
        // While there is something to be said, only audio shows that it works.
        if (contextsOf(choice).length === 0) onAnswer(reconnects[choice]!);
      },
      (error: unknown) => {
        const current = instances.get(choice) === instance && !closed;
        if (current) failed(choice, asProviderError(error, synthesizer.provider), null);
      },
    );
    watch(opened);
  }

  function contextsOf(choice: number): FallbackContext[] {
    return [...contexts.values()].filter((context) => context.choice === choice);
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

  /** With a context, that context has failed; with null, the connection. `silentMs`: how long something had been owed. */
  function failed(choice: number, error: ProviderError, context: FallbackContext | null, silentMs = 0): void {
    if (closed || failedForGood) return;
    const { name, account } = choices[choice]!;
    const { kind } = error;
    if (kind === 'capacity') {
      permits.reportRefusal(account);
      if (context && moveForCapacity(context)) return;
    }
    if (context && kind === 'unavailable' && !context.retried) {
      context.retried = true;
      context.cancelAttempt();
      context.resume();
      return;
    }
    options.onOutcome?.(name, error);
    const nowMs = clock.now();
    const openedAtMs = instances.get(choice)?.openedAtMs ?? nowMs;
    const hasFallback = choice + 1 < choices.length || choice !== active;
    const connectedMs = context ? 0 : nowMs - openedAtMs;
    const next = afterFailure(reconnects[choice]!, { kind, connectedMs, silentMs, hasFallback, nowMs });
    disconnect(choice);
    if (next.step === 'connect') {
      log.warn({ provider: name.provider, error: error.message, after_ms: next.afterMs }, 'synthesizer reconnecting');
      if (next.first) options.onReconnect?.(name, error);
      reconnectTimers.set(
        choice,
        clock.after(next.afterMs, () => reconnect(choice)),
      );
    } else if (!fallBack(choice, error)) giveUp(error);
  }

  function disconnect(choice: number): void {
    const before = instances.get(choice)?.synthesizer;
    instances.delete(choice);
    void before?.close();
    for (const context of contextsOf(choice)) context.wait();
  }

  function reconnect(choice: number): void {
    reconnectTimers.delete(choice);
    try {
      start(choice);
    } catch (error) {
      failed(choice, asProviderError(error, choices[choice]!.name.provider), null);
      return;
    }
    for (const context of contextsOf(choice)) context.resume();
  }

  /** Gives the choice's contexts to the next one that can be started, or back to the one in use. */
  function fallBack(choice: number, error: ProviderError): boolean {
    const others = choices.flatMap((_, other) => (other > choice ? other : []));
    if (choice !== active) others.push(active);
    const next = others.find(available);
    if (next === undefined) return false;
    if (choice === active) activate(next, error);
    for (const context of contextsOf(choice)) context.moveTo(next);
    return true;
  }

  /** Starts a choice that has not been started; false when it cannot be. One that reconnects is available soon. */
  function available(choice: number): boolean {
    if (instances.has(choice) || reconnectTimers.has(choice)) return true;
    try {
      start(choice);
      return true;
    } catch (error) {
      log.warn({ provider: choices[choice]!.name.provider, error: errorText(error) }, 'synthesizer could not start');
      return false;
    }
  }

  function giveUp(error: ProviderError): void {
    failedForGood = true;
    stopReconnecting();
    for (const context of contexts.values()) forget(context);
    listener({ type: 'failed', contextId: null, error });
  }

  function stopReconnecting(): void {
    for (const timer of reconnectTimers.values()) timer.cancel();
    reconnectTimers.clear();
  }

  function activate(choice: number, { kind, message }: ProviderError): void {
    const from = choices[active]!.name;
    active = choice;
    options.onFallback({ kind, reason: `${kind}: ${message}`, from, to: choices[choice]!.name });
  }

  /** Moves this one reply to a fallback whose account has a permit. */
  function moveForCapacity(context: FallbackContext): boolean {
    for (let next = context.choice + 1; next < choices.length; next++) {
      const permit = permits.tryAcquire(choices[next]!.account);
      if (!permit) continue;
      if (!available(next)) {
        permit.release();
        continue;
      }
      const from = choices[context.choice]!.name;
      context.cancelAttempt();
      context.moveTo(next);
      context.permit = permit;
      options.onCapacity({ from, to: choices[next]!.name });
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
      options.onCapacity({ from: name, to: null });
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
      onFirstAudio({ choice }) {
        onAnswer(reconnects[choice]!);
        options.onVoice?.(id, choices[choice]!.name);
        options.onOutcome?.(choices[choice]!.name, null);
      },
      onSilent(silent, kind, reason, silentMs) {
        failed(silent.choice, new ProviderError(choices[silent.choice]!.name.provider, kind, reason), silent, silentMs);
      },
    });
    contexts.set(id, context);
    context.permit = permits.tryAcquire(choices[active]!.account);
    if (!context.permit) watch(waitForPermit(context));
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
      stopReconnecting();
      for (const context of contexts.values()) forget(context);
      await Promise.all([...instances.values()].map(({ synthesizer }) => synthesizer.close()));
    },
  };
}
