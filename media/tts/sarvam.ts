import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createProviderSocket, type ProviderSocket } from '../provider/socket.ts';
import { createBase64AudioDecoder, type PartialSample } from './base64-audio.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createClosedContexts } from './closed-contexts.ts';
import * as wire from './sarvam-protocol.ts';
import { PROVIDER } from './sarvam-protocol.ts';
import type { Synthesizer, SynthesizerListener } from './synthesizer.ts';

/**
 * Sarvam Bulbul over `text-to-speech/ws` (public documentation: docs.sarvam.ai, "Text to Speech: WebSocket"). The protocol
 * knows no contexts, no cancelling and no word times: sound belongs to whatever the connection was last given. So every
 * reply has a connection of its own while it speaks, and one more is kept open and configured for the next reply or for
 * a draft beside it. A reply that is cancelled with sound to come loses its connection; any other gives it back.
 *
 * Every piece is flushed, and the provider tells for each flush when its sound is complete; it may do so for several at once.
 */

/** From a piece on the wire to its context's first sound. */
export const FIRST_AUDIO_DEADLINE_MS = 3_000;
/** From one sound to the next while more is owed. */
export const NEXT_AUDIO_DEADLINE_MS = 5_000;
/** So long after one of several completions nothing more came: it was meant for all of them. */
export const SETTLE_MS = 1_000;
/** A third of the vendor's minute. */
const KEEP_ALIVE_MS = 20_000;
/** A connection that lasted so long and breaks while nobody speaks is made anew without a word. */
const LASTED_MS = 10_000;
/** Connections kept for later. */
const MAX_SPARE = 2;
const LIVENESS = { everyMs: 5_000, deadAfterMs: 15_000 };
/** Nobody speaks a character in less. */
const LEAST_MS_PER_CHARACTER = 39;

export interface SarvamSynthesizerOptions {
  /** The vendor's base address, `wss://api.sarvam.ai`. */
  url: string;
  apiKey: string;
  /** A speaker of the model's generation; empty: the vendor's default. */
  voiceId: string;
  /** `bulbul:v3` or `bulbul:v2`. */
  model: string;
  /** Language tag of one of the eleven languages; left out: Hindi. */
  language?: string;
  /** 1 is normal; 0.5 to 2 (v2: 0.3 to 3), others are brought into it. */
  speed?: number;
  /** The line's format, which the voice takes where the vendor offers it. */
  output: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}

interface Context {
  id: string;
  line: Line;
  ended: boolean;
  /** Pieces on the wire, each with a flush, and completions that came. */
  flushes: number;
  finals: number;
  /** A completion came after the last flush. */
  finalSinceFlush: boolean;
  characters: number;
  soundMs: number;
  held: PartialSample;
  deadline: Deadline;
  settle: Deadline;
}

/** One connection, and who speaks on it. */
interface Line {
  socket: ProviderSocket;
  /** Null before it stands. */
  openedAt: number | null;
  context: Context | null;
  /** Pieces that wait for the connection. */
  waiting: (() => void)[];
}

