import { expect, it } from 'vitest';
import { createEngineRegistry } from '../../../../control/calls/engines/engine-registry.ts';
import { createStreamUrls } from '../../../../control/calls/engines/stream-urls.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import type { Heartbeat } from '../../../../shared/bus/messages.ts';
import { heartbeatCodec } from '../../../../shared/bus/messages.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const COMMON = 'wss://media.example';

function createRegistry() {
  const clock = createVirtualClock();
  const registry = createEngineRegistry(`${COMMON}/`, clock);
  const heartbeat = (engine_id: string, more: Partial<Heartbeat> = {}) =>
    registry.recordHeartbeat({ engine_id, at_ms: clock.wall(), call_ids: [], ...more });
  return { clock, registry, heartbeat };
}

it('has no limit and the common address while no engine is known', () => {
  const { registry } = createRegistry();
  expect(registry.headroom()).toBe(Number.POSITIVE_INFINITY);
  expect(registry.assign('c1')).toBe(COMMON);
  expect(registry.headroom(['c2'])).toBe(Number.POSITIVE_INFINITY);
  expect(registry.addressOf('who')).toBe(COMMON);
});

it('assigns to the engine with the most headroom, less the assignments since', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 5, public_url: 'wss://a.example/' });
  heartbeat('b', { headroom: 3, public_url: 'wss://b.example' });
  const ids = Array.from({ length: 8 }, (_, index) => `c${index}`);
  const given = new Map(ids.map((id) => [id, registry.assign(id)]));
  expect([given.get('c0'), given.get('c1')]).toEqual(['wss://a.example', 'wss://a.example']);
  const atA = ids.filter((id) => given.get(id) === 'wss://a.example');
  expect(atA).toHaveLength(5);
  expect(registry.headroom()).toBe(0);
  heartbeat('a', { headroom: 2, public_url: 'wss://a.example/', call_ids: atA });
  // The three assigned to b have not arrived yet.
  expect(registry.headroom()).toBe(2);
  expect(registry.assign('c9')).toBe('wss://a.example');
  expect(registry.addressOf('b')).toBe('wss://b.example');
});

it('sums the headroom of processes behind one address', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('p1', { headroom: 3 });
  heartbeat('p2', { headroom: 4 });
  heartbeat('own', { headroom: 5, public_url: 'wss://own.example' });
  expect(registry.headroom()).toBe(12);
  expect([registry.assign('c1'), registry.assign('c2')]).toEqual([COMMON, COMMON]);
  // 5 and 5: either one; then the other.
  expect(new Set([registry.assign('c3'), registry.assign('c4')])).toEqual(new Set([COMMON, 'wss://own.example']));
});

it('counts a call once, also when it is assigned twice or waiting', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 2 });
  registry.assign('c1');
  registry.assign('c1');
  expect(registry.headroom()).toBe(1);
  expect(registry.headroom(['c1'])).toBe(1);
  expect(registry.headroom(['c1', 'c2', 'c2'])).toBe(0);
  expect(registry.headroom(['c1', 'c2', 'c3'])).toBeLessThan(1);
});

it('assigns a call whose stream did not open to another engine, where one has headroom', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 9, public_url: 'wss://a.example' });
  heartbeat('b', { headroom: 1, public_url: 'wss://b.example' });
  expect([registry.assign('c1'), registry.assignAnother('c1')]).toEqual(['wss://a.example', 'wss://b.example']);
  heartbeat('b', { headroom: 0, public_url: 'wss://b.example' });
  expect([registry.assign('c2'), registry.assignAnother('c2')]).toEqual(['wss://a.example', 'wss://a.example']);
});

it('removes silent engines, and assignments whose stream did not open', async () => {
  const { clock, registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 0, public_url: 'wss://a.example' });
  expect(registry.headroom()).toBe(0);
  expect(registry.assign('c1')).toBe('wss://a.example');
  await clock.advance(30_000);
  heartbeat('b', { headroom: 1, public_url: 'wss://b.example' });
  expect(registry.headroom()).toBe(1);
  await clock.advance(15_000);
  expect(registry.addressOf('a')).toBe(COMMON);
  expect(registry.assign('c2')).toBe('wss://b.example');
  expect(registry.headroom()).toBe(0);
  await clock.advance(15_000);
  expect(registry.headroom()).toBe(1);
  await clock.advance(15_000);
  expect(registry.headroom()).toBe(Number.POSITIVE_INFINITY);
});

