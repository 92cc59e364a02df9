import { beforeEach, describe, expect, test } from 'vitest';
import {
  BrowserCall,
  FIRST_AUDIO_TIMEOUT_MS,
  type PageSocket,
  RECONNECT_WINDOW_MS,
  SILENCE_TIMEOUT_MS,
} from '../../../media/leg/browser-call.ts';
import type { LegListener } from '../../../media/leg/leg.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { MAX_MESSAGES_PER_SECOND, type ToBrowser } from '../../../shared/web-signalling.ts';
import {
  createFakeBrowserConnection,
  createFakeOpusCodec,
  type FakeBrowserConnection,
  fakeRtpPacket,
} from '../../support/fake-browser.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

interface Page extends PageSocket {
  got: ToBrowser[];
  closedWith: number | null;
}

let clock: VirtualClock;
let connection: FakeBrowserConnection;
let call: BrowserCall;
let page: Page;
let starts: number;
let closes: number;
let events: string[];

const listener: LegListener = {
  audio() {},
  mark() {},
  digit: (digit) => events.push(`digit ${digit}`),
  toolResult: ({ id, result, failed }) => events.push(`${id}: ${result} ${failed}`),
  stalled: () => events.push('stalled'),
  ended(cause, detail) {
    events.push(`${cause}: ${detail}`);
    // The engine closes its call and hangs up with the reason.
    call.leg.hangUp(cause === 'media failed' ? 'error: browser media' : 'caller hung up');
  },
};

function newPage(): Page {
  const opened: Page = {
    got: [],
    closedWith: null,
    send: (text) => opened.got.push(JSON.parse(text)),
    close(code) {
      opened.closedWith ??= code;
    },
  };
  return opened;
}

beforeEach(() => {
  clock = createVirtualClock();
  connection = createFakeBrowserConnection();
  events = [];
  starts = 0;
  closes = 0;
  call = new BrowserCall({
    callId: newId(),
    connection,
    codec: createFakeOpusCodec(),
    clock,
    log: createLogger('test', 'silent'),
    onStart(leg) {
      starts++;
      leg.listen(listener);
    },
    onClosed: () => closes++,
  });
  page = newPage();
  call.attach(page);
});

async function say(message: Record<string, unknown> | string, from: Page = page): Promise<ToBrowser | undefined> {
  call.message(from, typeof message === 'string' ? message : JSON.stringify({ id: 1, ...message }));
  await clock.advance(0);
  return from.got.at(-1);
}

/** The page's part up to the first audio. */
async function begin(): Promise<void> {
  await say({ type: 'connect', direction: 'send', dtls_parameters: {} });
  await say({ type: 'connect', direction: 'receive', dtls_parameters: {} });
  await say({ type: 'send', rtp_parameters: {} });
  await say({ type: 'receive', rtp_capabilities: {} });
  await say({ type: 'play' });
  connection.receivePacket(fakeRtpPacket(0));
}

/** Time passes, with a packet of the browser's every second. */
async function talk(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await clock.advance(1_000);
    connection.receivePacket(fakeRtpPacket(i));
  }
}

