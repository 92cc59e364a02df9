import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { systemClock } from '../clock.ts';
import { errorText, type Logger } from '../log.ts';
import { withTimeout } from '../with-timeout.ts';
import { accessOptions, type BusAccess, requireAuthentication } from './access.ts';
import { consumeEvents, type DeliveredEvent } from './event-consumer.ts';
import { createEventStream, DEFAULT_EVENTS_BYTES, type EventStream } from './event-stream.ts';
import {
  type BookCallbackReply,
  type BookCallbackRequest,
  bookCallbackReplyCodec,
  bookCallbackRequestCodec,
  type CallEvent,
  type Codec,
  type CommandReply,
  callEventCodec,
  commandReplyCodec,
  type FetchAmbientSoundReply,
  type FetchAmbientSoundRequest,
  fetchAmbientSoundReplyCodec,
  fetchAmbientSoundRequestCodec,
  type HangUpCommand,
  type Heartbeat,
  hangUpCommandCodec,
  heartbeatCodec,
  type LiveOrderRequest,
  liveOrderRequestCodec,
  type OpenHandoffReply,
  type OpenHandoffRequest,
  type OpenSessionReply,
  type OpenSessionRequest,
  openHandoffReplyCodec,
  openHandoffRequestCodec,
  openSessionReplyCodec,
  openSessionRequestCodec,
  type RecordingOrder,
  recordingOrderCodec,
  type SearchKnowledgeReply,
  type SearchKnowledgeRequest,
  type StartTransferReply,
  type StartTransferRequest,
  searchKnowledgeReplyCodec,
  searchKnowledgeRequestCodec,
  startTransferReplyCodec,
  startTransferRequestCodec,
  type TransferOutcome,
  transferOutcomeCodec,
  type WakeUp,
  wakeUpCodec,
} from './messages.ts';
import { createPermitRegistry, type PermitRegistry } from './permit-registry.ts';
import { watchPresence } from './presence.ts';
import { createRequestClient } from './requests.ts';
import {
  BOOK_CALLBACK,
  CONTROL_QUEUE,
  commandsTo,
  eventsOf,
  FETCH_AMBIENT_SOUND,
  HEARTBEAT,
  hasUser,
  inboxOf,
  liveOrdersTo,
  OPEN_HANDOFF,
  OPEN_SESSION,
  recordingOrdersTo,
  SEARCH_KNOWLEDGE,
  START_TRANSFER,
  transferOutcomesOf,
  WAKE_UP,
} from './subjects.ts';
import { createTestCallBus, type TestCallBus } from './test-calls.ts';

/**
 * Serves requests of the other program. Requests reject after `timeoutMs`, and at once when nobody serves them or the bus
 * is offline.
 */
export interface Bus {
  /** Creates the streams where they are missing, if this program may; to be called once, first. */
  prepare(): Promise<void>;
  /** Resolves when the stream has stored the event; a repeated (call_id, seq) is stored once. Rejects after 5 seconds, at once while the bus is offline. */
  publishEvent(event: CallEvent): Promise<void>;
  /** See `consumeEvents` in `event-consumer.ts`. */
  consumeEvents(
    name: string,
    batch: number,
    handle: (events: DeliveredEvent[]) => Promise<void>,
  ): { stop(): Promise<void> };
  openSession(request: OpenSessionRequest, timeoutMs: number): Promise<OpenSessionReply>;
  serveSessions(handle: (request: OpenSessionRequest) => Promise<OpenSessionReply>): void;
  searchKnowledge(request: SearchKnowledgeRequest, timeoutMs: number): Promise<SearchKnowledgeReply>;
  serveKnowledge(handle: (request: SearchKnowledgeRequest) => Promise<SearchKnowledgeReply>): void;
  /** The next chunk of an uploaded ambient sound, 256 KB at most. */
  fetchAmbientSound(request: FetchAmbientSoundRequest, timeoutMs: number): Promise<FetchAmbientSoundReply>;
  serveAmbientSounds(handle: (request: FetchAmbientSoundRequest) => Promise<FetchAmbientSoundReply>): void;
  readonly events: EventStream;
  /** The number of the call's last event that control has not acknowledged; 0 when there is none. Rejects while the bus is away. */
  lastEventSeq(callId: string): Promise<number>;
  /** Rejects when this engine does not hold the call. */
  sendHangUp(command: HangUpCommand, timeoutMs: number, engineId: string): Promise<CommandReply>;
  /** Handles the commands to one call of this engine until `stop`. */
  serveCommands(callId: string, handle: (command: HangUpCommand) => CommandReply): { stop(): void };
  /** Rejects when this engine does not hold the call, or does not record it. */
  sendRecordingOrder(order: RecordingOrder, timeoutMs: number, engineId: string): Promise<CommandReply>;
  /** Handles the orders to one call's recording until `stop`. */
  serveRecordingOrders(callId: string, handle: (order: RecordingOrder) => CommandReply): { stop(): void };
  /** Rejects when this engine does not hold the call. */
  sendLiveOrder(order: LiveOrderRequest, timeoutMs: number, engineId: string): Promise<CommandReply>;
  /** Handles what is ordered in one call until `stop`. */
  serveLiveOrders(callId: string, handle: (order: LiveOrderRequest) => CommandReply): { stop(): void };
  startTransfer(request: StartTransferRequest, timeoutMs: number): Promise<StartTransferReply>;
  serveTransfers(handle: (request: StartTransferRequest) => Promise<StartTransferReply>): void;
  bookCallback(request: BookCallbackRequest, timeoutMs: number): Promise<BookCallbackReply>;
  serveCallbacks(handle: (request: BookCallbackRequest) => Promise<BookCallbackReply>): void;
  /** The agent that a live call is to go on with. */
  openHandoff(request: OpenHandoffRequest, timeoutMs: number): Promise<OpenHandoffReply>;
  serveHandoffs(handle: (request: OpenHandoffRequest) => Promise<OpenHandoffReply>): void;
  /** Rejects when this engine does not hold the call. */
  sendTransferOutcome(outcome: TransferOutcome, timeoutMs: number, engineId: string): Promise<CommandReply>;
  /** Handles the outcomes of one call's transfers until `stop`. */
  serveTransferOutcomes(callId: string, handle: (outcome: TransferOutcome) => CommandReply): { stop(): void };
  sendHeartbeat(heartbeat: Heartbeat): void;
  onHeartbeat(listener: (heartbeat: Heartbeat) => void): void;
  /** To all control processes, this one among them; to nobody while the bus is offline. */
  sendWakeUp(message: WakeUp): void;
  onWakeUp(listener: (message: WakeUp) => void): { stop(): void };
  readonly permits: PermitRegistry;
  readonly testCalls: TestCallBus;
  connected(): boolean;
  /** For how long it has been connected and has answered, since this process connected at most; 0 while it is offline. */
  reachableForMs(): number;
  /** Sends what is buffered, then closes; within 2 seconds. */
  close(): Promise<void>;
}