it('assigns no calls to an engine that missed two heartbeats while another one is live', async () => {
  const { clock, registry, heartbeat } = createRegistry();
  heartbeat('killed', { headroom: 9, public_url: 'wss://killed.example' });
  heartbeat('alive', { headroom: 3, public_url: 'wss://alive.example' });
  await clock.advance(20_000);
  heartbeat('alive', { headroom: 3, public_url: 'wss://alive.example' });
  // One heartbeat may be late.
  expect(registry.headroom()).toBe(12);
  expect(registry.assign('c1')).toBe('wss://killed.example');
  registry.release('c1');
  expect(registry.state()).toEqual({ live: 2, silent: 0, headroom: 12 });
  await clock.advance(5_000);
  expect(registry.state()).toEqual({ live: 1, silent: 1, headroom: 3 });
  expect(registry.headroom()).toBe(3);
  expect(registry.assign('c2')).toBe('wss://alive.example');
  registry.release('c2');
  // Its calls may be alive: a stream that comes back is sent to it until it is lost.
  expect(registry.addressOf('killed')).toBe('wss://killed.example');
  heartbeat('killed', { headroom: 9, public_url: 'wss://killed.example' });
  expect(registry.assign('c3')).toBe('wss://killed.example');
});

it('uses the last heartbeats when all engines are silent at once', async () => {
  const { clock, registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 2, public_url: 'wss://a.example' });
  heartbeat('b', { headroom: 5, public_url: 'wss://b.example' });
  await clock.advance(30_000);
  expect(registry.headroom()).toBe(7);
  expect(registry.assign('c1')).toBe('wss://b.example');
  heartbeat('a', { headroom: 2, public_url: 'wss://a.example' });
  expect(registry.assign('c1')).toBe('wss://a.example');
});

it('ignores invalid addresses, and takes an engine without headroom in its heartbeat as unlimited', () => {
  const { registry, heartbeat } = createRegistry();
  const said = ['https://x.example', 'x', 'wss://x.example/?a=b', `wss://${'x'.repeat(300)}.example`];
  for (const [index, public_url] of said.entries()) {
    heartbeat(`e${index}`, { headroom: 10, public_url });
    expect(registry.addressOf(`e${index}`)).toBe(COMMON);
  }
  expect(registry.headroom()).toBe(40);
  heartbeat('old');
  expect(registry.headroom()).toBe(Number.POSITIVE_INFINITY);
});

it('makes stream URLs for the engine with the most headroom, and for the one that holds the call', () => {
  const { clock, registry: engines, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 1, public_url: 'wss://a.example' });
  heartbeat('b', { headroom: 9, public_url: 'wss://b.example/media' });
  const addresses = carrierUrls('https://api.example', COMMON);
  const streamUrl = createStreamUrls({ clock, addresses, engines, mediaTokenSecret: 'a secret of the tests' });
  expect(streamUrl('twilio', 'c1')).toMatch(/^wss:\/\/b\.example\/media\/carrier\/twilio\/c1\./);
  expect(streamUrl('twilio', 'c1', 'a')).toMatch(/^wss:\/\/a\.example\/carrier\/twilio\/c1\./);
  expect(streamUrl('twilio', 'c1', 'gone')).toMatch(/^wss:\/\/media\.example\/carrier\/twilio\/c1\./);
});

it('decodes the address from the bus', () => {
  const heartbeat = { engine_id: 'e', at_ms: 1, call_ids: ['c'], headroom: 0, public_url: 'wss://e.example' };
  expect(heartbeatCodec.decode(heartbeatCodec.encode(heartbeat))).toEqual(heartbeat);
  const { public_url, ...plain } = heartbeat;
  expect(heartbeatCodec.decode(heartbeatCodec.encode(plain))).toEqual(plain);
});

it('frees the assignment of a call that ended before a heartbeat listed it', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 1 });
  registry.assign('short');
  expect(registry.headroom()).toBe(0);
  registry.release('short');
  expect(registry.headroom()).toBe(1);
});
