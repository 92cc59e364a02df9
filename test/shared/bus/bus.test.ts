import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import type { CallEvent, Heartbeat, OpenSessionRequest } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
import { eventually, until } from '../../support/until.ts';

const log = createLogger('test', 'silent');
/** Longer than the test may last: waiting for it fails the test. */
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

test('while the bus is offline requests reject at once and nothing sent meanwhile is delivered later', async () => {
  const requests: string[] = [];
  const heartbeats: number[] = [];
  control.serveSessions(async ({ nonce }) => {
    requests.push(nonce);
    return { refused: 'no' };
  });
  control.onHeartbeat(({ at_ms }) => heartbeats.push(at_ms));
  const sendHeartbeat = (at_ms: number) =>
    engine.sendHeartbeat({ engine_id: 'e', at_ms, call_ids: [] } satisfies Heartbeat);

  expect(performance.now() - control.reachableForMs()).toBeLessThan(performance.now());
  await nats.stop();
  const wentMs = performance.now();
  await until(() => !engine.connected() && !control.connected(), 'the bus to be offline');
  const offline = 'the bus is offline';
  await expect(engine.openSession({ ...REQUEST, nonce: 'offline' }, NEVER_MS)).rejects.toThrow(offline);
  await expect(engine.publishEvent(EVENT)).rejects.toThrow(offline);
  await expect(engine.permits.acquire('account', 0)).rejects.toThrow(offline);
  await expect(engine.permits.release('account', 0, 1)).rejects.toThrow(offline);
  engine.permits.publishFull('account');
  // Sent repeatedly, because what is sent just before the reconnect must not be delivered either.
  const sending = setInterval(() => {
    if (engine.connected()) return;
    sendHeartbeat(1);
    engine.openSession({ ...REQUEST, nonce: 'offline' }, NEVER_MS).catch(() => {});
  }, 1);
  await nats.restart();
  await until(() => engine.connected() && control.connected(), 'the bus to be online', 60_000);
  clearInterval(sending);
  // Answered after the server has control's subscriptions again.
  await eventually("control's subscriptions", 60_000, () => control.events.backlog().catch(() => null));

  sendHeartbeat(2);
  expect(await engine.openSession({ ...REQUEST, nonce: 'online' }, 10_000)).toMatchObject({ refused: 'no' });
  await until(() => heartbeats.includes(2), 'the heartbeat');
  expect(heartbeats).toEqual([2]);
  expect(requests).toEqual(['online']);
  await engine.publishEvent(EVENT);
  const lastSeq = () => engine.lastEventSeq('c').catch(() => null);
  expect(await eventually('the last event', 60_000, lastSeq)).toBe(1);
  expect(performance.now() - control.reachableForMs()).toBeGreaterThan(wentMs);
  // The server has forgotten the permits' stream, which was in its memory.
  const acquire = () => engine.permits.acquire('account', 0).catch(() => null);
  expect(await eventually('permits', 60_000, acquire)).toEqual(expect.any(Number));
});

test('a closed bus is offline', async () => {
  const bus = await connectBus({ url: nats.url, name: 'closed', log });
  await bus.close();
  await until(() => !bus.connected());
  bus.sendHeartbeat({ engine_id: 'e', at_ms: 3, call_ids: [] });
  bus.permits.publishFull('account');
  await expect(bus.publishEvent(EVENT)).rejects.toThrow('the bus is offline');
});
