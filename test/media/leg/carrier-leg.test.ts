import { beforeEach, describe, expect, it } from 'vitest';
import { type AudioFormat, MULAW_8K } from '../../../media/audio/format.ts';
import { CarrierLeg, type LegSocket } from '../../../media/leg/carrier-leg.ts';
import type { CarrierProtocol } from '../../../media/leg/carrier-protocol.ts';
import type { LegListener } from '../../../media/leg/leg.ts';
import { plivoProtocol } from '../../../media/leg/protocols/plivo.ts';
import { twilioProtocol } from '../../../media/leg/protocols/twilio.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let sent: string[];
let closedWith: number[];
let outcome: 'sent' | 'congested' | 'closed';
let pings: string[];
let events: string[];

const ALAW_8K: AudioFormat = { encoding: 'alaw', sample_rate: 8000 };
const FRAME = new Uint8Array(160).fill(0xff);

beforeEach(() => {
  clock = createVirtualClock();
  sent = [];
  closedWith = [];
  outcome = 'sent';
  pings = [];
  events = [];
});

function newLeg(protocol: CarrierProtocol = twilioProtocol): CarrierLeg {
  const socket: LegSocket = {
    send(text, kind) {
      if (kind === 'audio' && outcome !== 'sent') return outcome;
      sent.push(String(text));
      return 'sent';
    },
    ping: (payload) => pings.push(payload),
    close: (code) => closedWith.push(code),
  };
  const start = { type: 'start', streamId: 'MZ1', providerCallId: 'CA1', format: MULAW_8K, parameters: {} } as const;
  return new CarrierLeg({ protocol, start, socket, clock });
}

const listener: LegListener = {
  audio: (frame, atMs) => events.push(`audio ${frame[0]} at ${atMs}`),
  mark: (name) => events.push(`mark ${name}`),
  pong: () => events.push('pong'),
  digit: (digit) => events.push(`digit ${digit}`),
  carrierError: (reason) => events.push(`error: ${reason}`),
  ended: (cause) => events.push(`ended: ${cause}`),
};

function audio(leg: CarrierLeg, sequence: number, value = sequence): void {
  leg.handle({ type: 'audio', sequence, payload: new Uint8Array(160).fill(value) }, clock.now());
}

