import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createBase64AudioDecoder, type PartialSample } from './base64-audio.ts';
import { type CartesiaLine, createCartesiaConnection } from './cartesia-connection.ts';
import { type CartesiaProgress, createCartesiaProgress } from './cartesia-progress.ts';
import * as wire from './cartesia-protocol.ts';
import { PROVIDER } from './cartesia-protocol.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createClosedContexts } from './closed-contexts.ts';
import type { Synthesizer, SynthesizerListener } from './synthesizer.ts';
import type { TimedText } from './word-timing.ts';

/**
 * Cartesia Sonic over `tts/websocket` (public documentation: docs.cartesia.ai, "Text to Speech (WebSocket)", "Contexts",
 * "Concurrency and WebSocket Limits"). One connection per call; every reply is a context. A context expires one second after
 * its last sound, and its name is not used again.
 */

/** From a piece on the wire to its context's first sound. */
export const FIRST_AUDIO_DEADLINE_MS = 3_000;
/** From one sound to the next while more is owed, and from the end of the text to the final message. */
export const NEXT_AUDIO_DEADLINE_MS = 5_000;
/** Half of the vendor's second: text that comes later gets a fresh context on the wire. */
const STALE_AFTER_MS = 500;

export interface CartesiaSynthesizerOptions {
  /** The vendor's base address, `wss://api.cartesia.ai`. */
  url: string;
  apiKey: string;
  /** Empty: a voice of the vendor's own. */
  voiceId: string;
  /** `sonic-3.5` and its like. */
  model: string;
  /** Language tag; left out, the voice's own. */
  language?: string;
  /** 1 is normal; the vendor's range is 0.6 to 1.5, others are brought into it. */
  speed?: number;
  /** The line's format, which the voice takes where the vendor offers it. */
  output: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}

interface Context {
  id: string;
  line: CartesiaLine<Context>;
  /** Its name on the wire; empty between two of them, when all that was sent has been spoken. */
  wireId: string;
  /** The provider knows of that name. */
  greeted: boolean;
  ended: boolean;
  progress: CartesiaProgress;
  lastSoundAt: number;
  held: PartialSample;
  deadline: Deadline;
}

