import type { Clock, Timer } from '../../shared/clock.ts';
import {
  type ChatMessage,
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
} from '../../shared/llm/language-model.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { RealtimeTokens } from '../../shared/usage.ts';
import { createAudioHistory } from '../audio/audio-history.ts';
import { type AudioFormat, FRAME_MS, frameBytes } from '../audio/format.ts';
import { createDeadline } from '../provider/deadline.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from '../tts/synthesizer.ts';
import { createRealtimeHistory } from './realtime-history.ts';
import type { RealtimeEvent, RealtimeListener, RealtimeLlm, RealtimeModel, RealtimePrompt } from './realtime-model.ts';
import { createRealtimeSpeech } from './realtime-speech.ts';
import { createReplyParts, type ReplyParts } from './reply-parts.ts';

/**
 * Presents a model that hears and speaks to the conversation as the three providers that it knows: a transcriber, a language model and
 * a synthesizer. Turn policy, barge-in, playout, tools and the commit of replies are the conversation's as in any call.
 *
 * - The caller's speech, as voice activity finds it, is given to the session; `finalize` makes an item of it, whose transcript is the
 *   final words. A turn is answered without them where they are late (`untranscribed`).
 * - A completion brings the model's history to the conversation's (`realtime-history.ts`) and asks for a reply. Its text is marked as
 *   voiced, and its audio becomes that of the reply's synthesis context (`realtime-speech.ts`).
 * - Before a session's time is over another one is opened, and takes over while nobody speaks. One that is lost fails the transcriber,
 *   which is opened again and gets the caller's speech a second time.
 */
export interface RealtimeSession {
  /** Opens a session of its own, which replaces the one before. */
  transcriber(listener: TranscriberListener): Transcriber;
  readonly model: LanguageModel;
  readonly synthesizer: Synthesizer;
  /** Events of the agent's own voice. */
  onVoiceEvent(event: SynthesizerEvent): void;
}

export interface RealtimeSessionOptions {
  llm: RealtimeLlm;
  /** Throws ProviderError where this engine is not configured for it. */
  create(prompt: RealtimePrompt, listener: RealtimeListener): RealtimeModel;
  /** What a session begins with, before the first reply. */
  prompt(): RealtimePrompt;
  /** The agent's own voice, whose events go to `onVoiceEvent`. */
  voice: Synthesizer;
  agentFormat: AudioFormat;
  clock: Clock;
  log: Logger;
  onSynthesizer: SynthesizerListener;
  onUsage(tokens: RealtimeTokens): void;
  /** A model of its own has transcribed so many seconds of the caller, which are billed apart. */
  onTranscribed?(seconds: number): void;
  /** The model, not the agent's voice, speaks in this context. */
  onReply(contextId: string): void;
}

/** Given before voice activity was noticed: it needs a moment, and words begin softly. */
const PREROLL_MS = 500;
/** The longest speech that a session gets again. */
const HISTORY_MS = 15_000;
/** Shorter speech may be a cough: it is answered only once its words are known. */
const MIN_UNTRANSCRIBED_MS = 500;
/** From the end of speech to its words; a turn is not held longer for them. */
const TRANSCRIPT_WITHIN_MS = 300;
/** Words that have not come by then hold up no session that is to take over. */
const WORDS_WITHIN_MS = 15_000;
/** A reply waits so long for a session that is being opened again. */
const SESSION_WITHIN_MS = 2_500;
/** So long before the end of a session's time another one is opened. */
const ROTATE_BEFORE_MS = 5 * 60_000;
const ROTATE_AGAIN_MS = 10_000;
const KEEP_WAITING_EVERY_MS = 1_000;
/** Tokens of audio to one of text, roughly: `max_tokens` of an agent are tokens of text. */
const AUDIO_TOKENS_PER_TOKEN = 6;

interface Connection {
  model: RealtimeModel;
  opened: Promise<void>;
  ready: boolean;
}