export interface BusOptions {
  /** One server or several, comma-separated. */
  url: string;
  access?: BusAccess;
  /** Shown in the server's list of connections. */
  name: string;
  log: Logger;
  /** The program's user on the bus, when it has one of its own: it receives answers where only this user may. */
  busUser?: string;
  /** Only in an engine; see `engineIdOf`. */
  engineId?: string;
  /** See `settings.ts`; the same in all programs. */
  replicas?: number;
  eventsMaxBytes?: number;
  /** For tests: how long an answer about the streams, or an event to be stored, is waited for. */
  streamTimeoutMs?: number;
}

const SESSION = { request: openSessionRequestCodec, reply: openSessionReplyCodec };
const KNOWLEDGE = { request: searchKnowledgeRequestCodec, reply: searchKnowledgeReplyCodec };
const AMBIENT_SOUND = { request: fetchAmbientSoundRequestCodec, reply: fetchAmbientSoundReplyCodec };
const HANG_UP = { request: hangUpCommandCodec, reply: commandReplyCodec };
const RECORDING = { request: recordingOrderCodec, reply: commandReplyCodec };
const LIVE_ORDER = { request: liveOrderRequestCodec, reply: commandReplyCodec };
const TRANSFER = { request: startTransferRequestCodec, reply: startTransferReplyCodec };
const CALLBACK = { request: bookCallbackRequestCodec, reply: bookCallbackReplyCodec };
const HANDOFF = { request: openHandoffRequestCodec, reply: openHandoffReplyCodec };
const TRANSFER_OUTCOME = { request: transferOutcomeCodec, reply: commandReplyCodec };

const CLOSE_TIMEOUT_MS = 2_000;

