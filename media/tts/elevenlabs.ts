import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { createDeadline, type Deadline } from '../provider/deadline.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { closeFailure, createProviderSocket, type ProviderSocket } from '../provider/socket.ts';
import { createBase64AudioDecoder, type PartialSample } from './base64-audio.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createClosedContexts } from './closed-contexts.ts';
import { elevenLabsAddress, elevenLabsFailure, PROVIDER, readAlignment } from './elevenlabs-protocol.ts';
import type { Synthesizer, SynthesizerListener } from './synthesizer.ts';

/**
 * ElevenLabs over its WebSocket `multi-stream-input` (public documentation: elevenlabs.io/docs, "Multi-Context
 * WebSocket"; messages out are snake_case, messages in camelCase). One socket per call; every reply is a context.
 *
 * Lowest latency: each piece is a clause or sentence already, so it is sent with `flush` in the same message, under
 * `auto_mode`, and the provider waits for nothing. Words sent are never taken back, only what comes of them dropped.
 */

/** From a piece on the wire to its context's first sound. */
export const FIRST_AUDIO_DEADLINE_MS = 3_000;
/** From one sound to the next while more is owed, and from the end of the text to the final message. */
export const NEXT_AUDIO_DEADLINE_MS = 5_000;
/** The vendor's limit for one socket. A context counts until its final message, also after it was closed. */
const MAX_LIVE_CONTEXTS = 5;
/** Half of the vendor's default idle limit of 20 s, though the address asks for the longest it allows. */
const KEEP_ALIVE_MS = 10_000;
const LIVENESS = { everyMs: 5_000, deadAfterMs: 15_000 };

export interface ElevenLabsSynthesizerOptions {
  /** The vendor's base address, `wss://api.elevenlabs.io`. */
  url: string;
  apiKey: string;
  voiceId: string;
  /** For agents `eleven_flash_v2_5`; `eleven_v3` has no contexts. */
  model: string;
  /** Language tag; the vendor takes it for its flash and turbo v2.5 models only. */
  language?: string;
  /** 1 is normal; the vendor's range is 0.7 to 1.2, others are brought into it. */
  speed?: number;
  /** µ-law or A-law at 8 kHz, or PCM at 8, 16, 22.05, 24 or 44.1 kHz. */
  output: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: SynthesizerListener;
}

interface Context {
  id: string;
  line: Line;
  /** Its name on the wire, ours alone, so that a name used again by the call is never taken for an old one. */
  wireId: string;
  /** The provider knows of it. */
  greeted: boolean;
  ended: boolean;
  /** Letters and digits sent before the last piece, in all pieces, and told back in alignments. */
  lettersBeforeLast: number;
  lettersSent: number;
  lettersAligned: number;
  audioBytes: number;
  firstAudioSeen: boolean;
  held: PartialSample;
  deadline: Deadline;
}

/** One socket with the contexts the provider still counts on it; null for those nobody wants any more. */
interface Line {
  socket: ProviderSocket;
  live: Map<string, Context | null>;
  /** Messages that wait for the connection. */
  waiting: (() => void)[];
}

