import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DiscardPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';
import {
  type BookCallBackReply,
  type BookCallBackRequest,
  bookCallBackReplyCodec,
  bookCallBackRequestCodec,
  type CallEvent,
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
} from './messages.ts';
import { createPermitRegistry, type PermitRegistry } from './permit-registry.ts';
import { watchPresence } from './presence.ts';
import { createRequestClient } from './requests.ts';
import {
  BOOK_CALL_BACK,
  commandsTo,
  EVENTS_FILTER,
  EVENTS_STREAM,
  eventsOf,
  FETCH_AMBIENT_SOUND,
  HEARTBEAT,
  OPEN_SESSION,
  SEARCH_KNOWLEDGE,
  START_TRANSFER,
  transferOutcomesOf,
} from './subjects.ts';

/** A stored event as handed to control. Exactly one of the three answers must be given. */
export interface DeliveredEvent {
  /** Null when the bytes could not be read; `raw` is then all there is. */
  event: CallEvent | null;
  raw: Uint8Array;
  /** When the stream took it, milliseconds since 1970. */
  stored_at_ms: number;
  /** Written: forget it. */
  ack(): void;
  /** Not now: hand it out again after `delayMs`. */
  nak(delayMs: number): void;
  /** Never: it cannot be used and was put aside. */
  term(): void;
}

export interface Bus {
  /** Makes the stream where it is missing. Call it once before the others. */
  prepare(): Promise<void>;
  /** Resolves when the stream has stored it; a repeated (call_id, seq) is stored once. Rejects after 5 seconds, at once while the bus is away. */
  publishEvent(event: CallEvent): Promise<void>;
  /**
   * Hands out events in stored order, at most `batch` at a time, the next batch only after `handle` resolved.
   * Survives restarts of the server by itself, until `stop`.
   */
  consumeEvents(
    name: string,
    batch: number,
    handle: (events: DeliveredEvent[]) => Promise<void>,
  ): { stop(): Promise<void> };
  /** Who is this call? Rejects after `timeoutMs`, at once when no control is there or the bus is away. */
  openSession(request: OpenSessionRequest, timeoutMs: number): Promise<OpenSessionReply>;
  serveSessions(answer: (request: OpenSessionRequest) => Promise<OpenSessionReply>): void;
  /** What do the knowledge bases of this call's agent say? Rejects like `openSession`. */
  searchKnowledge(request: SearchKnowledgeRequest, timeoutMs: number): Promise<SearchKnowledgeReply>;
  serveKnowledge(answer: (request: SearchKnowledgeRequest) => Promise<SearchKnowledgeReply>): void;
  /** The next bytes of an uploaded background sound, 256 KB at most. Rejects like `openSession`. */
  fetchAmbientSound(request: FetchAmbientSoundRequest, timeoutMs: number): Promise<FetchAmbientSoundReply>;
  serveAmbientSounds(answer: (request: FetchAmbientSoundRequest) => Promise<FetchAmbientSoundReply>): void;
  /** The number of the call's last event that the stream has stored, 0 when there is none. Rejects when the bus is away. */
  lastEventSeq(callId: string): Promise<number>;
  /** Rejects when no engine holds the call, or after `timeoutMs`. */
  sendHangUp(order: HangUpCommand, timeoutMs: number): Promise<CommandReply>;
  /** Takes the orders to one call until `stop`. */
  serveCommands(callId: string, answer: (order: HangUpCommand) => CommandReply): { stop(): void };
  /** Connect the caller with a person. Rejects after `timeoutMs`, at once when no control is there. */
  startTransfer(request: StartTransferRequest, timeoutMs: number): Promise<StartTransferReply>;
  serveTransfers(answer: (request: StartTransferRequest) => Promise<StartTransferReply>): void;
  /** Call this caller again later. Rejects like `startTransfer`. */
  bookCallBack(request: BookCallBackRequest, timeoutMs: number): Promise<BookCallBackReply>;
  serveCallBacks(answer: (request: BookCallBackRequest) => Promise<BookCallBackReply>): void;
  /** Rejects when no engine holds the call, or after `timeoutMs`. */
  sendTransferOutcome(outcome: TransferOutcome, timeoutMs: number): Promise<CommandReply>;
  /** Takes the outcomes of one call's transfers until `stop`. */
  serveTransferOutcomes(callId: string, answer: (outcome: TransferOutcome) => CommandReply): { stop(): void };
  sendHeartbeat(heartbeat: Heartbeat): void;
  onHeartbeat(take: (heartbeat: Heartbeat) => void): void;
  /** The places accounts have at their providers. */
  readonly permits: PermitRegistry;
  connected(): boolean;
  /** Sends what is buffered, then closes; never longer than 2 seconds. */
  close(): Promise<void>;
}

