import { DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { freeSpace } from '../../../control/calls/events/stream-space.ts';
import { createReporter } from '../../../media/report/reporter.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
import { eventually } from '../../support/until.ts';

const log = createLogger('test', 'silent');
const KIB = 1_024;
const WITHIN_MS = 60_000;

let url: string;
let bus: Bus;

beforeAll(async () => {
  ({ url } = await startTestNats());
});
afterEach(() => bus.close());

async function open(eventsMaxBytes: number) {
  bus = await connectBus({ url, name: 'test', log, eventsMaxBytes, streamTimeoutMs: WITHIN_MS });
  await bus.prepare();
}

const event = (call_id: string, seq: number, message = ''): CallEvent => ({
  ...{ call_id, seq, message, engine_id: 'e', at_ms: 1, type: 'error', level: 'info', data_json: '{}', transcript: [] },
});

/** Acknowledges events as control does, until `stop`. */
function readEvents() {
  const read: CallEvent[] = [];
  const consumer = bus.consumeEvents('control', 100, async (events) => {
    for (const { event, ack } of events) {
      read.push(event!);
      ack();
    }
  });
  return { read, stop: () => consumer.stop() };
}

test('a stream that was made with other limits goes on with its events under these', async () => {
  const connection = await connect({ servers: url });
  const { streams } = await jetstreamManager(connection);
  await streams.add({
    ...{ name: 'CALL_EVENTS', subjects: ['antiphon.events.*'], retention: RetentionPolicy.Limits },
    ...{ storage: StorageType.File, discard: DiscardPolicy.Old, max_bytes: 64 * KIB },
  });
  await connection.close();
  await open(128 * KIB);
  await bus.publishEvent(event('a', 1));
  expect(await bus.events.backlog()).toMatchObject({ unread: 1, max_bytes: 128 * KIB, read_position: 0 });
});

test('a full stream refuses events, the engine keeps them, and nothing unread is lost', async () => {
  await open(64 * KIB);
  const long = 'a'.repeat(2_000);
  const reporter = createReporter({ callId: 'full', engineId: 'e', bus, clock: systemClock, log });
  for (let seq = 1; seq <= 60; seq++) reporter.report('user.turn', long);
  let others = 0;
  const refusal = await eventually('a refusal', WITHIN_MS, () =>
    bus.publishEvent(event('other', ++others, long)).then(
      () => null,
      (error: Error) => error.message,
    ),
  );
  expect(refusal).toContain('maximum bytes exceeded');
  await freeSpace(bus.events);
  expect((await bus.events.backlog()).first_position).toBe(1);

  const reading = readEvents();
  const freeing = setInterval(() => void freeSpace(bus.events).catch(() => {}), 50);
  await reporter.flushed();
  const ofCall = () => reading.read.filter(({ call_id }) => call_id === 'full').map(({ seq }) => seq);
  await eventually('all events', WITHIN_MS, async () => ofCall().length >= 60 || null);
  clearInterval(freeing);
  await reading.stop();
  expect(ofCall()).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

test('what is read stays until half of the stream is used', async () => {
  await open(KIB * KIB);
  const { first_position } = await bus.events.backlog();
  await bus.publishEvent(event('read', 1));
  const reading = readEvents();
  await eventually('the event to be read', WITHIN_MS, async () => (await bus.events.backlog()).unread === 0 || null);
  await freeSpace(bus.events);
  expect((await bus.events.backlog()).first_position).toBe(first_position);
  await reading.stop();
});

test('the last unread event of a call, the age of the oldest, and what lies behind a position are known', async () => {
  await open(64 * KIB);
  const reading = readEvents();
  await bus.publishEvent(event('c', 1));
  await eventually('the event to be read', WITHIN_MS, async () => (await bus.events.lastUnreadSeq('c')) === 0 || null);
  await reading.stop();
  const { read_position } = await bus.events.backlog();
  for (const seq of [2, 3]) await bus.publishEvent(event('c', seq));
  await bus.publishEvent(event('d', 1));
  expect(await bus.events.lastUnreadSeq('c')).toBe(3);
  const backlog = await bus.events.backlog();
  expect(backlog.unread).toBe(3);
  expect(Date.now() - backlog.oldest_unread_at_ms!).toBeLessThan(60_000);
  const behind: number[] = [];
  for await (const stored of bus.events.eventsAfter('c', read_position)) behind.push(stored.event.seq);
  expect(behind).toEqual([2, 3]);
});
