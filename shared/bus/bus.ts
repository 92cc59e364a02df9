import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { systemClock } from '../clock.ts';
import { errorText, type Logger } from '../log.ts';
import { withTimeout } from '../with-timeout.ts';
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
  type OpenSessionReply,
  type OpenSessionRequest,
  openSessionReplyCodec,
  openSessionRequestCodec,
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
  commandsTo,
  eventsOf,
  FETCH_AMBIENT_SOUND,
  HEARTBEAT,
  OPEN_SESSION,
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
  /** Creates the streams where they are missing; to be called once, first. */
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
  /** Rejects when no engine holds the call. */
  sendHangUp(command: HangUpCommand, timeoutMs: number): Promise<CommandReply>;
  /** Handles the commands to one call until `stop`. */
  serveCommands(callId: string, handle: (command: HangUpCommand) => CommandReply): { stop(): void };
  startTransfer(request: StartTransferRequest, timeoutMs: number): Promise<StartTransferReply>;
  serveTransfers(handle: (request: StartTransferRequest) => Promise<StartTransferReply>): void;
  bookCallback(request: BookCallbackRequest, timeoutMs: number): Promise<BookCallbackReply>;
  serveCallbacks(handle: (request: BookCallbackRequest) => Promise<BookCallbackReply>): void;
  /** Rejects when no engine holds the call. */
  sendTransferOutcome(outcome: TransferOutcome, timeoutMs: number): Promise<CommandReply>;
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
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
  log: Logger;
  /** See `settings.ts`; the same in all programs. */
  replicas?: number;
  eventsMaxBytes?: number;
}

const SESSION = { request: openSessionRequestCodec, reply: openSessionReplyCodec };
const KNOWLEDGE = { request: searchKnowledgeRequestCodec, reply: searchKnowledgeReplyCodec };
const AMBIENT_SOUND = { request: fetchAmbientSoundRequestCodec, reply: fetchAmbientSoundReplyCodec };
const HANG_UP = { request: hangUpCommandCodec, reply: commandReplyCodec };
const TRANSFER = { request: startTransferRequestCodec, reply: startTransferReplyCodec };
const CALLBACK = { request: bookCallbackRequestCodec, reply: bookCallbackReplyCodec };
const TRANSFER_OUTCOME = { request: transferOutcomeCodec, reply: commandReplyCodec };

const CLOSE_TIMEOUT_MS = 2_000;

export async function connectBus({
  url,
  name,
  log,
  replicas,
  eventsMaxBytes = DEFAULT_EVENTS_BYTES,
}: BusOptions): Promise<Bus> {
  const connection = await connect({
    servers: url,
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    waitOnFirstConnect: false,
    timeout: 5_000,
  });
  const presence = watchPresence(connection, log);
  const stream = jetstream(connection, { timeout: 5_000 });
  const permits = createPermitRegistry(connection, stream, presence, replicas);
  const requests = createRequestClient(connection, presence, log);
  const { request, serve } = requests;

  const events = createEventStream(connection, eventsMaxBytes, replicas);

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
    testCalls: createTestCallBus(connection, presence, requests, log),

    async prepare() {
      await permits.prepare();
      await events.prepare();
    },

    async publishEvent(event) {
      presence.requireOnline();
      await stream.publish(eventsOf(event.call_id), callEventCodec.encode(event), {
        msgID: `${event.call_id}:${event.seq}`,
        timeout: 5_000,
      });
    },

    lastEventSeq: (callId) =>
      events.lastUnreadSeq(callId).catch((error: unknown) => {
        presence.noAnswer();
        throw error;
      }),
    consumeEvents: (durable, batch, handle) => consumeEvents({ connection, log }, durable, batch, handle),

    openSession: (message, timeoutMs) => request(OPEN_SESSION, SESSION, message, timeoutMs),
    serveSessions: (handle) => void serve(OPEN_SESSION, SESSION, handle, 'control'),
    searchKnowledge: (message, timeoutMs) => request(SEARCH_KNOWLEDGE, KNOWLEDGE, message, timeoutMs),
    serveKnowledge: (handle) => void serve(SEARCH_KNOWLEDGE, KNOWLEDGE, handle, 'control'),
    fetchAmbientSound: (message, timeoutMs) => request(FETCH_AMBIENT_SOUND, AMBIENT_SOUND, message, timeoutMs),
    serveAmbientSounds: (handle) => void serve(FETCH_AMBIENT_SOUND, AMBIENT_SOUND, handle, 'control'),
    sendHangUp: (command, timeoutMs) => request(commandsTo(command.call_id), HANG_UP, command, timeoutMs),
    serveCommands: (callId, handle) => serve(commandsTo(callId), HANG_UP, handle),
    startTransfer: (message, timeoutMs) => request(START_TRANSFER, TRANSFER, message, timeoutMs),
    serveTransfers: (handle) => void serve(START_TRANSFER, TRANSFER, handle, 'control'),
    bookCallback: (message, timeoutMs) => request(BOOK_CALLBACK, CALLBACK, message, timeoutMs),
    serveCallbacks: (handle) => void serve(BOOK_CALLBACK, CALLBACK, handle, 'control'),
    sendTransferOutcome: (outcome, timeoutMs) =>
      request(transferOutcomesOf(outcome.call_id), TRANSFER_OUTCOME, outcome, timeoutMs),
    serveTransferOutcomes: (callId, handle) => serve(transferOutcomesOf(callId), TRANSFER_OUTCOME, handle),

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
