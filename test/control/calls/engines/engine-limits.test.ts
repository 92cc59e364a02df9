import { expect, it } from 'vitest';
import { createEngineRegistry } from '../../../../control/calls/engines/engine-registry.ts';
import type { Heartbeat } from '../../../../shared/bus/messages.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const COMMON = 'wss://media.example';

function createRegistry() {
  const clock = createVirtualClock();
  const registry = createEngineRegistry(COMMON, clock);
  const heartbeat = (engine_id: string, more: Partial<Heartbeat> = {}) =>
    registry.recordHeartbeat({ engine_id, at_ms: clock.wall(), call_ids: [], ...more });
  return { clock, registry, heartbeat };
}

it.each([
  ['ws://a.example', 'ws://a.example'],
  ['wss://a.example//', 'wss://a.example'],
  ['wss://a.example/#b', COMMON],
  [`wss://${'x'.repeat(286)}.example`, `wss://${'x'.repeat(286)}.example`],
  [`wss://${'x'.repeat(287)}.example`, COMMON],
])('the address %s of an engine is %s', (public_url, address) => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { public_url });
  expect(registry.addressOf('a')).toBe(address);
});

it('an engine is silent after 25 seconds and lost after 45, exactly', async () => {
  const { clock, registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 1 });
  await clock.advance(24_999);
  expect(registry.state()).toEqual({ live: 1, silent: 0, headroom: 1 });
  await clock.advance(1);
  expect(registry.state()).toEqual({ live: 0, silent: 1, headroom: 0 });
  await clock.advance(19_999);
  expect(registry.state().silent).toBe(1);
  await clock.advance(1);
  expect(registry.state().silent).toBe(0);
});

it('an assignment lasts 15 seconds, and a second one begins anew', async () => {
  const { clock, registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 3 });
  registry.assign('c1');
  await clock.advance(10_000);
  registry.assign('c2');
  registry.assign('c1');
  await clock.advance(14_999);
  expect(registry.headroom()).toBe(1);
  await clock.advance(1);
  expect(registry.headroom()).toBe(3);
});

it('a full engine gets a call where all are full, and the common address one where no engine is known', () => {
  const { registry, heartbeat } = createRegistry();
  heartbeat('a', { headroom: 0, public_url: 'wss://a.example' });
  expect(registry.assign('c1')).toBe('wss://a.example');
  heartbeat('b', { headroom: 1, public_url: 'wss://b.example' });
  expect(registry.assign('c2')).toBe('wss://b.example');
});

it('ten thousand engines are remembered, the latest', () => {
  const { registry, heartbeat } = createRegistry();
  for (let at = 0; at <= 10_000; at++) heartbeat(`e${at}`, { headroom: 1, public_url: `wss://e${at}.example` });
  expect(registry.addressOf('e0')).toBe(COMMON);
  expect(registry.addressOf('e1')).toBe('wss://e1.example');
  expect(registry.state().live).toBe(10_000);
});
