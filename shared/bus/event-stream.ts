import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type MsgRequest,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ensureStream } from './ensure-stream.ts';
import { EVENTS_CONSUMER } from './event-consumer.ts';
import { type CallEvent, callEventCodec } from './messages.ts';
import { EVENTS_FILTER, EVENTS_STREAM, eventsOf } from './subjects.ts';

/** An event of a call as the stream has it. */
export interface StoredEvent {
  event: CallEvent;
  raw: Uint8Array;
  /** Its number in the stream, which counts the events of all calls. */
  position: number;
}

/** What control has not read yet, and how full the stream is. */
export interface EventBacklog {
  /** Events that are not acknowledged. */
  unread: number;
  /** When the oldest of them was stored, milliseconds since 1970; null when there is none. */
  oldest_unread_at_ms: number | null;
  bytes: number;
  max_bytes: number;
  /** Of the oldest event that the stream still has. */
  first_position: number;
  /** All events up to this position are acknowledged. */
  read_position: number;
}

/**
 * The stream of the calls' events. It refuses events when it is full and discards none for want of space: what is read is deleted by
 * `deleteRead`, and by its age after 72 hours. Every method rejects when the bus does not answer within 2 seconds.
 */
export interface EventStream {
  /** Creates the stream where it is missing, and updates one with other limits. */
  prepare(): Promise<void>;
  /** Yields the events of a call behind a position, in the order in which they were stored. Events that cannot be decoded are left out. */
  eventsAfter(callId: string, position: number): AsyncGenerator<StoredEvent>;
  /** The number of the call's last event that is not acknowledged; 0 when all are. Rejects when it cannot be decoded. */
  lastUnreadSeq(callId: string): Promise<number>;
  backlog(): Promise<EventBacklog>;
  /** Deletes events up to a position. */
  deleteUpTo(position: number): Promise<void>;
}

const HOUR_NS = 3_600 * 1_000_000_000;
const GIB = 1024 ** 3;
const TIMEOUT_MS = 2_000;
export const DEFAULT_EVENTS_BYTES = 2 * GIB;

export function createEventStream(
  connection: NatsConnection,
  maxBytes: number,
  replicas?: number,
  timeoutMs: number = TIMEOUT_MS,
): EventStream {
  const open = () => jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });

  /** The position up to which every event is acknowledged; 0 before the consumer was created. */
  async function consumerState(manager: JetStreamManager) {
    try {
      return await manager.consumers.info(EVENTS_STREAM, EVENTS_CONSUMER);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return null;
      throw error;
    }
  }

  return {
    prepare() {
      const config = {
        name: EVENTS_STREAM,
        subjects: [EVENTS_FILTER],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.New,
        max_age: 72 * HOUR_NS,
        max_bytes: maxBytes,
        duplicate_window: HOUR_NS / 30,
      };
      return ensureStream(connection, config, replicas);
    },

    async *eventsAfter(callId, position) {
      const { streams } = await open();
      for (let seq = position + 1; ; ) {
        // Answered by the stream's leader, so that nothing stored is missing (docs.nats.io, reference, "Get Message").
        const next = { seq, next_by_subj: eventsOf(callId) } as MsgRequest;
        const message = await streams.getMessage(EVENTS_STREAM, next);
        if (!message) return;
        const event = decoded(message);
        if (event) yield { event, raw: message.data, position: message.seq };
        seq = message.seq + 1;
      }
    },

    async lastUnreadSeq(callId) {
      const manager = await open();
      const last = await manager.streams.getMessage(EVENTS_STREAM, { last_by_subj: eventsOf(callId) });
      if (!last) return 0;
      const consumer = await consumerState(manager);
      if (consumer && last.seq <= consumer.ack_floor.stream_seq) return 0;
      return callEventCodec.decode(last.data).seq;
    },

    async backlog() {
      const manager = await open();
      const [{ state, config }, consumer] = await Promise.all([
        manager.streams.info(EVENTS_STREAM),
        consumerState(manager),
      ]);
      const read_position = consumer?.ack_floor.stream_seq ?? 0;
      const unread = consumer ? consumer.num_pending + consumer.num_ack_pending : state.messages;
      const { bytes } = state;
      const oldest_unread_at_ms =
        unread > 0 ? await storedAt(manager, Math.max(read_position + 1, state.first_seq)) : null;
      const { first_seq: first_position } = state;
      return { unread, oldest_unread_at_ms, bytes, max_bytes: config.max_bytes, first_position, read_position };
    },

    async deleteUpTo(position) {
      const { streams } = await open();
      await streams.purge(EVENTS_STREAM, { seq: position + 1 });
    },
  };
}

async function storedAt({ streams }: JetStreamManager, position: number): Promise<number | null> {
  const message = await streams.getMessage(EVENTS_STREAM, { seq: position });
  return message?.time.getTime() ?? null;
}

function decoded({ data }: StoredMsg): CallEvent | null {
  try {
    return callEventCodec.decode(data);
  } catch {
    return null;
  }
}
