import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';
import { type CallEvent, callEventCodec } from './messages.ts';
import { EVENTS_STREAM } from './subjects.ts';

/** An event of a call as control receives it. Exactly one of `ack`, `nak` and `term` must be called. */
export interface DeliveredEvent {
  /** Null when the bytes cannot be decoded; see `raw`. */
  event: CallEvent | null;
  raw: Uint8Array;
  /** The call of its subject. */
  call_id: string;
  /** Its number in the stream, which counts the events of all calls. */
  position: number;
  /** It was delivered before: not acknowledged then, or its acknowledgement was lost. */
  redelivered: boolean;
  /** Processed. */
  ack(): void;
  /** Not processed: deliver again after `delayMs`. */
  nak(delayMs: number): void;
  /** Cannot be processed: never deliver again. */
  term(): void;
}

/** The consumer that all control processes share: each event goes to one of them. */
export const EVENTS_CONSUMER = 'control';
const EMPTY_WAIT_MS = 1_000;
const RETRY_MS = 500;
const REDELIVER_MS = 1_000;

/**
 * Hands stored events to `handle` in order, at most `batch` at a time, the next batch only after `handle` has resolved.
 * Reconnects by itself until `stop`. `durable` names the consumer on the server, which remembers its position.
 */
export function consumeEvents(
  { connection, log }: { connection: NatsConnection; log: Logger },
  durable: string,
  batch: number,
  handle: (events: DeliveredEvent[]) => Promise<void>,
): { stop(): Promise<void> } {
  let stopped = false;
  let received: DeliveredEvent[] = [];
  let reading: ConsumerMessages | null = null;
  const emptyWait = interruptibleSleep();
  const retryWait = interruptibleSleep();

  async function handleAll(): Promise<void> {
    while (!stopped) {
      if (received.length === 0) await emptyWait.sleep(EMPTY_WAIT_MS);
      const events = received.slice(0, batch);
      received = received.slice(batch);
      if (stopped || events.length === 0) continue;
      try {
        await handle(events);
      } catch (error) {
        log.error({ error: errorText(error), durable }, 'event handler failed; events will be redelivered');
        for (const event of events) event.nak(REDELIVER_MS);
      }
    }
  }

  async function readAll(): Promise<void> {
    while (!stopped) {
      try {
        const consumer = await openConsumer(connection, durable);
        // `max_ack_pending` bounds how many events wait in `received`.
        reading = await consumer.consume({
          max_messages: batch,
          callback: (message) => {
            received.push(delivered(message));
            emptyWait.wake();
          },
        });
        if (stopped) reading.stop();
        await reading.closed();
      } catch (error) {
        if (!stopped) log.warn({ error: errorText(error), durable }, 'reading events failed; retrying');
      }
      if (!stopped) await retryWait.sleep(RETRY_MS);
    }
  }

  const running = [handleAll(), readAll()];
  return {
    async stop() {
      stopped = true;
      reading?.stop();
      emptyWait.wake();
      retryWait.wake();
      await Promise.all(running);
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
    call_id: message.subject.slice(message.subject.lastIndexOf('.') + 1),
    position: message.seq,
    redelivered: message.redelivered,
    ack: () => message.ack(),
    nak: (delayMs) => message.nak(delayMs),
    term: () => message.term(),
  };
}

/** A sleep that `wake` ends early, so that stopping never waits for it. */
function interruptibleSleep() {
  let wake: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  return {
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, ms);
      }),
    wake() {
      clearTimeout(timer);
      wake?.();
    },
  };
}
