import { expect, it } from 'vitest';
import { createEngineRegistry } from '../../../../control/calls/engines/engine-registry.ts';
import { createStreamUrls } from '../../../../control/calls/engines/stream-urls.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import type { Heartbeat } from '../../../../shared/bus/messages.ts';
import { heartbeatCodec } from '../../../../shared/bus/messages.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const COMMON = 'wss://media.example';

function boardOf() {
  const clock = createVirtualClock();
  const board = createEngineRegistry(`${COMMON}/`, clock);
  const beat = (engine_id: string, more: Partial<Heartbeat> = {}) =>
    board.recordHeartbeat({ engine_id, at_ms: clock.wall(), call_ids: [], ...more });
  return { clock, board, beat };
}

it('knows of no limit and no address while no engine was heard', () => {
  const { board } = boardOf();
  expect(board.headroom()).toBe(Number.POSITIVE_INFINITY);
  expect(board.assign('c1')).toBe(COMMON);
  expect(board.headroom(['c2'])).toBe(Number.POSITIVE_INFINITY);
  expect(board.addressOf('who')).toBe(COMMON);
});

it('gives the engine with the most room, less what it gave since', () => {
  const { board, beat } = boardOf();
  beat('a', { headroom: 5, public_url: 'wss://a.example/' });
  beat('b', { headroom: 3, public_url: 'wss://b.example' });
  const ids = Array.from({ length: 8 }, (_, index) => `c${index}`);
  const given = new Map(ids.map((id) => [id, board.assign(id)]));
  expect([given.get('c0'), given.get('c1')]).toEqual(['wss://a.example', 'wss://a.example']);
  const atA = ids.filter((id) => given.get(id) === 'wss://a.example');
  expect(atA).toHaveLength(5);
  expect(board.headroom()).toBe(0);
  beat('a', { headroom: 2, public_url: 'wss://a.example/', call_ids: atA });
  // The three at b are still on their way.
  expect(board.headroom()).toBe(2);
  expect(board.assign('c9')).toBe('wss://a.example');
  expect(board.addressOf('b')).toBe('wss://b.example');
});

it('sums the rooms of processes behind one address', () => {
  const { board, beat } = boardOf();
  beat('p1', { headroom: 3 });
  beat('p2', { headroom: 4 });
  beat('own', { headroom: 5, public_url: 'wss://own.example' });
  expect(board.headroom()).toBe(12);
  expect([board.assign('c1'), board.assign('c2')]).toEqual([COMMON, COMMON]);
  // 5 and 5: whichever; then the other.
  expect(new Set([board.assign('c3'), board.assign('c4')])).toEqual(new Set([COMMON, 'wss://own.example']));
});

it('counts a call once, however often it is asked for and whoever waits for it', () => {
  const { board, beat } = boardOf();
  beat('a', { headroom: 2 });
  board.assign('c1');
  board.assign('c1');
  expect(board.headroom()).toBe(1);
  expect(board.headroom(['c1'])).toBe(1);
  expect(board.headroom(['c1', 'c2', 'c2'])).toBe(0);
  expect(board.headroom(['c1', 'c2', 'c3'])).toBeLessThan(1);
});

it('forgets engines that fell silent, and streams that did not come', async () => {
  const { clock, board, beat } = boardOf();
  beat('a', { headroom: 0, public_url: 'wss://a.example' });
  expect(board.headroom()).toBe(0);
  expect(board.assign('c1')).toBe('wss://a.example');
  await clock.advance(30_000);
  beat('b', { headroom: 1, public_url: 'wss://b.example' });
  expect(board.headroom()).toBe(1);
  await clock.advance(15_000);
  expect(board.addressOf('a')).toBe(COMMON);
  expect(board.assign('c2')).toBe('wss://b.example');
  expect(board.headroom()).toBe(0);
  await clock.advance(15_000);
  expect(board.headroom()).toBe(1);
  await clock.advance(15_000);
  expect(board.headroom()).toBe(Number.POSITIVE_INFINITY);
});