describe('signalling', () => {
  test('starts with the transport parameters, and the call with its first audio', async () => {
    expect(page.got).toEqual([
      {
        type: 'ready',
        call_id: call.callId,
        resumed: false,
        rtp_capabilities: { codecs: [] },
        send: connection.send,
        receive: connection.receive,
      },
    ]);
    expect(await say({ type: 'send', rtp_parameters: {} })).toEqual({
      type: 'response',
      id: 1,
      data: { producer_id: 'p' },
    });
    expect(await say({ type: 'receive', rtp_capabilities: {}, id: 5 })).toMatchObject({
      id: 5,
      data: { consumer_id: 'c' },
    });
    connection.receivePacket(fakeRtpPacket(0));
    expect(starts).toBe(0);
    await say({ type: 'play' });
    expect(starts).toBe(1);
    connection.receivePacket(fakeRtpPacket(1));
    expect(starts).toBe(1);
    expect(connection.requests).toEqual(['send', 'receive', 'play']);
  });

  test('a ping is answered, before the call starts too', async () => {
    expect(await say({ type: 'ping', id: 7 })).toEqual({ type: 'response', id: 7, data: {} });
    expect(starts).toBe(0);
  });

  test('digits, mute and the live transcript', async () => {
    await begin();
    await say({ type: 'digit', digit: '#' });
    expect(events).toEqual(['digit #']);
    await say({ type: 'mute', muted: true });
    expect(call.leg.muted).toBe(true);
    call.leg.transcript({ role: 'agent', text: 'hello', final: true, interrupted: false, at_ms: 5 });
    expect(page.got.at(-1)).toEqual({
      type: 'transcript',
      role: 'agent',
      text: 'hello',
      final: true,
      interrupted: false,
      at_ms: 5,
    });
  });

  test.each([
    ['no JSON', '{', null],
    ['no object', '7', null],
    ['an unknown type', '{"type":"dance","id":3}', 3],
    ['no id', '{"type":"play"}', null],
    ['an id that is none', '{"type":"play","id":1.5}', null],
    ['a wrong direction', '{"type":"connect","id":4,"direction":"up","dtls_parameters":{}}', 4],
    ['a digit that is none', '{"type":"digit","id":4,"digit":"55"}', 4],
  ])('%s is refused, and the call goes on', async (_name, text, id) => {
    expect(await say(text)).toEqual({ type: 'error', id, message: expect.any(String) });
    await begin();
    expect(starts).toBe(1);
  });

  test('what mediasoup does not accept is answered with an error for its id', async () => {
    connection.refuses = true;
    expect(await say({ type: 'send', rtp_parameters: { codecs: 'x' }, id: 9 })).toEqual({
      type: 'error',
      id: 9,
      message: 'that makes no sense',
    });
  });

  test('too many messages within a second end the call', async () => {
    await begin();
    await clock.advance(1_000);
    for (let i = 0; i <= MAX_MESSAGES_PER_SECOND; i++) call.message(page, '{"type":"mute","id":1,"muted":false}');
    expect(events).toEqual(['protocol error: too many messages']);
    expect(closes).toBe(1);
  });
});

describe('timeouts', () => {
  test('no audio in the first 30 s: the call is canceled before it starts', async () => {
    await say({ type: 'play' });
    await clock.advance(FIRST_AUDIO_TIMEOUT_MS + 1_000);
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'canceled' });
    expect(page.closedWith).toBe(1000);
    expect({ starts, closes, closed: connection.closed }).toEqual({ starts: 0, closes: 1, closed: true });
    expect(clock.pending()).toBe(0);
  });

  test('no packet for 30 s ends the call, unless the microphone is muted', async () => {
    await begin();
    await say({ type: 'mute', muted: true });
    await clock.advance(SILENCE_TIMEOUT_MS + 5_000);
    expect(events).toEqual([]);
    connection.receivePacket(fakeRtpPacket(1));
    await say({ type: 'mute', muted: false });
    await clock.advance(SILENCE_TIMEOUT_MS + 1_000);
    expect(events).toEqual(['hung up: no sound from the browser']);
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'caller hung up' });
  });

  test('a page without a socket has 15 s to reconnect', async () => {
    await begin();
    call.detach(page);
    expect(call.awaitsReconnect).toBe(true);
    await talk(RECONNECT_WINDOW_MS / 1_000 - 2);
    expect(events).toEqual([]);
    await talk(3);
    expect(events).toEqual(['hung up: the page did not come back']);
    expect(closes).toBe(1);
    expect(call.awaitsReconnect).toBe(false);
  });

  test('a page that reconnects resumes the call with the present ICE parameters', async () => {
    await begin();
    expect(await say({ type: 'restart_ice', direction: 'send' })).toMatchObject({
      data: { ice_parameters: { usernameFragment: 'send1' } },
    });
    call.detach(page);
    await talk(10);
    const next = newPage();
    call.attach(next);
    expect(next.got[0]).toMatchObject({
      type: 'ready',
      resumed: true,
      send: { id: 's', ice_parameters: { usernameFragment: 'send1' } },
      receive: connection.receive,
    });
    await talk(30);
    expect(events).toEqual([]);
    // Messages and the close of the old socket are ignored.
    call.message(page, '{"type":"hang_up","id":1}');
    call.detach(page);
    await talk(20);
    expect(events).toEqual([]);
  });

  test('an open socket is replaced only when there is no audio either', async () => {
    await begin();
    expect(call.awaitsReconnect).toBe(false);
    await clock.advance(2_500);
    expect(call.awaitsReconnect).toBe(true);
    const next = newPage();
    call.attach(next);
    expect(page.closedWith).toBe(4000);
    expect(page.got.at(-1)?.type).not.toBe('ended');
  });

  test('a hang-up is answered, and then ends the call at once', async () => {
    await begin();
    await say({ type: 'hang_up', id: 8 });
    expect(page.got.slice(-2)).toEqual([
      { type: 'response', id: 8, data: {} },
      { type: 'ended', reason: 'caller hung up' },
    ]);
    expect(events).toEqual(['hung up: caller hung up']);
  });
});