describe('a carrier leg', () => {
  it('passes on what the carrier reports, also what came before its listener, and is not ended by it', () => {
    const leg = newLeg();
    for (let number = 1; number <= 30; number++) leg.handle({ type: 'error', reason: `e${number}` }, clock.now());
    leg.listen(listener);
    expect(events).toEqual(['error: e1', 'error: e2', 'error: e3', 'error: e4', 'error: e5']);
    leg.handle({ type: 'error', reason: 'e31' }, clock.now());
    expect(events.at(-1)).toBe('error: e31');
    expect([leg.counts.errors, leg.end]).toEqual([31, null]);
  });

  it('that is rejected calls no listener any more', () => {
    const leg = newLeg();
    audio(leg, 1);
    leg.reject('not here');
    leg.listen(listener);
    expect([events, closedWith, leg.end]).toEqual([[], [1008], { cause: 'rejected', detail: 'not here' }]);
  });

  it('delivers audio in order, though it came out of order', () => {
    const leg = newLeg();
    leg.listen(listener);
    for (const sequence of [1, 3, 2, 4]) audio(leg, sequence);
    expect(events).toEqual(['audio 1 at 0', 'audio 2 at 0', 'audio 3 at 0', 'audio 4 at 0']);
  });

  it('does not wait for a lost frame longer than the jitter buffer allows', async () => {
    const leg = newLeg();
    leg.listen(listener);
    audio(leg, 1);
    audio(leg, 3);
    expect(events).toHaveLength(1);
    await clock.advance(80);
    leg.tick(clock.now());
    expect(events).toHaveLength(3);
    expect(leg.stats.concealed).toBe(1);
  });

  it('buffers the last two seconds until it has a listener', () => {
    const leg = newLeg();
    for (let sequence = 1; sequence <= 120; sequence++) audio(leg, sequence);
    leg.handle({ type: 'digit', digit: '5' }, 0);
    expect(events).toEqual([]);
    leg.listen(listener);
    expect(events).toHaveLength(101);
    expect(events[0]).toBe('audio 21 at 0');
    expect(events.at(-1)).toBe('digit 5');
  });

  it('reports marks and digits', () => {
    const leg = newLeg(plivoProtocol);
    leg.listen(listener);
    leg.handle({ type: 'mark', name: 'm' }, 0);
    leg.handle({ type: 'digit', digit: '#' }, 0);
    expect(events).toEqual(['mark m', 'digit #']);
  });

  it("plays, marks and clears in the carrier's protocol", () => {
    const leg = newLeg();
    expect(leg.play(FRAME)).toBe(true);
    leg.mark('m');
    leg.clear();
    expect(sent).toEqual([
      twilioProtocol.audio('MZ1', FRAME, MULAW_8K, 1),
      twilioProtocol.mark('MZ1', 'm'),
      twilioProtocol.clear('MZ1'),
    ]);
  });

  it('accepts a burst after a stalled network, and not more audio than a call can have', async () => {
    const leg = newLeg();
    leg.listen(listener);
    let sequence = 0;
    const say = (frames: number) => {
      for (let i = 0; i < frames; i++) audio(leg, ++sequence, 1);
    };
    say(30_000 / 20);
    await clock.advance(30_000);
    say(40_000 / 20);
    expect(leg.end).toBeNull();
    await clock.advance(1_000);
    say(50);
    expect(leg.end).toBeNull();
    say(2);
    expect(leg.end).toMatchObject({ cause: 'protocol error' });
    expect(events.at(-1)).toBe('ended: protocol error');
    expect(closedWith).toEqual([1002]);
  });

  it('a flood of ignored messages is a protocol error', async () => {
    const leg = newLeg();
    leg.listen(listener);
    for (let i = 0; i < 10_000; i++) leg.receive('{"event":"connected"}', 0);
    expect(leg.end).toBeNull();
    leg.receive('{"event":"connected"}', 0);
    expect(leg.end).toMatchObject({ cause: 'protocol error' });
  });

  it('a stop is a hang-up, reported once as the last event', () => {
    const leg = newLeg();
    leg.listen(listener);
    leg.receive('{"event":"stop"}', 0);
    leg.receive('{"event":"stop"}', 0);
    leg.closed(1000);
    audio(leg, 1);
    leg.tick(60_000);
    expect(events).toEqual(['ended: hung up']);
    expect(closedWith).toEqual([1000]);
    expect(leg.play(FRAME)).toBe(false);
  });

  it('delivers the audio in the jitter buffer before the end', () => {
    const leg = newLeg();
    leg.listen(listener);
    audio(leg, 1);
    audio(leg, 3);
    leg.closed(1006);
    expect(events.at(-1)).toBe('ended: lost');
    expect(events.at(-2)).toBe('audio 3 at 0');
  });

  it.each([
    [twilioProtocol, 'ended: lost'],
    [plivoProtocol, 'ended: hung up'],
  ])("a closing socket has the carrier's meaning", (protocol, end) => {
    const leg = newLeg(protocol);
    leg.listen(listener);
    leg.closed(1005);
    expect(events).toEqual([end]);
    expect(closedWith).toEqual([]);
  });

  it("the server's own reason for closing comes before the carrier's meaning", () => {
    const leg = newLeg(plivoProtocol);
    leg.listen(listener);
    leg.closed(1006, { cause: 'protocol error', detail: 'too large' });
    expect(events).toEqual(['ended: protocol error']);
  });

  it('a socket without audio for ten seconds is lost, whatever else comes', async () => {
    const leg = newLeg();
    leg.listen(listener);
    audio(leg, 1);
    await clock.advance(10_000);
    leg.handle({ type: 'digit', digit: '1' }, clock.now());
    leg.tick(clock.now());
    expect(leg.end).toBeNull();
    await clock.advance(20);
    leg.tick(clock.now());
    expect(events.at(-1)).toBe('ended: lost');
    expect(closedWith).toEqual([1001]);
  });

  it('tolerates twenty invalid messages, not more', () => {
    const leg = newLeg();
    leg.listen(listener);
    for (let count = 0; count < 19; count++) leg.receive('garbage', 0);
    leg.invalid('a binary message');
    expect(leg.end).toBeNull();
    leg.receive('{}', 0);
    expect(events).toEqual(['ended: protocol error']);
    expect(closedWith).toEqual([1002]);
  });

  it('a second start counts as invalid', () => {
    const leg = newLeg();
    const start = { type: 'start', streamId: 'MZ2', providerCallId: 'CA2', format: MULAW_8K, parameters: {} } as const;
    for (let count = 0; count < 21; count++) leg.handle(start, 0);
    expect(leg.end?.cause).toBe('protocol error');
  });

  it('ends congested when the carrier takes no audio for more than three seconds', async () => {
    const leg = newLeg();
    leg.listen(listener);
    outcome = 'congested';
    for (let played = 0; played < 151; played++) {
      expect(leg.play(FRAME)).toBe(false);
      await clock.advance(20);
    }
    expect(leg.end).toBeNull();
    leg.play(FRAME);
    expect(events).toEqual(['ended: congested']);
    expect(closedWith).toEqual([1013]);
  });

  it('a congestion that passed is not counted', async () => {
    const leg = newLeg();
    outcome = 'congested';
    for (let second = 0; second < 4; second++) {
      leg.play(FRAME);
      await clock.advance(2_000);
    }
    outcome = 'sent';
    expect(leg.play(FRAME)).toBe(true);
    expect(leg.end).toBeNull();
  });

  it('a clear gets out through a congested socket', () => {
    const leg = newLeg();
    outcome = 'congested';
    leg.clear();
    expect(sent).toHaveLength(1);
  });

  it('after hanging up it closes the socket once and reports nothing', () => {
    const leg = newLeg();
    leg.listen(listener);
    leg.hangUp();
    leg.hangUp();
    leg.closed(1000);
    audio(leg, 1);
    expect(events).toEqual([]);
    expect(closedWith).toEqual([1000]);
  });

  it('reports its end to a late listener', () => {
    const leg = newLeg();
    audio(leg, 1);
    leg.receive('{"event":"stop"}', 0);
    leg.listen(listener);
    expect(events).toEqual(['audio 1 at 0', 'ended: hung up']);
  });

  it('a listener that hangs up in between gets nothing more', () => {
    const leg = newLeg();
    for (let sequence = 1; sequence <= 5; sequence++) audio(leg, sequence);
    leg.listen({
      ...listener,
      audio(frame, atMs) {
        listener.audio(frame, atMs);
        leg.hangUp();
      },
    });
    expect(events).toEqual(['audio 1 at 0']);
  });
});