it('places nothing more at an engine that missed two heartbeats, as long as another one is heard', async () => {
  const { clock, board, beat } = boardOf();
  beat('killed', { headroom: 9, public_url: 'wss://killed.example' });
  beat('alive', { headroom: 3, public_url: 'wss://alive.example' });
  await clock.advance(20_000);
  beat('alive', { headroom: 3, public_url: 'wss://alive.example' });
  // One heartbeat may be late.
  expect(board.headroom()).toBe(12);
  expect(board.assign('c1')).toBe('wss://killed.example');
  board.release('c1');
  expect(board.state()).toEqual({ heard: 2, silent: 0, room: 12 });
  await clock.advance(5_000);
  expect(board.state()).toEqual({ heard: 1, silent: 1, room: 3 });
  expect(board.headroom()).toBe(3);
  expect(board.assign('c2')).toBe('wss://alive.example');
  board.release('c2');
  // Its calls may be alive: a stream that comes back is sent to it until it is lost.
  expect(board.addressOf('killed')).toBe('wss://killed.example');
  beat('killed', { headroom: 9, public_url: 'wss://killed.example' });
  expect(board.assign('c3')).toBe('wss://killed.example');
});

it('goes by what was said last when all fell silent at once: then it is more likely we who do not hear', async () => {
  const { clock, board, beat } = boardOf();
  beat('a', { headroom: 2, public_url: 'wss://a.example' });
  beat('b', { headroom: 5, public_url: 'wss://b.example' });
  await clock.advance(30_000);
  expect(board.headroom()).toBe(7);
  expect(board.assign('c1')).toBe('wss://b.example');
  beat('a', { headroom: 2, public_url: 'wss://a.example' });
  expect(board.assign('c1')).toBe('wss://a.example');
});

it('believes no address that is none, and takes an engine that does not count for a roomy one', () => {
  const { board, beat } = boardOf();
  const said = ['https://x.example', 'x', 'wss://x.example/?a=b', `wss://${'x'.repeat(300)}.example`];
  for (const [index, public_url] of said.entries()) {
    beat(`e${index}`, { headroom: 10, public_url });
    expect(board.addressOf(`e${index}`)).toBe(COMMON);
  }
  expect(board.headroom()).toBe(40);
  beat('old');
  expect(board.headroom()).toBe(Number.POSITIVE_INFINITY);
});

it('makes streams for the roomiest engine, and for the one that holds the call already', () => {
  const { clock, board: engines, beat } = boardOf();
  beat('a', { headroom: 1, public_url: 'wss://a.example' });
  beat('b', { headroom: 9, public_url: 'wss://b.example/media' });
  const addresses = carrierUrls('https://api.example', COMMON);
  const streamUrl = createStreamUrls({ clock, addresses, engines, mediaTokenSecret: 'a secret of the tests' });
  expect(streamUrl('twilio', 'c1')).toMatch(/^wss:\/\/b\.example\/media\/carrier\/twilio\/c1\./);
  expect(streamUrl('twilio', 'c1', 'a')).toMatch(/^wss:\/\/a\.example\/carrier\/twilio\/c1\./);
  expect(streamUrl('twilio', 'c1', 'gone')).toMatch(/^wss:\/\/media\.example\/carrier\/twilio\/c1\./);
});

it('reads the address from the bus as it was sent', () => {
  const beat = { engine_id: 'e', at_ms: 1, call_ids: ['c'], room: 0, public_url: 'wss://e.example' };
  expect(heartbeatCodec.decode(heartbeatCodec.encode(beat))).toEqual(beat);
  const { public_url, ...plain } = beat;
  expect(heartbeatCodec.decode(heartbeatCodec.encode(plain))).toEqual(plain);
});

it('has the place of a call back that was over before any heartbeat named it', () => {
  const { board, beat } = boardOf();
  beat('a', { headroom: 1 });
  board.assign('short');
  expect(board.headroom()).toBe(0);
  board.release('short');
  expect(board.headroom()).toBe(1);
});