describe('failures', () => {
  test('the media process dies: the call ends with that reason', async () => {
    await begin();
    connection.die();
    expect(events).toEqual(['media failed: error: browser media']);
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'error: browser media' });
  });

  test('and a page whose call has not started gets the reason as well', () => {
    connection.die();
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'error: browser media' });
    expect(closes).toBe(1);
  });

  test('the engine rejects the call', async () => {
    await begin();
    call.leg.hangUp();
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'the call could not be taken' });
    expect(events).toEqual([]);
    await clock.advance(60_000);
    expect(closes).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  test('the network quality is read every five seconds', async () => {
    await begin();
    await talk(6);
    expect(call.leg.roundTripMs).toBe(40);
  });
});

describe('a tool that the page runs', () => {
  const TOOL = { id: 'tool-1', name: 'show_slots', arguments: { day: 'monday' }, timeoutMs: 5_000 };
  const sent = (timeout_ms: number) => {
    return { type: 'tool_call', tool_call_id: 'tool-1', name: 'show_slots', arguments: { day: 'monday' }, timeout_ms };
  };
  const result = { type: 'tool_result', tool_call_id: 'tool-1', result: 'done' };
  beforeEach(async () => {
    await begin();
    call.leg.callTool(TOOL);
  });

  test('is answered once', async () => {
    expect(page.got.at(-1)).toEqual(sent(5_000));
    await say(result);
    await say(result);
    expect(events).toEqual(['tool-1: done false']);
  });

  test('comes again with the time that is left when the page reconnects', async () => {
    call.detach(page);
    await clock.advance(1_000);
    page = newPage();
    call.attach(page);
    expect(page.got.at(-1)).toEqual(sent(4_000));
    await say({ ...result, failed: true });
    expect(events).toEqual(['tool-1: done true']);
  });

  test('does not come again when its time is over', async () => {
    call.detach(page);
    await clock.advance(6_000);
    page = newPage();
    call.attach(page);
    expect(page.got.map(({ type }) => type)).toEqual(['ready']);
  });

  test('has an answer of bounded length', async () => {
    expect(await say({ ...result, result: 'x'.repeat(10_001) })).toMatchObject({ type: 'error' });
    expect(events).toEqual([]);
  });
});

test('a page that only listens starts without audio of its own, sends none, and is not missed', async () => {
  const own = { page: newPage(), starts: 0, closes: 0 };
  const listening = new BrowserCall({
    ...{ callId: newId(), connection: createFakeBrowserConnection(), codec: createFakeOpusCodec(), clock },
    log: createLogger('test', 'silent'),
    listensOnly: true,
    onStart: () => own.starts++,
    onClosed: () => own.closes++,
  });
  listening.attach(own.page);
  listening.message(own.page, JSON.stringify({ type: 'send', id: 1, rtp_parameters: {} }));
  listening.message(own.page, JSON.stringify({ type: 'play', id: 2 }));
  await clock.advance(SILENCE_TIMEOUT_MS + 5_000);
  expect(own.page.got).toContainEqual({ type: 'error', id: 1, message: 'this stream only listens' });
  expect([own.starts, own.closes]).toEqual([1, 0]);
  listening.leg.hangUp('over');
});
