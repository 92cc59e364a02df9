import { record, text } from '../../shared/llm/loose-json.ts';
import { openAiRealtime } from '../../shared/providers/realtime.ts';
import { createConnectionGuard } from '../provider/connection-guard.ts';
import { createDeadline } from '../provider/deadline.ts';
import { createHandshake } from '../provider/handshake.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, createProviderSocket } from '../provider/socket.ts';
import { createAudioDecoder, type PartialSample } from '../tts/audio-decoder.ts';
import * as protocol from './openai-realtime-protocol.ts';
import type { RealtimeAdapter, RealtimeModel, RealtimeReplyRequest } from './realtime-model.ts';

/**
 * OpenAI Realtime over its WebSocket (public documentation: platform.openai.com/docs/guides/realtime). G.711 of a telephone call goes
 * both ways as it is. The history's items keep the ids given here, but for the caller's audio and the model's own words, whose ids
 * come from the provider.
 */

const PROVIDER = 'openai';
/** The provider ends a session after an hour; some of its hosts after half of that. */
const MAX_SESSION_MS = 60 * 60_000;
/** A response that was cancelled, or that is in the way, is waited for so long. */
const RESPONSE_OVER_WITHIN_MS = 3_000;
const LIVENESS = { everyMs: 5_000, deadAfterMs: 15_000 };
/** How often the formats are asked for again when a session comes back with others. */
const MAX_FORMAT_UPDATES = 2;

interface Commit {
  itemId: string;
  /** What waits for the id that the provider gives the item. */
  whenKnown: ((serverId: string) => void)[];
}

interface Reply {
  request: RealtimeReplyRequest;
  /** Null until the provider has named the response. */
  responseId: string | null;
  cancelled: boolean;
  /** It was refused once because another response was active. */
  retried: boolean;
  calls: Set<string>;
}