describe('a ping', () => {
  async function pass(leg: CarrierLeg, ms: number): Promise<void> {
    // The caller's audio goes on.
    for (let passed = 0; passed < ms; passed += 1_000) {
      leg.receive('{"event":"media","media":{"track":"inbound","chunk":"1","payload":"AAAA"}}', clock.now());
      await clock.advance(1_000);
      leg.tick(clock.now());
    }
  }

  it('is answered once, by its own pong', () => {
    const leg = newLeg();
    leg.listen(listener);
    leg.ping();
    leg.ping();
    leg.pong('', 0);
    leg.pong('0', 0);
    expect([pings, events]).toEqual([['1'], []]);
    leg.pong('1', 0);
    leg.pong('1', 0);
    expect(events).toEqual(['pong']);
  });

  it('that is not answered for five seconds ends a leg whose other end has answered before', async () => {
    const leg = newLeg();
    leg.listen(listener);
    leg.receive('{"event":"mark","mark":{"name":"m"}}', 0);
    leg.ping();
    await pass(leg, 5_000);
    expect(leg.end).toBeNull();
    await pass(leg, 1_000);
    expect(leg.end?.cause).toBe('congested');
  });

  it('counts as answered with a mark, and where nothing is ever answered', async () => {
    const [marks, mute] = [newLeg(), newLeg()];
    for (const leg of [marks, mute]) leg.listen({ ...listener, audio() {} });
    for (const leg of [marks, mute]) leg.ping();
    marks.receive('{"event":"mark","mark":{"name":"m"}}', 0);
    await Promise.all([pass(marks, 7_000), pass(mute, 7_000)]);
    expect([marks.end, mute.end, events]).toEqual([null, null, ['mark m', 'pong']]);
  });

  it('does not count as answered by a stream that sends nothing at all, which is lost after ten seconds', async () => {
    const leg = newLeg();
    leg.listen(listener);
    leg.ping();
    for (let second = 0; second < 11; second++) {
      await clock.advance(1_000);
      leg.tick(clock.now());
    }
    expect(leg.end?.cause).toBe('lost');
    expect(events).not.toContain('pong');
  });

  it('is answered at once where nobody can be asked', () => {
    const start = { type: 'start', streamId: 'MZ1', providerCallId: 'CA1', format: MULAW_8K, parameters: {} } as const;
    const leg = new CarrierLeg({ protocol: twilioProtocol, start, socket: { send: () => 'sent', close() {} }, clock });
    leg.listen(listener);
    leg.ping();
    expect(events).toEqual(['pong']);
  });
});