/** Throws ProviderError `bad_request` for a language that is not spoken. */
export function createSarvamSynthesizer(options: SarvamSynthesizerOptions): Synthesizer {
  const { clock, log, listener } = options;
  const output = wire.sarvamOutput(options.output);
  const bytesPerMs = (output.sample_rate * bytesPerSample(output)) / 1000;
  const url = wire.sarvamAddress(options.url, options.model);
  const config = JSON.stringify(wire.sarvamConfig({ ...options, output }));
  const leastMsPerCharacter = LEAST_MS_PER_CHARACTER / Math.max(1, options.speed ?? 1);
  const sound = createBase64AudioDecoder(output);

  const contexts = new Map<string, Context>();
  const spent = createClosedContexts();
  /** Without anything left to come; their `done` is told as soon as `end` has returned. */
  const finished = new Set<string>();
  const lines = new Set<Line>();
  /** Told to leave, not gone yet. */
  const farewells = new Set<Promise<void>>();
  const first = createLine();
  let opened = false;
  let over = false;
  let closing: Promise<void> | null = null;
  let oddMessages = 0;

  function createLine(): Line {
    const line: Line = {
      openedAt: null,
      context: null,
      waiting: [],
      socket: createProviderSocket({
        provider: PROVIDER,
        url,
        headers: { 'api-subscription-key': options.apiKey },
        clock,
        liveness: LIVENESS,
        keepAlive: { everyMs: KEEP_ALIVE_MS, send: () => line.socket.send('{"type":"ping"}') },
        onText: (raw) => onText(line, raw),
        onFailed: (error) => onLineFailed(line, error),
      }),
    };
    lines.add(line);
    return line;
  }

  async function openLine(line: Line): Promise<void> {
    await line.socket.open();
    line.openedAt = clock.now();
    line.socket.send(config);
    const waiting = line.waiting;
    line.waiting = [];
    for (const run of waiting) run();
  }

  function openAnother(): Line {
    const line = createLine();
    openLine(line).catch((error: ProviderError) => onLineFailed(line, error));
    return line;
  }

  function spares(): Line[] {
    return [...lines].filter((line) => line.context === null);
  }

  /** Whoever comes next finds a connection that stands. */
  function keepSpare(): void {
    if (opened && !over && spares().length === 0) openAnother();
  }

  function leave(line: Line): void {
    lines.delete(line);
    line.context = null;
    line.waiting = [];
    const gone = line.socket.close();
    farewells.add(gone);
    void gone.then(() => farewells.delete(gone));
  }

  function openContext(id: string): Context {
    const spare = spares();
    const line = spare.find((each) => each.socket.isOpen) ?? spare[0] ?? openAnother();
    const context: Context = {
      id,
      line,
      ended: false,
      flushes: 0,
      finals: 0,
      finalSinceFlush: false,
      characters: 0,
      soundMs: 0,
      held: { byte: null },
      deadline: createDeadline(clock, NEXT_AUDIO_DEADLINE_MS, () => onSilent(context)),
      settle: createDeadline(clock, SETTLE_MS, () => onSettled(context)),
    };
    line.context = context;
    contexts.set(id, context);
    keepSpare();
    return context;
  }

  /** Takes the context from its connection, which is kept only when nothing of it can still come. */
  function forget(context: Context): void {
    context.deadline.stop();
    context.settle.stop();
    contexts.delete(context.id);
    spent.add(context.id);
    const { line } = context;
    if (line.context !== context) return;
    line.context = null;
    line.waiting = [];
    if (context.finals < context.flushes || spares().length > MAX_SPARE) leave(line);
    keepSpare();
  }

  function fail(context: Context, error: ProviderError): void {
    forget(context);
    listener({ type: 'failed', contextId: context.id, error });
  }

  function onSilent(context: Context): void {
    const waitedMs = context.soundMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS;
    fail(context, new ProviderError(PROVIDER, 'timeout', `no audio for ${waitedMs} ms`));
  }

  /** Fewer completions than flushes came, and then nothing: if the sound is long enough, it is all of it. */
  function onSettled(context: Context): void {
    if (context.soundMs < context.characters * leastMsPerCharacter) return;
    // Should another completion come after all, nobody may take it for his own.
    if (context.ended) finish(context);
    else context.deadline.stop();
  }

  function onLineFailed(line: Line, error: ProviderError): void {
    if (over) return;
    const { context } = line;
    const lasted = line.openedAt !== null && clock.now() - line.openedAt >= LASTED_MS;
    lines.delete(line);
    line.context = null;
    if (context) {
      fail(context, error);
      return;
    }
    if (lines.size > 0) {
      log.info({ provider: PROVIDER, error: error.message }, 'a spare voice connection is lost');
      return;
    }
    if (lasted && error.kind === 'unavailable') {
      openAnother();
      return;
    }
    over = true;
    void release();
    listener({ type: 'failed', contextId: null, error });
  }

  /** Lets go of everything that waits; resolves when the sockets are closed. */
  async function release(): Promise<void> {
    for (const context of [...contexts.values()]) forget(context);
    for (const line of [...lines]) leave(line);
    await Promise.all(farewells);
  }

  function odd(what: string): void {
    if (oddMessages++ === 0) log.warn({ provider: PROVIDER, what }, 'odd message from the voice, left out');
  }

  function onText(line: Line, raw: string): void {
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      odd(message);
      return;
    }
    const data = (typeof message.data === 'object' && message.data) || {};
    if (message.type === 'error') onError(line, data as Record<string, unknown>);
    else if (message.type === 'audio') onSound(line.context, data as Record<string, unknown>);
    else if (message.type !== 'event') odd('an unknown type');
    else if ((data as Record<string, unknown>).event_type === 'final') onFinal(line.context);
  }

  function onError(line: Line, data: Record<string, unknown>): void {
    const kind = wire.sarvamFailure(data.code, data.message);
    // The code only: the description may repeat the text that was to be spoken.
    const said = typeof data.code === 'number' || typeof data.code === 'string' ? String(data.code) : 'an error';
    line.socket.fail(new ProviderError(PROVIDER, kind, `the voice reported ${said.slice(0, 80)}`));
  }

  function onSound(context: Context | null, { audio, content_type }: Record<string, unknown>): void {
    if (!context || typeof audio !== 'string') return;
    if (wire.isCompressed(content_type)) {
      context.line.socket.fail(new ProviderError(PROVIDER, 'bad_request', 'the voice sent compressed sound'));
      return;
    }
    const bytes = wire.withoutHeader(sound.decode(audio, context.held));
    if (bytes.length === 0) return;
    context.soundMs += bytes.length / bytesPerMs;
    if (context.finals < context.flushes) context.deadline.start();
    if (context.finalSinceFlush) context.settle.start();
    listener({ type: 'audio', contextId: context.id, bytes });
  }

  function onFinal(context: Context | null): void {
    if (!context || context.finals >= context.flushes) return;
    context.finals++;
    context.finalSinceFlush = true;
    if (context.finals < context.flushes) {
      context.deadline.start();
      context.settle.start();
      return;
    }
    context.deadline.stop();
    context.settle.stop();
    if (context.ended) finish(context);
  }

  function finish(context: Context): void {
    forget(context);
    listener({ type: 'done', contextId: context.id });
  }

  function give(context: Context, text: string): void {
    context.flushes++;
    context.finalSinceFlush = false;
    context.settle.stop();
    for (const part of wire.sarvamTexts(text)) {
      context.line.socket.send(JSON.stringify({ type: 'text', data: { text: part } }));
    }
    context.line.socket.send('{"type":"flush"}');
    if (context.deadline.running) return;
    context.deadline.start(context.soundMs > 0 ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS);
  }

  return {
    provider: PROVIDER,
    model: options.model,
    output,
    async open() {
      try {
        await openLine(first);
      } catch (error) {
        over = true;
        void release();
        throw error;
      }
      opened = true;
      if (contexts.size > 0) keepSpare();
    },
    speak(contextId, text) {
      if (over || spent.has(contextId)) return;
      const known = contexts.get(contextId);
      // Of a text without letters nothing is ever heard, and it would be waited for in vain.
      if (known?.ended || countAlphanumerics(text) === 0) return;
      const context = known ?? openContext(contextId);
      const piece = /\s$/u.test(text) ? text : `${text} `;
      const { line } = context;
      context.characters += text.trim().length;
      // Before the configuration nothing may be sent.
      if (line.openedAt !== null && line.waiting.length === 0) give(context, piece);
      else line.waiting.push(() => give(context, piece));
    },
    end(contextId) {
      if (over || spent.has(contextId)) return;
      const context = contexts.get(contextId);
      if (context?.ended) return;
      if (context && (context.finals < context.flushes || context.line.waiting.length > 0)) {
        context.ended = true;
        // What one completion was for may have been settled before.
        if (context.finalSinceFlush) context.settle.start();
        if (context.flushes > 0 && !context.deadline.running) context.deadline.start();
        return;
      }
      // Nothing was said in it, or all of it has come.
      if (context) forget(context);
      else spent.add(contextId);
      finished.add(contextId);
      queueMicrotask(() => {
        if (finished.delete(contextId) && !over) listener({ type: 'done', contextId });
      });
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      finished.delete(contextId);
      if (context) forget(context);
      else spent.add(contextId);
    },
    close() {
      over = true;
      closing ??= release();
      return closing;
    },
  };
}
