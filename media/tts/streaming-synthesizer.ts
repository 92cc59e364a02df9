import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { PronunciationRule } from '../../shared/pronunciation.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { onClock } from '../provider/connection-guard.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createAudioDecoder, type PartialSample } from './audio-decoder.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createClosedContexts } from './closed-contexts.ts';
import type { Synthesizer, SynthesizerListener } from './synthesizer.ts';
import type { TimedText } from './word-timing.ts';

/**
 * What every synthesizer over a WebSocket does alike: the life of its contexts, their deadlines and how they end. A transport
 * adds what differs between providers: connections, messages, and when a provider still owes something.
 */

/** From a segment that was sent to its context's first audio. */
export const FIRST_AUDIO_DEADLINE_MS = 3_000;
/** From one audio message to the next while more is owed, and from the end of the text to the final message. */
export const NEXT_AUDIO_DEADLINE_MS = 5_000;

/** One reply. A transport adds fields of its own. */
export interface SynthesisContext {
  readonly id: string;
  /** Its text is complete. */
  ended: boolean;
  /** Audio received, in milliseconds. */
  audioMs: number;
  lastAudioAtMs: number;
  readonly partial: PartialSample;
  /** The wait for the next message of the provider. */
  readonly deadline: Deadline;
}

/** A provider's connections and messages. Every context it is given is live, except in `release`. */
export interface SynthesisTransport<Context extends SynthesisContext> {
  /** Connects. Rejects with ProviderError. */
  open(): Promise<void>;
  /** Starts closing every connection; resolves when they are closed. The contexts are released right after the call. */
  close(): Promise<void>;
  /** Adds the transport's fields to `base` itself. */
  createContext(base: SynthesisContext): Context;
  /** Sends a segment, now or as soon as its connection is open. It ends in white space. */
  speak(context: Context, segment: string): void;
  /** Sends that the text is complete. */
  end(context: Context): void;
  /** Asks the provider to stop, where it has such a message; `release` follows. */
  cancel(context: Context): void;
  /** Detaches the context from its connection, so that later messages for it are dropped. */
  release(context: Context): void;
  /** Nothing was sent, or all of it has been spoken: the context can end without waiting for the provider. */
  isIdle(context: Context): boolean;
  /** The provider owes audio or its final message, so silence is a failure. */
  isOwed(context: Context): boolean;
  /** Strips what is not audio from a chunk. */
  unwrap?(bytes: Uint8Array): Uint8Array;
}

/** Through which a transport reports what its provider sent. */
export interface SynthesizerCore<Context extends SynthesisContext> {
  /** False once it is done, failed or cancelled; a listener may cancel it during any event. */
  isLive(context: Context): boolean;
  /** Parses a JSON object; null, and ignored, when the message is none. */
  parse(raw: string): Record<string, unknown> | null;
  /** Drops a message; the first of a call is logged. */
  ignore(what: string): void;
  /** Starts the wait for the next audio, unless it is running. */
  expectAudio(context: Context): void;
  /** Restarts that wait, or stops it when nothing is owed. */
  watch(context: Context): void;
  /** @param audio base64 or bytes, of any length. */
  audio(context: Context, audio: string | Uint8Array): void;
  timing(context: Context, timed: TimedText | null): void;
  done(context: Context): void;
  fail(context: Context, error: ProviderError): void;
  /** Ends the synthesizer: no connection is left. */
  failAll(error: ProviderError): void;
}

/** What every cloud provider's synthesizer is created with. */
export interface CloudSynthesizerOptions {
  /** The vendor's base address. */
  url: string;
  apiKey: string;
  voiceId: string;
  model: string;
  /** Language tag. */
  language?: string;
  /** 1 is normal; others are limited to the vendor's range. */
  speed?: number;
  /** Whose IPA is sent, by a provider that takes it. */
  pronunciations?: readonly PronunciationRule[];
  /** The call's format. */
  output: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}