export interface BusOptions {
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
  log: Logger;
}

const SESSION = { request: openSessionRequestCodec, reply: openSessionReplyCodec };
const KNOWLEDGE = { request: searchKnowledgeRequestCodec, reply: searchKnowledgeReplyCodec };
const SOUND = { request: fetchAmbientSoundRequestCodec, reply: fetchAmbientSoundReplyCodec };
const HANG_UP = { request: hangUpCommandCodec, reply: commandReplyCodec };
const TRANSFER = { request: startTransferRequestCodec, reply: startTransferReplyCodec };
const CALL_BACK = { request: bookCallBackRequestCodec, reply: bookCallBackReplyCodec };
const TRANSFER_OUTCOME = { request: transferOutcomeCodec, reply: commandReplyCodec };

const HOUR_NS = 3_600 * 1_000_000_000;

export async function connectBus({ url, name, log }: BusOptions): Promise<Bus> {
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

  const places = createPermitRegistry(connection, stream, presence);
  const { request: ask, serve } = createRequestClient(connection, presence, log);

  return {
    permits: places,

    async prepare() {
      await places.prepare();
      const manager = await jetstreamManager(connection);
      const config = {
        name: EVENTS_STREAM,
        subjects: [EVENTS_FILTER],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.Old,
        max_age: 72 * HOUR_NS,
        max_bytes: 2 * 1024 ** 3,
        duplicate_window: HOUR_NS / 30,
      };
      await manager.streams.add(config).catch(async (error: unknown) => {
        // "stream name already in use" with another configuration: bring it up to date.
        if (!errorText(error).includes('already in use')) throw error;
        await manager.streams.update(EVENTS_STREAM, config);
      });
    },

    async publishEvent(event) {
      presence.requireOnline();
      await stream.publish(eventsOf(event.call_id), callEventCodec.encode(event), {
        msgID: `${event.call_id}:${event.seq}`,
        timeout: 5_000,
      });
    },

    async lastEventSeq(callId) {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
      const last = await manager.streams.getMessage(EVENTS_STREAM, { last_by_subj: eventsOf(callId) });
      return last ? callEventCodec.decode(last.data).seq : 0;
    },

    consumeEvents(durable, batch, handle) {
      let stopped = false;
      let waiting: DeliveredEvent[] = [];
      let reading: ConsumerMessages | null = null;
      const pause = stoppablePause();
      const retryPause = stoppablePause();

      const working = (async () => {
        while (!stopped) {
          if (waiting.length === 0) await pause.for(1_000);
          const events = waiting.slice(0, batch);
          waiting = waiting.slice(batch);
          if (stopped || events.length === 0) continue;
          try {
            await handle(events);
          } catch (error) {
            log.error(
              { error: errorText(error), durable },
              'events from the bus could not be handled; they come again',
            );
            for (const event of events) event.nak(1_000);
          }
        }
      })();

      const listening = (async () => {
        while (!stopped) {
          try {
            const consumer = await openConsumer(connection, durable);
            // What arrives waits here; the server hands out no more than `max_ack_pending`.
            reading = await consumer.consume({
              max_messages: batch,
              callback: (message) => {
                waiting.push(delivered(message));
                pause.end();
              },
            });
            if (stopped) reading.stop();
            await reading.closed();
          } catch (error) {
            if (!stopped)
              log.warn({ error: errorText(error), durable }, 'reading events from the bus failed; trying again');
          }
          if (!stopped) await retryPause.for(500);
        }
      })();
      return {
        async stop() {
          stopped = true;
          reading?.stop();
          pause.end();
          retryPause.end();
          await Promise.all([working, listening]);
        },
      };
    },

    openSession: (request, timeoutMs) => ask(OPEN_SESSION, SESSION, request, timeoutMs),
    serveSessions: (answer) => void serve(OPEN_SESSION, SESSION, answer, 'control'),
    searchKnowledge: (request, timeoutMs) => ask(SEARCH_KNOWLEDGE, KNOWLEDGE, request, timeoutMs),
    serveKnowledge: (answer) => void serve(SEARCH_KNOWLEDGE, KNOWLEDGE, answer, 'control'),
    fetchAmbientSound: (request, timeoutMs) => ask(FETCH_AMBIENT_SOUND, SOUND, request, timeoutMs),
    serveAmbientSounds: (answer) => void serve(FETCH_AMBIENT_SOUND, SOUND, answer, 'control'),
    sendHangUp: (order, timeoutMs) => ask(commandsTo(order.call_id), HANG_UP, order, timeoutMs),
    serveCommands: (callId, answer) => serve(commandsTo(callId), HANG_UP, answer),
    startTransfer: (request, timeoutMs) => ask(START_TRANSFER, TRANSFER, request, timeoutMs),
    serveTransfers: (answer) => void serve(START_TRANSFER, TRANSFER, answer, 'control'),
    bookCallBack: (request, timeoutMs) => ask(BOOK_CALL_BACK, CALL_BACK, request, timeoutMs),
    serveCallBacks: (answer) => void serve(BOOK_CALL_BACK, CALL_BACK, answer, 'control'),
    sendTransferOutcome: (outcome, timeoutMs) =>
      ask(transferOutcomesOf(outcome.call_id), TRANSFER_OUTCOME, outcome, timeoutMs),
    serveTransferOutcomes: (callId, answer) => serve(transferOutcomesOf(callId), TRANSFER_OUTCOME, answer),

    sendHeartbeat(heartbeat) {
      if (presence.online) connection.publish(HEARTBEAT, heartbeatCodec.encode(heartbeat));
    },

    onHeartbeat(take) {
      connection.subscribe(HEARTBEAT, {
        callback: (error, message) => {
          if (error) return;
          try {
            take(heartbeatCodec.decode(message.data));
          } catch (problem) {
            log.warn({ error: errorText(problem) }, 'a heartbeat could not be read');
          }
        },
      });
    },

    connected: () => presence.online,

    async close() {
      const deadline = stoppablePause();
      await Promise.race([connection.drain().catch(() => {}), deadline.for(2_000)]);
      deadline.end();
      await connection.close();
    },
  };
}

async function openConsumer(connection: NatsConnection, durable: string): Promise<Consumer> {
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(EVENTS_STREAM, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: 30 * 1_000_000_000,
    max_ack_pending: 1_000,
    max_deliver: -1,
  });
  return jetstream(connection).consumers.get(EVENTS_STREAM, durable);
}

function delivered(message: JsMsg): DeliveredEvent {
  let event: CallEvent | null;
  try {
    event = callEventCodec.decode(message.data);
  } catch {
    event = null;
  }
  return {
    event,
    raw: message.data,
    stored_at_ms: Math.floor(message.info.timestampNanos / 1_000_000),
    ack: () => message.ack(),
    nak: (delayMs) => message.nak(delayMs),
    term: () => message.term(),
  };
}

/** A wait that can be cut short, so that stopping never waits for a pause. */
function stoppablePause() {
  let wake: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  return {
    for: (ms: number) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, ms);
      }),
    end() {
      clearTimeout(timer);
      wake?.();
    },
  };
}
