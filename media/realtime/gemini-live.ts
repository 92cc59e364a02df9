import { list, record, text } from '../../shared/llm/loose-json.ts';
import { UNTRANSCRIBED } from '../../shared/llm/prompt.ts';
import type { geminiLive } from '../../shared/providers/realtime.ts';
import { createConnectionGuard } from '../provider/connection-guard.ts';
import { createDeadline } from '../provider/deadline.ts';
import { createHandshake } from '../provider/handshake.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, createProviderSocket } from '../provider/socket.ts';
import { createAudioDecoder } from '../tts/audio-decoder.ts';
import * as protocol from './gemini-live-protocol.ts';
import type { RealtimeAdapter, RealtimeModel, RealtimeReplyRequest } from './realtime-model.ts';

/**
 * Gemini Live over its WebSocket (public documentation: ai.google.dev/gemini-api/docs/live-guide). The model's turns have no ids and its
 * history cannot be changed: what the caller did not hear of a reply is told to it in words. Its transcripts are in no order with
 * the audio. A reply begins when the caller's activity ends, so that is said only when a reply is wanted.
 */

const PROVIDER = 'google';
/** The provider asks for another connection after about ten minutes, and says so a minute before. */
const MAX_SESSION_MS = 14 * 60_000;
/** Pieces of a transcript follow each other within this time; the first may take longer. */
const NEXT_WORDS_MS = 300;
const FIRST_WORDS_MS = 2_500;
/** Words of a reply may follow its audio. */
const LAST_WORDS_MS = 250;
/** A cancelled turn is over within this time. */
const TURN_OVER_WITHIN_MS = 2_000;
/** A model that is silent for longer is asked once more: some turns freeze. */
const NUDGE_AFTER_MS = 2_500;

interface Reply {
  request: RealtimeReplyRequest;
  begun: boolean;
  hasWords: boolean;
  calls: boolean;
}

