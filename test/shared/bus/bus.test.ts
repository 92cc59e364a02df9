import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import type { CallEvent, Heartbeat, OpenSessionRequest } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

/** What becomes of questions, events and heartbeats while the bus is away. */

const log = createLogger('test', 'silent');
/** Longer than the test may last: whoever waited for it would fail. */
const NEVER_MS = 600_000;
const REQUEST: OpenSessionRequest = {
  call_id: 'c',
  nonce: 'n',
  engine_id: 'e',
  carrier: 'twilio',
  provider_call_id: 'p',
};
const EVENT: CallEvent = {
  call_id: 'c',
  seq: 1,
  engine_id: 'e',
  at_ms: 1,
  type: 'error',
  level: 'info',
  message: '',
  data_json: '{}',
  transcript: [],
};

let nats: Awaited<ReturnType<typeof startTestNats>>;
let engine: Bus;
let control: Bus;

beforeAll(async () => {
  nats = await startTestNats();
  [engine, control] = await Promise.all([
    connectBus({ url: nats.url, name: 'engine', log }),
    connectBus({ url: nats.url, name: 'control', log }),
  ]);
  await control.prepare();
});
afterAll(() => Promise.all([engine?.close(), control?.close()]));

test('a bus that is away is told at once, and nothing that was said meanwhile comes later', async () => {
  const asked: string[] = [];
  const beats: number[] = [];
  control.serveSessions(async ({ nonce }) => {
    asked.push(nonce);
    return { refused: 'no' };
  });
  control.onHeartbeat(({ at_ms }) => beats.push(at_ms));
  const beat = (at_ms: number) => engine.sendHeartbeat({ engine_id: 'e', at_ms, call_ids: [] } satisfies Heartbeat);

  await nats.stop();
  await until(() => !engine.connected() && !control.connected(), 'the bus to be missed');
  const away = 'the bus is away';
  await expect(engine.openSession({ ...REQUEST, nonce: 'away' }, NEVER_MS)).rejects.toThrow(away);
  await expect(engine.publishEvent(EVENT)).rejects.toThrow(away);
  await expect(engine.permits.acquire('account', 0)).rejects.toThrow(away);
  await expect(engine.permits.release('account', 0, 1)).rejects.toThrow(away);
  engine.permits.publishFull('account');
  // Said again and again, as it is: what is said just before the bus is back is not swept away with the rest.
  const saying = setInterval(() => {
    if (engine.connected()) return;
    beat(1);
    engine.openSession({ ...REQUEST, nonce: 'away' }, NEVER_MS).catch(() => {});
  }, 1);
  await nats.restart();
  await until(() => engine.connected() && control.connected(), 'the bus to be back', 60_000);
  clearInterval(saying);

  beat(2);
  expect(await engine.openSession({ ...REQUEST, nonce: 'back' }, 10_000)).toMatchObject({ refused: 'no' });
  await until(() => beats.includes(2), 'the heartbeat');
  expect(beats).toEqual([2]);
  expect(asked).toEqual(['back']);
  await engine.publishEvent(EVENT);
  expect(await engine.lastEventSeq('c')).toBe(1);
});

test('a bus that was closed is away', async () => {
  const bus = await connectBus({ url: nats.url, name: 'closed', log });
  await bus.close();
  await until(() => !bus.connected());
  bus.sendHeartbeat({ engine_id: 'e', at_ms: 3, call_ids: [] });
  bus.permits.publishFull('account');
  await expect(bus.publishEvent(EVENT)).rejects.toThrow('the bus is away');
});