export function createCartesiaSynthesizer(options: CartesiaSynthesizerOptions): Synthesizer {
  const { clock, log, listener } = options;
  const output = wire.cartesiaOutput(options.output);
  const bytesPerMs = (output.sample_rate * bytesPerSample(output)) / 1000;
  const request = wire.cartesiaRequest({ ...options, output });
  const sound = createBase64AudioDecoder(output);

  const contexts = new Map<string, Context>();
  const spent = createClosedContexts();
  /** Without anything left to come; their `done` is told as soon as `end` has returned. */
  const finished = new Set<string>();
  let nextWireId = 1;
  let over = false;
  let closing: Promise<void> | null = null;
  let oddMessages = 0;

  const connection = createCartesiaConnection<Context>({
    ...{ url: options.url, apiKey: options.apiKey, clock, log, onText },
    onLost(lost, error) {
      for (const context of lost) fail(context, error);
    },
    onFailed(error) {
      over = true;
      void release();
      listener({ type: 'failed', contextId: null, error });
    },
  });

  function openContext(id: string): Context {
    const context: Context = {
      id,
      line: connection.line,
      wireId: '',
      greeted: false,
      ended: false,
      progress: createCartesiaProgress(),
      lastSoundAt: 0,
      held: { byte: null },
      deadline: createDeadline(clock, NEXT_AUDIO_DEADLINE_MS, () => onSilent(context)),
    };
    contexts.set(id, context);
    return context;
  }

  /** A name of ours for the context on the wire, never used twice. */
  function name(context: Context): void {
    context.line = connection.line;
    context.wireId = `r${nextWireId++}`;
    context.greeted = false;
    context.progress.begin();
    context.line.enter(context.wireId, context);
  }

  /** What was sent under its name is spoken, or will never be; whatever still comes under it is for nobody. */
  function unname(context: Context): void {
    const { line, wireId } = context;
    context.wireId = '';
    context.deadline.stop();
    line.leave(wireId);
  }

  function forget(context: Context): void {
    unname(context);
    contexts.delete(context.id);
    spent.add(context.id);
  }

  function giveUp(context: Context): void {
    const { line, wireId, greeted } = context;
    if (greeted && wireId !== '') line.send({ context_id: wireId, cancel: true });
    forget(context);
  }

  function fail(context: Context, error: ProviderError): void {
    forget(context);
    listener({ type: 'failed', contextId: context.id, error });
  }

  function onSilent(context: Context): void {
    const waitedMs = context.progress.audioMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS;
    giveUp(context);
    const error = new ProviderError(PROVIDER, 'timeout', `no audio for ${waitedMs} ms`);
    listener({ type: 'failed', contextId: context.id, error });
  }

  /** Lets go of everything that waits; resolves when the sockets are closed. */
  async function release(): Promise<void> {
    for (const context of [...contexts.values()]) forget(context);
    await connection.close();
  }

  function odd(what: string): void {
    if (oddMessages++ === 0) log.warn({ provider: PROVIDER, what }, 'odd message from the voice, left out');
  }

  function onText(line: CartesiaLine<Context>, raw: string): void {
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      odd(message);
      return;
    }
    const wireId = message.context_id;
    const context = typeof wireId === 'string' ? line.contextOf(wireId) : undefined;
    switch (message.type) {
      case 'chunk':
        if (context && typeof message.data === 'string') onSound(context, message.data);
        break;
      case 'timestamps':
        if (context) tell(context, context.progress.words(message.word_timestamps));
        break;
      case 'flush_done':
        if (context) tell(context, context.progress.flushed());
        // Telling it may have cancelled the context.
        if (context && context.wireId === wireId) watchNext(context);
        break;
      case 'done':
        if (context) onDone(context);
        break;
      case 'error':
        onError(line, context, message);
        break;
      default:
        if (message.type !== 'phoneme_timestamps') odd('an unknown type');
    }
  }

  function onError(line: CartesiaLine<Context>, context: Context | undefined, message: Record<string, unknown>): void {
    const kind = wire.cartesiaFailure(message.status_code, message.error_code);
    // Its name only: the description may repeat the text that was to be spoken.
    const said = typeof message.error_code === 'string' ? message.error_code : String(message.status_code);
    const error = new ProviderError(PROVIDER, kind, `the voice reported ${said.slice(0, 80)}`);
    if (context) fail(context, error);
    else if (typeof message.context_id !== 'string') line.fail(error);
  }

  function onSound(context: Context, base64: string): void {
    const bytes = sound.decode(base64, context.held);
    if (bytes.length === 0) return;
    context.progress.audio(bytes.length / bytesPerMs);
    context.lastSoundAt = clock.now();
    watchNext(context);
    listener({ type: 'audio', contextId: context.id, bytes });
  }

  function tell(context: Context, timed: TimedText | null): void {
    if (timed) listener({ type: 'timing', contextId: context.id, ...timed });
  }

  /** Under the name's last piece only the final message is owed, and that only once the text was ended. */
  function watchNext(context: Context): void {
    if (context.ended || !context.progress.spoken) context.deadline.start();
    else context.deadline.stop();
  }

  function onDone(context: Context): void {
    if (!context.ended) {
      // Expired by itself: should more text come, it gets a fresh name. What is unspoken by now never will be.
      if (context.progress.spoken) unname(context);
      else fail(context, new ProviderError(PROVIDER, 'unavailable', 'a context was closed with text unspoken'));
      return;
    }
    tell(context, context.progress.finished());
    // The timing event may have cancelled the context.
    if (contexts.get(context.id) !== context) return;
    forget(context);
    listener({ type: 'done', contextId: context.id });
  }

  /** Its name is about to expire, or has. */
  function isStale(context: Context): boolean {
    return context.wireId !== '' && context.progress.spoken && clock.now() - context.lastSoundAt >= STALE_AFTER_MS;
  }

  return {
    provider: PROVIDER,
    model: options.model,
    output,
    async open() {
      try {
        await connection.open();
      } catch (error) {
        over = true;
        void release();
        throw error;
      }
    },
    speak(contextId, text) {
      if (over || spent.has(contextId)) return;
      const known = contexts.get(contextId);
      // Of a text without letters nothing is ever heard, and a context of it alone would be waited for in vain.
      if (known?.ended || countAlphanumerics(text) === 0) return;
      const context = known ?? openContext(contextId);
      if (isStale(context)) unname(context);
      if (context.wireId === '') name(context);
      // Pieces are joined as they are.
      const transcript = /\s$/u.test(text) ? text : `${text} `;
      const { line, wireId } = context;
      context.progress.segment(transcript);
      line.whenOpen(() => {
        if (context.wireId !== wireId) return;
        context.greeted = true;
        line.send({ ...request, context_id: wireId, transcript, continue: true });
        if (context.deadline.running) return;
        context.deadline.start(context.progress.audioMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS);
      });
    },
    end(contextId) {
      const context = contexts.get(contextId);
      if (over || spent.has(contextId) || context?.ended) return;
      if (!context || context.wireId === '' || isStale(context)) {
        // Nothing was said in it, or all of it has come.
        if (context) forget(context);
        else spent.add(contextId);
        finished.add(contextId);
        queueMicrotask(() => {
          if (finished.delete(contextId) && !over) listener({ type: 'done', contextId });
        });
        return;
      }
      context.ended = true;
      const { line, wireId } = context;
      line.whenOpen(() => {
        if (context.wireId !== wireId) return;
        line.send({ ...request, context_id: wireId, transcript: '', continue: false });
        if (!context.deadline.running) context.deadline.start();
      });
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      finished.delete(contextId);
      if (context) giveUp(context);
      else spent.add(contextId);
    },
    close() {
      over = true;
      closing ??= release();
      return closing;
    },
  };
}