export const adapter: RealtimeAdapter<typeof geminiLive> = (options) => {
  const { settings, llm, log, listener } = options;
  const session: protocol.GeminiSession = {
    ...{ model: llm.model, voice: llm.realtime.voice, temperature: llm.temperature },
    prompt: options.prompt,
  };
  const guard = createConnectionGuard({
    ...{ provider: PROVIDER, clock: options.clock, log },
    onFailed(error) {
      void socket.close();
      onFailed(error);
    },
  });
  const { clock } = guard;
  const decoder = createAudioDecoder(protocol.OUTPUT);
  const partial = { byte: null as number | null };
  let speaking = false;
  /** Committed speech without its words, oldest first, and the words that came of it. */
  const committed: string[] = [];
  let words = '';
  /** What the model is told with the next reply. */
  let turns: protocol.Turn[] = [];
  let answers: protocol.ToolAnswer[] = [];
  /** Calls of the model that have no answer. */
  const openCalls = new Map<string, string>();
  let active: Reply | null = null;
  let waiting: Reply[] = [];
  /** A cancelled turn may still send audio. */
  let draining = false;
  let nudged = false;
  let failureReported = false;
  let closed = false;
  let ignored = 0;

  const handshake = createHandshake(clock, CONNECT_DEADLINE_MS, () =>
    fail('timeout', `not ready within ${CONNECT_DEADLINE_MS} ms`),
  );
  const wordsDeadline = createDeadline(clock, NEXT_WORDS_MS, finishWords);
  const replyOver = createDeadline(clock, LAST_WORDS_MS, endReply);
  const turnOver = createDeadline(clock, TURN_OVER_WITHIN_MS, onTurnOver);
  const nudge = createDeadline(clock, NUDGE_AFTER_MS, () => {
    if (!active || active.begun || nudged) return;
    nudged = true;
    socket.send(protocol.content([{ role: 'user', parts: [{ text: ' ' }] }], true));
  });
  const socket = createProviderSocket({
    provider: PROVIDER,
    url: protocol.geminiLiveAddress(settings.GOOGLE_URL),
    headers: { 'x-goog-api-key': settings.GOOGLE_API_KEY },
    clock,
    // No liveness: answers to pings may take half a minute.
    closeMeaning: protocol.geminiCloseFailure,
    onText,
    onBinary: (bytes) => onText(Buffer.from(bytes).toString('utf8')),
    onFailed,
  });

  function fail(kind: ProviderFailure, reason: string): void {
    socket.fail(new ProviderError(PROVIDER, kind, reason));
  }

  function stopTimers(): void {
    for (const deadline of [wordsDeadline, replyOver, turnOver, nudge]) deadline.stop();
  }

  function onFailed(error: ProviderError): void {
    stopTimers();
    if (handshake.failed(error) || closed || failureReported) return;
    failureReported = true;
    listener({ type: 'failed', error });
  }

  function onText(raw: string): void {
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      if (ignored++ === 0) log.warn({ provider: PROVIDER, reason: message }, 'unexpected realtime message ignored');
      return;
    }
    if (message.setupComplete !== undefined) handshake.completed();
    if (message.usageMetadata !== undefined) {
      listener({ type: 'usage', tokens: protocol.turnTokens(message.usageMetadata) });
    }
    if (message.goAway !== undefined) listener({ type: 'expires', inMs: protocol.timeLeftMs(message.goAway) });
    if (message.serverContent !== undefined) onContent(record(message.serverContent));
    if (message.toolCall !== undefined) onCalls(list(record(message.toolCall).functionCalls));
    const { ids } = record(message.toolCallCancellation);
    if (Array.isArray(ids)) for (const id of ids) openCalls.delete(text(id));
  }

  /** Several fields may be there at once. */
  function onContent(content: Record<string, unknown>): void {
    const input = record(content.inputTranscription);
    if (text(input.text) !== '') onWords(text(input.text));
    for (const part of list(record(content.modelTurn).parts)) onAudio(record(part.inlineData));
    const output = text(record(content.outputTranscription).text);
    if (output !== '' && active && !draining) {
      begin(active);
      active.hasWords = true;
      const { replyId } = active.request;
      listener({ type: 'text', replyId, itemId: replyId, text: output });
    }
    if (content.interrupted === true || content.turnComplete === true) onModelStopped();
    else if (content.generationComplete === true && active?.begun && !draining) replyOver.start();
  }

  function begin(reply: Reply): void {
    nudge.stop();
    if (reply.begun) return;
    reply.begun = true;
    const { replyId } = reply.request;
    listener({ type: 'item', replyId, itemId: replyId });
  }

  function onAudio({ mimeType, data }: Record<string, unknown>): void {
    if (!active || draining || !text(mimeType).startsWith('audio/')) return;
    begin(active);
    const bytes = decoder.decode(text(data), partial);
    const { replyId } = active.request;
    if (bytes.length > 0) listener({ type: 'audio', replyId, itemId: replyId, bytes });
  }

  /** Interrupted, or complete: either may come alone, twice, or for nothing. */
  function onModelStopped(): void {
    if (draining) onTurnOver();
    else if (active?.begun) replyOver.start();
  }

  function onTurnOver(): void {
    draining = false;
    turnOver.stop();
    nextReply();
  }

  function endReply(): void {
    const reply = active;
    if (!reply) return;
    active = null;
    partial.byte = null;
    const { replyId } = reply.request;
    // Without a word the conversation would take the reply for an empty one.
    if (!reply.hasWords && !reply.calls) listener({ type: 'text', replyId, itemId: replyId, text: UNTRANSCRIBED });
    listener({ type: 'reply_ended', replyId, failure: null });
    nextReply();
  }

  function onCalls(calls: Record<string, unknown>[]): void {
    for (const call of calls) openCalls.set(text(call.id), text(call.name));
    if (calls.length === 0 || !active || draining) return;
    begin(active);
    active.calls = true;
    const { replyId } = active.request;
    for (const { id, name, args } of calls) {
      const call = { id: text(id), name: text(name), arguments: JSON.stringify(record(args)) };
      listener({ type: 'tool_call', replyId, itemId: `${replyId} ${call.id}`, call });
    }
    // The model waits for the results.
    replyOver.start();
  }

  function onWords(piece: string): void {
    words += piece;
    if (committed.length > 0) wordsDeadline.start();
    else if (words.trim() !== '') listener({ type: 'partial', text: words.trim() });
  }

  /** No more pieces came: they are the words of the oldest speech. */
  function finishWords(): void {
    const itemId = committed.shift();
    if (itemId === undefined) return;
    const said = words.trim();
    words = '';
    listener({ type: 'transcript', itemId, text: said });
    if (committed.length > 0) wordsDeadline.start(FIRST_WORDS_MS);
  }

  function nextReply(): void {
    if (active || draining || closed) return;
    active = waiting.shift() ?? null;
    if (!active) return;
    nudged = false;
    for (const [id, name] of openCalls) {
      if (!answers.some((answer) => answer.id === id)) answers.push({ id, name, result: 'not run' });
    }
    openCalls.clear();
    const answered = answers.length > 0;
    if (answered) socket.send(protocol.toolResponse(answers, speaking || turns.length > 0));
    answers = [];
    const told = turns;
    turns = [];
    if (speaking) {
      if (told.length > 0) socket.send(protocol.content(told, false));
      speaking = false;
      socket.send(protocol.activityEnd);
    } else if (told.length > 0) socket.send(protocol.content(told, true));
    // After a result the model goes on by itself.
    else if (!answered) socket.send(protocol.content([{ role: 'user', parts: [{ text: ' ' }] }], true));
    nudge.start();
  }

  const { method } = guard;
  const model: RealtimeModel = {
    provider: PROVIDER,
    model: llm.model,
    input: protocol.INPUT,
    output: protocol.OUTPUT,
    capabilities: { edits: false, textOutput: false, maxSessionMs: MAX_SESSION_MS },
    open: guard.opened(() =>
      handshake.open(
        () => socket.open(),
        () => void socket.send(protocol.setup(session)),
      ),
    ),
    startSpeech: method(() => {
      if (speaking) return;
      speaking = true;
      socket.send(protocol.activityStart);
    }),
    audio: method((chunk) => {
      if (chunk.length > 0 && speaking) socket.send(protocol.audioInput(chunk));
    }),
    commit: method((itemId) => {
      committed.push(itemId);
      if (!wordsDeadline.running) wordsDeadline.start(words === '' ? FIRST_WORDS_MS : NEXT_WORDS_MS);
    }),
    instruct: method((prompt) => {
      const changed =
        protocol.withoutMoment(prompt.instructions) !== protocol.withoutMoment(session.prompt.instructions);
      session.prompt = prompt;
      // They are fixed while the session lasts.
      if (changed)
        turns.push({ role: 'user', parts: [{ text: `[Your instructions are now: ${prompt.instructions}]` }] });
    }),
    add: method((item) => {
      if (item.type === 'tool_result' && openCalls.has(item.callId)) {
        answers.push({ id: item.callId, name: item.name, result: item.result });
      } else turns.push(protocol.turnOf(item));
    }),
    remove() {},
    truncate() {},
    reply: method((request) => {
      waiting.push({ request, begun: false, hasWords: false, calls: false });
      nextReply();
    }),
    cancel: method((replyId) => {
      waiting = waiting.filter(({ request }) => request.replyId !== replyId);
      if (active?.request.replyId !== replyId) return;
      active = null;
      partial.byte = null;
      replyOver.stop();
      nudge.stop();
      draining = true;
      turnOver.start();
      socket.send(protocol.stopGenerating);
    }),
    close: guard.closed(() => {
      closed = true;
      stopTimers();
      handshake.failed(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      return socket.close();
    }),
  };
  return model;
};