export function createElevenLabsSynthesizer(options: ElevenLabsSynthesizerOptions): Synthesizer {
  const { clock, log, output, listener } = options;
  const url = elevenLabsAddress(options);
  const bytesPerMs = (output.sample_rate * bytesPerSample(output)) / 1000;
  const speed = Math.min(1.2, Math.max(0.7, options.speed ?? 1));

  const contexts = new Map<string, Context>();
  const spent = createClosedContexts();
  /** Without anything left to come; their `done` is told as soon as `end` has returned. */
  const finished = new Set<string>();
  let current = createLine();
  let leaving = new Set<Line>();
  let nextWireId = 1;
  let over = false;
  let closing: Promise<void> | null = null;
  let oddMessages = 0;
  const sound = createBase64AudioDecoder(output);

  function createLine(): Line {
    const line: Line = {
      live: new Map(),
      waiting: [],
      socket: createProviderSocket({
        provider: PROVIDER,
        url,
        headers: { 'xi-api-key': options.apiKey },
        clock,
        liveness: LIVENESS,
        keepAlive: { everyMs: KEEP_ALIVE_MS, send: () => keepAlive(line) },
        closeMeaning: (code, reason) => elevenLabsFailure(reason) ?? closeFailure(code),
        onText: (raw) => onText(line, raw),
        onFailed: (error) => onLineFailed(line, error),
      }),
    };
    return line;
  }

  function send(line: Line, message: object): void {
    line.socket.send(JSON.stringify(message));
  }

  /** Now, or when the connection stands, in order. */
  function whenOpen(line: Line, run: () => void): void {
    if (line.socket.isOpen && line.waiting.length === 0) run();
    else line.waiting.push(run);
  }

  async function openLine(line: Line): Promise<void> {
    await line.socket.open();
    const waiting = line.waiting;
    line.waiting = [];
    for (const run of waiting) run();
  }

  /** An empty text resets the clock of a context; without one it only keeps the connection. */
  function keepAlive(line: Line): void {
    let sent = false;
    for (const [wireId, context] of line.live) {
      if (!context || context.ended) continue;
      send(line, { text: '', context_id: wireId });
      sent = true;
    }
    if (!sent) send(line, { text: '' });
  }

  /** The line for one more context. A full one is left to finish, and a fresh connection takes its place. */
  function lineWithRoom(): Line {
    if (current.live.size < MAX_LIVE_CONTEXTS) return current;
    log.info({ provider: PROVIDER }, 'all contexts of the connection are taken, another is opened');
    const full = current;
    leaving.add(full);
    current = createLine();
    const fresh = current;
    openLine(fresh).catch((error: ProviderError) => onLineFailed(fresh, error));
    leaveIfUnwanted(full);
    return current;
  }

  function leaveIfUnwanted(line: Line): void {
    if (!leaving.has(line)) return;
    for (const context of line.live.values()) if (context) return;
    leaving.delete(line);
    void line.socket.close('{"close_socket":true}');
  }

  function openContext(id: string): Context {
    const line = lineWithRoom();
    const context: Context = {
      id,
      line,
      wireId: `r${nextWireId++}`,
      greeted: false,
      ended: false,
      lettersBeforeLast: 0,
      lettersSent: 0,
      lettersAligned: 0,
      audioBytes: 0,
      firstAudioSeen: false,
      held: { byte: null },
      deadline: createDeadline(clock, NEXT_AUDIO_DEADLINE_MS, () => onSilent(context)),
    };
    contexts.set(id, context);
    line.live.set(context.wireId, context);
    greet(context);
    return context;
  }

  /** Settings are allowed in a context's first message only, and that message's text is one space. */
  function greet(context: Context): void {
    const first: Record<string, unknown> = { text: ' ', context_id: context.wireId };
    // At normal speed the settings stored with the voice apply.
    if (speed !== 1) first.voice_settings = { stability: 0.5, similarity_boost: 0.75, speed };
    const { line, wireId } = context;
    whenOpen(line, () => {
      if (line.live.get(wireId) !== context) return;
      context.greeted = true;
      send(line, first);
    });
  }

  /** Ends the context on our side; the provider counts it until its final message. */
  function forget(context: Context): void {
    context.deadline.stop();
    contexts.delete(context.id);
    spent.add(context.id);
    const { line, wireId } = context;
    if (!context.greeted) line.live.delete(wireId);
    else if (line.live.has(wireId)) line.live.set(wireId, null);
  }

  function giveUp(context: Context): void {
    forget(context);
    const { line, wireId, greeted, ended } = context;
    if (greeted && !ended) send(line, { context_id: wireId, close_context: true });
    leaveIfUnwanted(line);
  }

  function onSilent(context: Context): void {
    const waitedMs = context.firstAudioSeen ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS;
    giveUp(context);
    const error = new ProviderError(PROVIDER, 'timeout', `no audio for ${waitedMs} ms`);
    listener({ type: 'failed', contextId: context.id, error });
  }

  function onLineFailed(line: Line, error: ProviderError): void {
    if (over) return;
    if (line === current) {
      over = true;
      void release();
      listener({ type: 'failed', contextId: null, error });
      return;
    }
    leaving.delete(line);
    for (const context of [...line.live.values()]) {
      if (!context) continue;
      forget(context);
      listener({ type: 'failed', contextId: context.id, error });
    }
  }

  /** Lets go of everything that waits; resolves when the sockets are closed. */
  async function release(): Promise<void> {
    for (const context of [...contexts.values()]) forget(context);
    const lines = [current, ...leaving];
    leaving = new Set();
    for (const line of lines) line.waiting = [];
    await Promise.all(lines.map((line) => line.socket.close('{"close_socket":true}')));
  }

  function odd(what: string): void {
    oddMessages++;
    if (oddMessages === 1) log.warn({ provider: PROVIDER, what }, 'odd message from the voice, left out');
  }

  function onText(line: Line, raw: string): void {
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      odd(message);
      return;
    }
    if (typeof message.error === 'string') {
      // The name of the error only: its description may repeat the text that was to be spoken.
      const name = message.error.slice(0, 80);
      const kind = elevenLabsFailure(name) ?? closeFailure(Number(message.code));
      line.socket.fail(new ProviderError(PROVIDER, kind, `the voice reported ${name}`));
      return;
    }
    const wireId = message.contextId;
    if (typeof wireId !== 'string' || !line.live.has(wireId)) return;
    const context = line.live.get(wireId) ?? null;
    if (typeof message.audio === 'string' && context) onAudio(context, message.audio, message);
    if (message.isFinal === true || message.is_final === true) onFinal(line, wireId);
  }

  function onAudio(context: Context, base64: string, message: Record<string, unknown>): void {
    const chunkStartMs = context.audioBytes / bytesPerMs;
    const alignment = readAlignment(message.alignment);
    if (alignment) {
      context.lettersAligned += countAlphanumerics(alignment.text);
      const startMs = alignment.startMs.map((ms) => chunkStartMs + ms);
      listener({ type: 'timing', contextId: context.id, text: alignment.text, startMs });
    }
    const bytes = sound.decode(base64, context.held);
    if (bytes.length === 0) return;
    context.firstAudioSeen = true;
    context.audioBytes += bytes.length;
    // The timing event may have cancelled the context.
    if (contexts.get(context.id) !== context) return;
    watchNext(context);
    listener({ type: 'audio', contextId: context.id, bytes });
  }

  /**
   * More is owed after the end of the text (at least the final message), or while the alignments have not reached
   * the last piece. Where the provider sends none, nobody can tell, and only the end is watched.
   */
  function watchNext(context: Context): void {
    const behind = context.lettersAligned > 0 && context.lettersAligned <= context.lettersBeforeLast;
    if (context.ended || behind) context.deadline.start();
    else context.deadline.stop();
  }

  function onFinal(line: Line, wireId: string): void {
    const context = line.live.get(wireId) ?? null;
    line.live.delete(wireId);
    if (context) {
      if (context.ended) {
        forget(context);
        listener({ type: 'done', contextId: context.id });
      } else if (
        context.lettersAligned < context.lettersSent &&
        (context.lettersAligned > 0 || !context.firstAudioSeen)
      ) {
        forget(context);
        const error = new ProviderError(PROVIDER, 'unavailable', 'the provider closed a context with text unspoken');
        listener({ type: 'failed', contextId: context.id, error });
      } else {
        // Closed by the provider for its own reasons: should more text come, it gets a fresh context on the wire.
        context.deadline.stop();
        context.wireId = '';
        context.greeted = false;
      }
    }
    leaveIfUnwanted(line);
  }

  return {
    provider: PROVIDER,
    model: options.model,
    output,
    async open() {
      try {
        await openLine(current);
      } catch (error) {
        over = true;
        void release();
        throw error;
      }
    },
    speak(contextId, text) {
      if (over || spent.has(contextId)) return;
      const known = contexts.get(contextId);
      if (known?.ended) return;
      const count = countAlphanumerics(text);
      // Nothing in it makes a sound, and a context of such text alone would be waited for in vain.
      if (count === 0) return;
      const context = known ?? openContext(contextId);
      if (context.wireId === '') {
        context.line = lineWithRoom();
        context.wireId = `r${nextWireId++}`;
        context.line.live.set(context.wireId, context);
        greet(context);
      }
      context.lettersBeforeLast = context.lettersSent;
      context.lettersSent += count;
      const piece = /\s$/u.test(text) ? text : `${text} `;
      const { line, wireId } = context;
      whenOpen(line, () => {
        if (contexts.get(contextId) !== context) return;
        send(line, { text: piece, context_id: wireId, flush: true });
        if (context.deadline.running) return;
        context.deadline.start(context.firstAudioSeen ? NEXT_AUDIO_DEADLINE_MS : FIRST_AUDIO_DEADLINE_MS);
      });
    },
    end(contextId) {
      if (over || spent.has(contextId)) return;
      const context = contexts.get(contextId);
      if (context?.ended) return;
      if (!context || context.wireId === '') {
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
      whenOpen(line, () => {
        if (contexts.get(contextId) !== context) return;
        send(line, { context_id: wireId, close_context: true });
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