export const adapter: RealtimeAdapter<typeof openAiRealtime> = (options) => {
  const { settings, llm, log, listener } = options;
  const detectsTurns = llm.realtime.turn_detection === 'model';
  const session: protocol.OpenAiSession = {
    prompt: options.prompt,
    voice: llm.realtime.voice,
    output: llm.realtime.output,
    detectsTurns,
    transcriptionModel: openAiRealtime.transcriptionModel,
    language: protocol.openAiLanguage(options.language),
    input: protocol.openAiFormat(options.callerFormat),
    outputFormat: protocol.openAiFormat(options.agentFormat),
  };
  const guard = createConnectionGuard({
    ...{ provider: PROVIDER, clock: options.clock, log },
    onFailed(error) {
      void socket.close();
      onFailed(error);
    },
  });
  const { clock } = guard;
  const decoder = createAudioDecoder(session.outputFormat);
  const commits: Commit[] = [];
  /** The provider's id of an item that it named itself, by the id it has here, and back. */
  const serverIds = new Map<string, string>();
  const ownIds = new Map<string, string>();
  const partials = new Map<string, PartialSample>();
  const waiting: Reply[] = [];
  let active: Reply | null = null;
  /** Another response than ours is in the way. */
  let blocked = false;
  let formatUpdates = 0;
  let failureReported = false;
  let closed = false;
  let ignored = 0;
  /** Words of the item whose transcript is being written. */
  let partialText = '';
  let partialItem = '';

  const handshake = createHandshake(clock, CONNECT_DEADLINE_MS, () =>
    fail('timeout', `not ready within ${CONNECT_DEADLINE_MS} ms`),
  );
  const responseOver = createDeadline(clock, RESPONSE_OVER_WITHIN_MS, () => {
    blocked = false;
    if (active?.cancelled) active = null;
    nextReply();
  });
  const socket = createProviderSocket({
    provider: PROVIDER,
    url: protocol.openAiRealtimeAddress(settings.OPENAI_BASE_URL, llm.model),
    headers: { authorization: `Bearer ${settings.OPENAI_API_KEY}` },
    clock,
    liveness: LIVENESS,
    // 1001 at the provider's limit of a session: nothing is wrong with it.
    closeMeaning: (code) => (code === 1001 ? 'unavailable' : undefined),
    onText,
    onFailed,
  });

  function fail(kind: ProviderFailure, reason: string): void {
    socket.fail(new ProviderError(PROVIDER, kind, reason));
  }

  function onFailed(error: ProviderError): void {
    responseOver.stop();
    if (handshake.failed(error) || closed || failureReported) return;
    failureReported = true;
    listener({ type: 'failed', error });
  }

  function ignore(reason: string): void {
    if (ignored++ === 0) log.warn({ provider: PROVIDER, reason }, 'unexpected realtime message ignored');
  }

  /** Runs at once, or as soon as the provider has named the item; never for one that has no audio. */
  function withServerId(itemId: string, run: (serverId: string) => void): void {
    const commit = commits.find((one) => one.itemId === itemId);
    if (commit) commit.whenKnown.push(run);
    else run(serverIds.get(itemId) ?? itemId);
  }

  function onText(raw: string): void {
    const event = parseJsonMessage(raw);
    if (typeof event === 'string') ignore(event);
    else onEvent(text(event.type), event);
  }

  function onEvent(type: string, event: Record<string, unknown>): void {
    switch (type) {
      case 'session.created':
        socket.send(protocol.sessionUpdate(session));
        break;
      case 'session.updated':
        onSessionUpdated(event.session);
        break;
      case 'input_audio_buffer.speech_started':
        if (detectsTurns) listener({ type: 'turn_started' });
        break;
      case 'input_audio_buffer.committed':
        onCommitted(text(event.item_id));
        break;
      case 'conversation.item.input_audio_transcription.delta':
        if (detectsTurns) onPartial(text(event.item_id), text(event.delta));
        break;
      case 'conversation.item.input_audio_transcription.completed':
        listener({ type: 'transcribed', seconds: protocol.transcribedSeconds(event.usage) });
        listener({ type: 'transcript', itemId: ownId(event), text: text(event.transcript).trim() });
        break;
      case 'conversation.item.input_audio_transcription.failed':
        listener({ type: 'transcript', itemId: ownId(event), text: null });
        break;
      case 'response.created':
        onResponseCreated(record(event.response));
        break;
      case 'response.output_item.added': {
        const itemId = text(record(event.item).id);
        const reply = replyOf(event.response_id);
        if (reply) listener({ type: 'item', replyId: reply.request.replyId, itemId });
        // Of a cancelled reply: nobody has heard it.
        else if (active?.cancelled && itemId !== '') socket.send(protocol.deleteItem(itemId));
        break;
      }
      case 'response.output_audio.delta':
        onAudio(event);
        break;
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta': {
        const reply = replyOf(event.response_id);
        const delta = text(event.delta);
        if (reply && delta !== '') {
          listener({ type: 'text', replyId: reply.request.replyId, itemId: text(event.item_id), text: delta });
        }
        break;
      }
      case 'response.output_item.done': {
        const item = record(event.item);
        const reply = replyOf(event.response_id);
        if (reply && item.type === 'function_call') onCall(reply, protocol.functionCall(item));
        break;
      }
      case 'response.done':
        onResponseDone(record(event.response));
        break;
      case 'error':
        onError(record(event.error));
        break;
    }
  }

  const ownId = (event: Record<string, unknown>) => {
    const id = text(event.item_id);
    return ownIds.get(id) ?? id;
  };

  function onSessionUpdated(given: unknown): void {
    if (protocol.agreesWith(given, session)) {
      formatUpdates = 0;
      handshake.completed();
    } else if (formatUpdates++ < MAX_FORMAT_UPDATES) socket.send(protocol.formatUpdate(session));
    else fail('bad_request', 'the session has another audio format than it was asked for');
  }

  function onCommitted(serverId: string): void {
    const commit = commits.shift();
    if (!commit) {
      // The provider's own turn detection ended the turn.
      if (detectsTurns) listener({ type: 'turn_ended', itemId: serverId });
      return;
    }
    serverIds.set(commit.itemId, serverId);
    ownIds.set(serverId, commit.itemId);
    for (const run of commit.whenKnown) run(serverId);
  }

  function onPartial(itemId: string, delta: string): void {
    if (itemId !== partialItem) partialText = '';
    partialItem = itemId;
    partialText += delta;
    if (partialText.trim() !== '') listener({ type: 'partial', text: partialText.trim() });
  }

  /** The reply that this response is, unless it was cancelled or is not ours. */
  function replyOf(responseId: unknown): Reply | null {
    if (!active || active.cancelled) return null;
    return active.responseId === null || active.responseId === responseId ? active : null;
  }

  function isOurs(response: Record<string, unknown>): boolean {
    if (!active) return false;
    const { reply } = record(response.metadata);
    if (reply !== undefined) return reply === active.request.replyId;
    return active.responseId === null || active.responseId === response.id;
  }

  function onResponseCreated(response: Record<string, unknown>): void {
    if (!active || !isOurs(response)) return;
    active.responseId = text(response.id);
    if (active.cancelled) socket.send(protocol.cancelResponse(active.responseId));
  }

  function onAudio(event: Record<string, unknown>): void {
    const reply = replyOf(event.response_id);
    if (!reply) return;
    const itemId = text(event.item_id);
    const partial = partials.get(itemId) ?? { byte: null };
    partials.set(itemId, partial);
    const bytes = decoder.decode(text(event.delta), partial);
    if (bytes.length > 0) listener({ type: 'audio', replyId: reply.request.replyId, itemId, bytes });
  }

  function onCall(reply: Reply, { itemId, call }: ReturnType<typeof protocol.functionCall>): void {
    if (reply.calls.has(call.id)) return;
    reply.calls.add(call.id);
    listener({ type: 'tool_call', replyId: reply.request.replyId, itemId, call });
  }

  function onResponseDone(response: Record<string, unknown>): void {
    listener({ type: 'usage', tokens: protocol.responseTokens(response.usage) });
    responseOver.stop();
    blocked = false;
    const reply = active;
    if (reply && isOurs(response)) {
      active = null;
      partials.clear();
      if (!reply.cancelled) finish(reply, response);
    }
    nextReply();
  }

  function finish(reply: Reply, response: Record<string, unknown>): void {
    const { replyId } = reply.request;
    for (const call of protocol.responseCalls(response)) onCall(reply, call);
    const error = record(record(response.status_details).error);
    const code = text(error.code) || text(error.type);
    const failure =
      response.status === 'failed'
        ? { kind: protocol.replyFailure(code), message: `the reply failed: ${code || 'no reason given'}` }
        : null;
    listener({ type: 'reply_ended', replyId, failure });
  }

  function onError(error: Record<string, unknown>): void {
    const code = text(error.code);
    const cause = text(error.event_id);
    const fatal = protocol.fatalFailure(code);
    if (fatal) fail(fatal, `${code}: ${text(error.message).slice(0, 200)}`);
    else if (cause.startsWith('commit-')) onNothingCommitted(cause.slice('commit-'.length));
    else if (cause.startsWith('reply-')) onReplyRefused(cause.slice('reply-'.length), code);
    else if (code !== 'response_cancel_not_active') ignore(`error ${code || text(error.type)}`);
  }

  /** The buffer held less than the provider takes: there is no such item. */
  function onNothingCommitted(itemId: string): void {
    const index = commits.findIndex((one) => one.itemId === itemId);
    if (index < 0) return;
    commits.splice(index, 1);
    listener({ type: 'transcript', itemId, text: '' });
  }

  function onReplyRefused(replyId: string, code: string): void {
    const reply = active;
    if (reply?.request.replyId !== replyId || reply.responseId !== null) return;
    active = null;
    if (code === 'conversation_already_has_active_response' && !reply.retried) {
      reply.retried = true;
      if (!reply.cancelled) waiting.unshift(reply);
      blocked = true;
      responseOver.start();
      return;
    }
    if (!reply.cancelled) {
      const failure = { kind: protocol.replyFailure(code), message: `the reply was refused: ${code}` };
      listener({ type: 'reply_ended', replyId, failure });
    }
    nextReply();
  }

  function nextReply(): void {
    if (active || blocked || closed) return;
    active = waiting.shift() ?? null;
    if (active) socket.send(protocol.createResponse(active.request));
  }

  const { method } = guard;
  const model: RealtimeModel = {
    provider: PROVIDER,
    model: llm.model,
    input: session.input,
    output: session.outputFormat,
    capabilities: { edits: true, textOutput: true, maxSessionMs: MAX_SESSION_MS },
    open: guard.opened(() => handshake.open(() => socket.open())),
    startSpeech() {},
    audio: method((chunk) => {
      if (chunk.length > 0) socket.send(protocol.appendAudio(chunk));
    }),
    commit: method((itemId) => {
      commits.push({ itemId, whenKnown: [] });
      socket.send(protocol.commitAudio(itemId));
    }),
    instruct: method((prompt) => {
      session.prompt = prompt;
      socket.send(protocol.promptUpdate(prompt));
    }),
    add: method((item, place) => {
      if (place === 'last') socket.send(protocol.createItem(item, null));
      else if (place === 'first') socket.send(protocol.createItem(item, protocol.FIRST));
      else withServerId(place.after, (serverId) => socket.send(protocol.createItem(item, serverId)));
    }),
    remove: method((itemId) => withServerId(itemId, (serverId) => socket.send(protocol.deleteItem(serverId)))),
    truncate: method((itemId, playedMs) => socket.send(protocol.truncateItem(itemId, playedMs))),
    reply: method((request) => {
      waiting.push({ request, responseId: null, cancelled: false, retried: false, calls: new Set() });
      nextReply();
    }),
    cancel: method((replyId) => {
      const index = waiting.findIndex(({ request }) => request.replyId === replyId);
      if (index >= 0) waiting.splice(index, 1);
      if (active?.request.replyId !== replyId || active.cancelled) return;
      active.cancelled = true;
      // A response that has no name yet is cancelled as soon as it has.
      if (active.responseId !== null) socket.send(protocol.cancelResponse(active.responseId));
      responseOver.start();
    }),
    close: guard.closed(() => {
      closed = true;
      responseOver.stop();
      handshake.failed(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      return socket.close();
    }),
  };
  return model;
};