describe('a carrier that takes packets of three frames', () => {
  const protocol: CarrierProtocol = {
    ...twilioProtocol,
    packetFrames: 3,
    audio: (_id, bytes, _format, number) => `${number}: ${bytes.length} bytes, ends with ${bytes.at(-1)}`,
  };
  const frame = (value: number) => new Uint8Array(160).fill(value);
  const mark = (name: string) => twilioProtocol.mark('MZ1', name);

  it('gets whole packets, and marks after the packet they belong to', () => {
    const leg = newLeg(protocol);
    for (const value of [1, 2]) leg.play(frame(value));
    leg.mark('m');
    expect(sent).toEqual([]);
    leg.play(frame(3));
    expect(sent).toEqual(['1: 480 bytes, ends with 3', mark('m')]);
  });

  it('gets the last packet padded with silence', () => {
    const leg = newLeg(protocol);
    leg.play(frame(1));
    leg.mark('m');
    leg.flush();
    leg.flush();
    expect(sent).toEqual(['1: 480 bytes, ends with 255', mark('m')]);
  });

  it('is not sent an incomplete packet after a clear', () => {
    const leg = newLeg(protocol);
    for (const value of [1, 2]) leg.play(frame(value));
    leg.mark('m');
    leg.clear();
    for (const value of [4, 5, 6]) leg.play(frame(value));
    expect(sent).toEqual([twilioProtocol.clear('MZ1'), '1: 480 bytes, ends with 6']);
  });

  it('gets the last frame again after a congestion', () => {
    const leg = newLeg(protocol);
    for (const value of [1, 2]) leg.play(frame(value));
    outcome = 'congested';
    expect(leg.play(frame(3))).toBe(false);
    outcome = 'sent';
    expect(leg.play(frame(3))).toBe(true);
    expect(sent).toEqual(['1: 480 bytes, ends with 3']);
  });
});

it('the two directions may differ in format, and a rate without frames of 20 ms is rejected', () => {
  const socket: LegSocket = { send: () => 'sent', close() {} };
  const start = { type: 'start', streamId: 'MZ1', providerCallId: 'CA1', parameters: {} } as const;
  const leg = new CarrierLeg({
    protocol: twilioProtocol,
    start: { ...start, format: ALAW_8K, agentFormat: MULAW_8K },
    socket,
    clock,
  });
  expect([leg.callerFormat, leg.format]).toEqual([ALAW_8K, MULAW_8K]);
  expect(
    () =>
      new CarrierLeg({
        protocol: twilioProtocol,
        start: { ...start, format: { encoding: 'pcm16', sample_rate: 11_025 } },
        socket,
        clock,
      }),
  ).toThrow(RangeError);
});