export function createRealtimeSession(options: RealtimeSessionOptions): RealtimeSession {
  const { llm, voice, agentFormat, clock, log } = options;
  const speaks = llm.realtime.output === 'audio';
  const decidesTurns = llm.realtime.turn_detection === 'model';
  let emit: TranscriberListener | null = null;
  let current: Connection | null = null;
  /** Takes over while nobody speaks. */
  let next: Connection | null = null;
  let rotation: Timer | null = null;
  const wakeWaiting: (() => void)[] = [];
  let prompt: RealtimePrompt | null = null;
  const streams = new Map<string, ReplyParts>();
  let replies = 0;
  let keptWaitingMs = Number.NEGATIVE_INFINITY;

  // What the caller says.
  let bytesPerMs = 1;
  let heard = createAudioHistory(1);
  let voiceActive = false;
  /** Audio goes to the session: speech that is not committed yet. */
  let sending = false;
  let speechBytes = 0;
  /** Where the speech that is not committed begins. */
  let speechFrom = 0;
  /** Committed items, each a turn number of its own, without their words. */
  const untranscribed = new Map<string, { turn: number; sinceMs: number }>();
  let items = 0;
  let turn = -1;

  let history: ReturnType<typeof createRealtimeHistory> | null = null;
  /** Null where the model writes: the agent's voice speaks alone. */
  const speech = speaks
    ? createRealtimeSpeech({
        ...{ provider: llm.provider, model: llm.model, voice, output: agentFormat },
        listener: options.onSynthesizer,
        onReply: options.onReply,
        onPlayedOut: (replyId, ms) => history?.playedOut(replyId, ms),
      })
    : null;

  /** With its own turn detection: the end of a turn waits for its words, but not for long. */
  const turnWords = createDeadline(clock, TRANSCRIPT_WITHIN_MS, () => {
    for (const item of untranscribed.values()) emit?.({ type: 'untranscribed', turn: item.turn, text: '' });
  });

  function connect(): Connection {
    const first = options.prompt();
    const connection: Connection = {
      model: options.create(first, (event) => onEvent(connection, event)),
      opened: Promise.resolve(),
      ready: false,
    };
    connection.opened = connection.model.open().then(() => {
      connection.ready = true;
    });
    connection.opened.catch(() => {});
    return connection;
  }

  /** The connection is the call's from now on; its history is empty. */
  function use(connection: Connection): void {
    const { model } = connection;
    const previous = current;
    current = connection;
    void previous?.model.close();
    prompt = options.prompt();
    if (history) history.reset(model);
    else history = createRealtimeHistory(model);
    rotation?.cancel();
    rotation = clock.after(model.capabilities.maxSessionMs - ROTATE_BEFORE_MS, rotate);
    wake();
  }

  function wake(): void {
    for (const run of wakeWaiting.splice(0)) run();
  }

  /** Opens the session that follows this one. */
  function rotate(): void {
    if (next || !current) return;
    try {
      const connection = connect();
      next = connection;
      connection.opened.then(takeOver, (error) => onNotReplaced(connection, error));
    } catch (error) {
      onNotReplaced(null, error);
    }
  }

  function onNotReplaced(connection: Connection | null, error: unknown): void {
    log.warn({ provider: llm.provider, error: errorText(error) }, 'realtime session could not be replaced yet');
    if (next === connection) rotateAgain();
  }

  function rotateAgain(): void {
    next = null;
    rotation?.cancel();
    rotation = clock.after(ROTATE_AGAIN_MS, rotate);
  }

  function takeOver(): void {
    if (!next?.ready || sending || streams.size > 0) return;
    for (const { sinceMs } of untranscribed.values()) if (clock.now() - sinceMs < WORDS_WITHIN_MS) return;
    untranscribed.clear();
    const connection = next;
    next = null;
    use(connection);
  }

  function onEvent(from: Connection, event: RealtimeEvent): void {
    if (event.type === 'usage') {
      options.onUsage(event.tokens);
      return;
    }
    if (event.type === 'transcribed') {
      options.onTranscribed?.(event.seconds);
      return;
    }
    if (from === next && event.type === 'failed') rotateAgain();
    if (from !== current) return;
    switch (event.type) {
      case 'partial':
        emit?.({ type: 'partial', turn: decidesTurns ? turn : turn + 1, text: event.text });
        break;
      case 'transcript':
        onTranscript(event.itemId, event.text);
        break;
      case 'turn_started':
        emit?.({ type: 'turn_started', turn: ++turn, text: '' });
        break;
      case 'turn_ended':
        history!.addSpeech(event.itemId);
        untranscribed.set(event.itemId, { turn, sinceMs: clock.now() });
        turnWords.start();
        break;
      case 'item':
        history!.addReplyItem(event.replyId, event.itemId);
        break;
      case 'text':
        history!.addReplyText(event.replyId, event.text);
        speech?.text(event.replyId, event.text);
        streams.get(event.replyId)?.push({ type: 'text', text: event.text, voiced: speaks });
        break;
      case 'audio':
        history!.addReplyAudio(event.replyId, event.itemId, audioMs(from.model, event.bytes));
        speech?.audio(event.replyId, event.bytes);
        keepWaiting(event.replyId);
        break;
      case 'tool_call':
        history!.addReplyCall(event.replyId, event.itemId, event.call.id);
        streams.get(event.replyId)?.push({ type: 'tool_call', call: event.call });
        break;
      case 'reply_ended':
        history!.endReply(event.replyId);
        speech?.endReply(event.replyId);
        endStream(event.replyId, event.failure && new LanguageModelError(event.failure.kind, event.failure.message));
        break;
      case 'expires':
        rotate();
        break;
      case 'failed':
        onLost(event.error);
    }
  }

  /** The words run ahead of the audio: as long as that comes, the wait for the next word goes on. */
  function keepWaiting(replyId: string): void {
    const parts = streams.get(replyId);
    if (!parts || clock.now() - keptWaitingMs < KEEP_WAITING_EVERY_MS) return;
    keptWaitingMs = clock.now();
    parts.push({ type: 'text', text: '', voiced: true });
  }

  function endStream(replyId: string, error: LanguageModelError | null): void {
    const parts = streams.get(replyId);
    streams.delete(replyId);
    if (error) parts?.end(error);
    else {
      parts?.push({ type: 'finish', reason: 'stop' });
      parts?.end();
    }
    takeOver();
  }

  function onTranscript(itemId: string, text: string | null): void {
    const item = untranscribed.get(itemId);
    if (!item) return;
    untranscribed.delete(itemId);
    history!.setTranscript(itemId, text);
    if (decidesTurns && turnWords.running) {
      turnWords.stop();
      emit?.({ type: 'turn_ended', turn: item.turn, text: text ?? '' });
    } else emit?.({ type: 'final', turn: item.turn, text: text ?? '' });
    takeOver();
  }

  function onLost(error: ProviderError): void {
    const lost = current;
    current = null;
    void lost?.model.close();
    abandon(new LanguageModelError(error.kind, error.message));
    emit?.({ type: 'failed', error });
  }

  /** The session is gone: what it was saying goes on in the agent's own voice, and what it was asked fails. */
  function abandon(failure: LanguageModelError): void {
    turnWords.stop();
    untranscribed.clear();
    sending = false;
    speech?.lost();
    for (const parts of [...streams.values()]) parts.end(failure);
    streams.clear();
  }

  function startSpeech(fromPosition: number): void {
    const { model } = current!;
    sending = true;
    speechFrom = fromPosition;
    speechBytes = 0;
    model.startSpeech();
    for (const part of heard.since(fromPosition)) model.audio(part);
  }

  /** Emits after the caller's own call has returned. */
  function emitSoon(event: Parameters<TranscriberListener>[0]): void {
    const listener = emit;
    clock.after(0, () => {
      if (emit === listener) listener?.(event);
    });
  }

  function finalize(): void {
    if (!current?.ready) return;
    if (!sending) {
      emitSoon({ type: 'final', turn: ++turn, text: '' });
      return;
    }
    const itemId = `u${++items}`;
    current.model.commit(itemId);
    history!.addSpeech(itemId);
    untranscribed.set(itemId, { turn: ++turn, sinceMs: clock.now() });
    if (speechBytes >= MIN_UNTRANSCRIBED_MS * bytesPerMs) emitSoon({ type: 'untranscribed', turn, text: '' });
    sending = voiceActive;
    speechFrom = heard.position;
    speechBytes = 0;
    if (sending) current.model.startSpeech();
  }

  function transcriber(listener: TranscriberListener): Transcriber {
    const adopted = next;
    next = null;
    const connection = adopted ?? connect();
    const { model } = connection;
    emit = listener;
    sending = false;
    turn = -1;
    bytesPerMs = frameBytes(model.input) / FRAME_MS;
    heard = createAudioHistory(HISTORY_MS * bytesPerMs);
    speechFrom = 0;
    speechBytes = 0;
    use(connection);
    return {
      provider: llm.provider,
      model: llm.model,
      input: model.input,
      decidesTurns,
      finalizationMs: TRANSCRIPT_WITHIN_MS,
      async open() {
        await connection.opened;
        wake();
      },
      audio(chunk) {
        if (emit !== listener || !current) return;
        heard.write(chunk);
        if (voiceActive) speechBytes += chunk.length;
        if (decidesTurns || sending) current.model.audio(chunk);
      },
      speech(active) {
        voiceActive = active;
        if (decidesTurns || !active || sending || emit !== listener || !current?.ready) return;
        startSpeech(Math.max(speechFrom, heard.position - PREROLL_MS * bytesPerMs));
      },
      finalize() {
        if (!decidesTurns && emit === listener) finalize();
      },
      async close() {
        if (emit !== listener) return;
        emit = null;
        rotation?.cancel();
        const open = [current, next];
        current = null;
        next = null;
        abandon(new LanguageModelError('unavailable', 'the realtime session was closed'));
        wake();
        await Promise.all(open.map((one) => one?.model.close()));
      },
    };
  }

  /** The session, as soon as there is one. */
  async function session(signal: AbortSignal): Promise<Connection> {
    const deadline = clock.now() + SESSION_WITHIN_MS;
    while (!current?.ready) {
      const leftMs = deadline - clock.now();
      if (leftMs <= 0 || signal.aborted) throw new LanguageModelError('unavailable', 'there is no realtime session');
      await new Promise<void>((resolve) => {
        const timer = clock.after(leftMs, resolve);
        wakeWaiting.push(() => {
          timer.cancel();
          resolve();
        });
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return current;
  }

  function ask(connection: Connection, request: ChatRequest, replyId: string, parts: ReplyParts): void {
    const { model } = connection;
    const [first, ...rest] = request.messages;
    const messages: ChatMessage[] = first?.role === 'system' ? rest : request.messages;
    const wanted = { instructions: first?.role === 'system' ? first.content : '', tools: request.tools };
    if (!samePrompt(prompt, wanted)) {
      prompt = wanted;
      model.instruct(wanted);
    }
    history!.reconcile(messages);
    history!.beginReply(replyId);
    speech?.beginReply(request.reply_id!, replyId, model.output);
    streams.set(replyId, parts);
    model.reply({
      replyId,
      maxTokens: request.max_tokens * (speaks ? AUDIO_TOKENS_PER_TOKEN : 1),
      mayCallTools: request.tool_choice !== 'none',
    });
  }

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    for (let attempt = 1; ; attempt++) {
      const connection = await session(signal);
      if (signal.aborted) return;
      const replyId = `${request.reply_id}#${++replies}`;
      const parts = createReplyParts();
      const stop = () => {
        streams.delete(replyId);
        connection.model.cancel(replyId);
        speech?.dropReply(replyId);
        parts.end();
        takeOver();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        ask(connection, request, replyId, parts);
        yield* parts.read();
        return;
      } catch (error) {
        // Nothing was said: a session that is opened again is asked once more.
        if (attempt > 1 || parts.begun || signal.aborted || current === connection) throw error;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }
  }

  return {
    transcriber,
    model: { provider: llm.provider, model: llm.model, stream, warm: async () => {} },
    synthesizer: speech ?? voice,
    onVoiceEvent: speech?.onVoiceEvent ?? options.onSynthesizer,
  };

  function audioMs(model: RealtimeModel, bytes: Uint8Array): number {
    return bytes.length / (frameBytes(model.output) / FRAME_MS);
  }
}

function samePrompt(a: RealtimePrompt | null, b: RealtimePrompt): boolean {
  return a !== null && a.instructions === b.instructions && JSON.stringify(a.tools) === JSON.stringify(b.tools);
}