/** @throws OpenBusError when the bus is on another machine and open to everybody. */
export async function connectBus({
  url,
  access = {},
  name,
  log,
  busUser = '',
  engineId: ownEngineId = '',
  replicas,
  eventsMaxBytes = DEFAULT_EVENTS_BYTES,
  streamTimeoutMs,
}: BusOptions): Promise<Bus> {
  const connection = await connect({
    ...accessOptions(url, access),
    name,
    ...(busUser && { inboxPrefix: inboxOf(busUser) }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    waitOnFirstConnect: false,
    // A stack for each request, should it fail: a third of a millisecond of each call.
    noAsyncTraces: true,
    timeout: 5_000,
    // The server and this program may get new keys one after the other.
    ignoreAuthErrorAbort: true,
  });
  try {
    requireAuthentication(url, access, connection.info);
  } catch (error) {
    await connection.close();
    throw error;
  }
  let prepared = false;
  const presence = watchPresence(connection, log, () => {
    // A server that stands alone forgets a stream in memory when it starts again.
    if (!prepared) return;
    permits.prepare().catch((error: unknown) => {
      log.error({ error: errorText(error) }, 'stream of concurrency permits could not be created');
    });
  });
  const stream = jetstream(connection, { timeout: 5_000 });
  const permits = createPermitRegistry(connection, stream, presence, replicas, streamTimeoutMs);
  const requests = createRequestClient(connection, presence, log);
  const { request, serve } = requests;

  const events = createEventStream(connection, eventsMaxBytes, replicas, streamTimeoutMs);

  /** To every listener, while the bus is online; a lost message costs nothing. */
  function broadcast<Message>(subject: string, codec: Codec<Message>, message: Message): void {
    if (presence.online) connection.publish(subject, codec.encode(message));
  }

  function onBroadcast<Message>(subject: string, codec: Codec<Message>, listener: (message: Message) => void) {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        try {
          listener(codec.decode(message.data));
        } catch (failure) {
          log.warn({ subject, error: errorText(failure) }, 'bus message could not be read');
        }
      },
    });
    return { stop: () => subscription.unsubscribe() };
  }

  return {
    permits,
    events,
    testCalls: createTestCallBus(connection, presence, requests, log, ownEngineId),

    async prepare() {
      // An engine with a user of its own may not: control does.
      if (hasUser(ownEngineId)) return;
      await permits.prepare();
      await events.prepare();
      prepared = true;
    },

    async publishEvent(event) {
      presence.requireOnline();
      await stream.publish(eventsOf(event.call_id), callEventCodec.encode(event), {
        msgID: `${event.call_id}:${event.seq}`,
        timeout: streamTimeoutMs ?? 5_000,
      });
    },

    lastEventSeq: (callId) =>
      events.lastUnreadSeq(callId).catch((error: unknown) => {
        presence.noAnswer();
        throw error;
      }),
    consumeEvents: (durable, batch, handle) => consumeEvents({ connection, log }, durable, batch, handle),

    openSession: (message, timeoutMs) => request(OPEN_SESSION, SESSION, message, timeoutMs),
    serveSessions: (handle) => void serve(OPEN_SESSION, SESSION, handle, CONTROL_QUEUE),
    searchKnowledge: (message, timeoutMs) => request(SEARCH_KNOWLEDGE, KNOWLEDGE, message, timeoutMs),
    serveKnowledge: (handle) => void serve(SEARCH_KNOWLEDGE, KNOWLEDGE, handle, CONTROL_QUEUE),
    fetchAmbientSound: (message, timeoutMs) => request(FETCH_AMBIENT_SOUND, AMBIENT_SOUND, message, timeoutMs),
    serveAmbientSounds: (handle) => void serve(FETCH_AMBIENT_SOUND, AMBIENT_SOUND, handle, CONTROL_QUEUE),
    sendHangUp: (command, timeoutMs, engineId) =>
      request(commandsTo(engineId, command.call_id), HANG_UP, command, timeoutMs),
    serveCommands: (callId, handle) => serve(commandsTo(ownEngineId, callId), HANG_UP, handle),
    sendRecordingOrder: (order, timeoutMs, engineId) =>
      request(recordingOrdersTo(engineId, order.call_id), RECORDING, order, timeoutMs),
    serveRecordingOrders: (callId, handle) => serve(recordingOrdersTo(ownEngineId, callId), RECORDING, handle),
    sendLiveOrder: (order, timeoutMs, engineId) =>
      request(liveOrdersTo(engineId, order.call_id), LIVE_ORDER, order, timeoutMs),
    serveLiveOrders: (callId, handle) => serve(liveOrdersTo(ownEngineId, callId), LIVE_ORDER, handle),
    startTransfer: (message, timeoutMs) => request(START_TRANSFER, TRANSFER, message, timeoutMs),
    serveTransfers: (handle) => void serve(START_TRANSFER, TRANSFER, handle, CONTROL_QUEUE),
    bookCallback: (message, timeoutMs) => request(BOOK_CALLBACK, CALLBACK, message, timeoutMs),
    serveCallbacks: (handle) => void serve(BOOK_CALLBACK, CALLBACK, handle, CONTROL_QUEUE),
    openHandoff: (message, timeoutMs) => request(OPEN_HANDOFF, HANDOFF, message, timeoutMs),
    serveHandoffs: (handle) => void serve(OPEN_HANDOFF, HANDOFF, handle, CONTROL_QUEUE),
    sendTransferOutcome: (outcome, timeoutMs, engineId) =>
      request(transferOutcomesOf(engineId, outcome.call_id), TRANSFER_OUTCOME, outcome, timeoutMs),
    serveTransferOutcomes: (callId, handle) => serve(transferOutcomesOf(ownEngineId, callId), TRANSFER_OUTCOME, handle),

    sendHeartbeat: (heartbeat) => broadcast(HEARTBEAT, heartbeatCodec, heartbeat),
    onHeartbeat: (listener) => void onBroadcast(HEARTBEAT, heartbeatCodec, listener),
    sendWakeUp: (message) => broadcast(WAKE_UP, wakeUpCodec, message),
    onWakeUp: (listener) => onBroadcast(WAKE_UP, wakeUpCodec, listener),

    connected: () => presence.online,
    reachableForMs: () => presence.reachableForMs(),

    async close() {
      await withTimeout(
        connection.drain().catch(() => {}),
        CLOSE_TIMEOUT_MS,
        systemClock,
        () => {},
      );
      await connection.close();
    },
  };
}