export function createStreamingSynthesizer<Context extends SynthesisContext>(
  provider: string,
  options: Pick<CloudSynthesizerOptions, 'model' | 'output' | 'clock' | 'log' | 'listener'>,
  createTransport: (core: SynthesizerCore<Context>) => SynthesisTransport<Context>,
): Synthesizer {
  const { model, output, clock, log, listener } = options;
  const bytesPerMs = (output.sample_rate * bytesPerSample(output)) / 1000;
  const decoder = createAudioDecoder(output);
  const contexts = new Map<string, Context>();
  const closed = createClosedContexts();
  /** Contexts that ended without waiting for the provider; `done` follows in a microtask. */
  const finishing = new Set<string>();
  let over = false;
  let closing: Promise<void> | null = null;
  let ignored = 0;

  function openContext(id: string): Context {
    const context = transport.createContext({
      id,
      ended: false,
      audioMs: 0,
      lastAudioAtMs: 0,
      partial: { byte: null },
      deadline: createDeadline(clock, NEXT_AUDIO_DEADLINE_MS, () => onOverdue(context)),
    });
    contexts.set(id, context);
    return context;
  }

  function isLive(context: Context): boolean {
    return contexts.get(context.id) === context;
  }

  function closeContext(context: Context): void {
    context.deadline.stop();
    contexts.delete(context.id);
    closed.add(context.id);
    transport.release(context);
  }

  function onOverdue(context: Context): void {
    const waitedMs = context.audioMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS;
    transport.cancel(context);
    fail(context, new ProviderError(provider, 'timeout', `no audio for ${waitedMs} ms`));
  }

  function fail(context: Context, error: ProviderError): void {
    // A listener may have cancelled it when another context failed.
    if (!isLive(context)) return;
    closeContext(context);
    listener({ type: 'failed', contextId: context.id, error });
  }

  /** Emits `done` after the caller's own call has returned. */
  function finishSoon(contextId: string): void {
    finishing.add(contextId);
    const finish = () => {
      if (finishing.delete(contextId) && !over) listener({ type: 'done', contextId });
    };
    queueMicrotask(onClock(clock, finish));
  }

  function shutDown(): Promise<void> {
    over = true;
    const disconnected = transport.close();
    for (const context of [...contexts.values()]) closeContext(context);
    return disconnected;
  }

  function ignore(what: string): void {
    if (ignored++ === 0) log.warn({ provider, what }, 'unexpected synthesizer message ignored');
  }

  function watch(context: Context): void {
    if (!isLive(context)) return;
    if (transport.isOwed(context)) context.deadline.start();
    else context.deadline.stop();
  }

  const core: SynthesizerCore<Context> = {
    isLive,
    parse(raw) {
      const message = parseJsonMessage(raw);
      if (typeof message !== 'string') return message;
      ignore(message);
      return null;
    },
    ignore,
    expectAudio(context) {
      if (!isLive(context) || context.deadline.running) return;
      context.deadline.start(context.audioMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS);
    },
    watch,
    audio(context, audio) {
      if (!isLive(context)) return;
      const decoded = decoder.decode(audio, context.partial);
      const bytes = transport.unwrap ? transport.unwrap(decoded) : decoded;
      if (bytes.length === 0) return;
      context.audioMs += bytes.length / bytesPerMs;
      context.lastAudioAtMs = clock.now();
      watch(context);
      listener({ type: 'audio', contextId: context.id, bytes });
    },
    timing(context, timed) {
      if (timed) listener({ type: 'timing', contextId: context.id, ...timed });
    },
    done(context) {
      closeContext(context);
      listener({ type: 'done', contextId: context.id });
    },
    fail,
    failAll(error) {
      if (over) return;
      void shutDown();
      listener({ type: 'failed', contextId: null, error });
    },
  };
  const transport = createTransport(core);

  return {
    provider,
    model,
    output,
    async open() {
      try {
        await transport.open();
      } catch (error) {
        void shutDown();
        throw error;
      }
    },
    speak(contextId, text) {
      if (over || closed.has(contextId)) return;
      const known = contexts.get(contextId);
      // Text without letters or digits has no audio, so its deadline would expire.
      if (known?.ended || countAlphanumerics(text) === 0) return;
      // Providers join segments without adding spaces.
      transport.speak(known ?? openContext(contextId), /\s$/u.test(text) ? text : `${text} `);
    },
    end(contextId) {
      const context = contexts.get(contextId);
      if (over || closed.has(contextId) || context?.ended) return;
      if (context && !transport.isIdle(context)) {
        context.ended = true;
        transport.end(context);
        return;
      }
      if (context) closeContext(context);
      else closed.add(contextId);
      finishSoon(contextId);
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      finishing.delete(contextId);
      if (!context) {
        closed.add(contextId);
        return;
      }
      transport.cancel(context);
      closeContext(context);
    },
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}
