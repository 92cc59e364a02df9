import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K, PCM_8K } from '../../../media/audio/format.ts';
import { CarrierLeg, type LegSocket } from '../../../media/leg/carrier-leg.ts';
import { plivoProtocol } from '../../../media/leg/protocols/plivo.ts';
import { twilioProtocol } from '../../../media/leg/protocols/twilio.ts';
import { RESUME_WITHIN_MS, ResumableLeg } from '../../../media/leg/resumable-leg.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let events: string[];
let closes: number;

beforeEach(() => {
  clock = createVirtualClock();
  events = [];
  closes = 0;
});

function stream(protocol = twilioProtocol, format = MULAW_8K): CarrierLeg {
  const socket: LegSocket = { send: () => 'sent', close: () => void closes++ };
  const start = { type: 'start', streamId: 'MZ1', providerCallId: 'CA1', format, parameters: {} } as const;
  return new CarrierLeg({ protocol, start, socket, clock });
}

function listening(first: CarrierLeg): ResumableLeg {
  const leg = new ResumableLeg(first, clock);
  leg.listen({
    audio: (frame) => events.push(`audio ${frame[0]}`),
    stalled: () => events.push('stalled'),
    mark: (name) => events.push(name),
    pong: () => events.push('pong'),
    digit: (digit) => events.push(digit),
    ended: (cause) => events.push(cause),
  });
  return leg;
}

const speak = (leg: CarrierLeg, sequence: number) =>
  leg.handle({ type: 'audio', sequence, payload: new Uint8Array(160).fill(sequence) }, clock.now());

test('a call resumes on the next stream after the first one broke', () => {
  const first = stream();
  const leg = listening(first);
  speak(first, 1);
  first.closed(1006);
  expect(leg.awaitsStream).toBe(true);
  expect(leg.play(new Uint8Array(160))).toBe(false);
  const second = stream();
  speak(second, 1);
  expect(leg.resume(second)).toBe(true);
  speak(second, 2);
  expect(events).toEqual(['audio 1', 'stalled', 'audio 1', 'audio 2']);
  expect(leg.play(new Uint8Array(160))).toBe(true);
  expect(leg.awaitsStream).toBe(false);
});

test('without another stream it ends with the cause of the first one, after a while', async () => {
  const first = stream();
  listening(first);
  first.closed(1006);
  await clock.advance(RESUME_WITHIN_MS - 1);
  expect(events).toEqual(['stalled']);
  await clock.advance(1);
  expect(events).toEqual(['stalled', 'lost']);
});

test.each([
  ['the carrier says stop', (leg: CarrierLeg) => leg.handle({ type: 'stop' }, 0), twilioProtocol],
  ['it closes with a end where that means hanging up', (leg: CarrierLeg) => leg.closed(1000), plivoProtocol],
])('a call is over at once when %s', (_, end, protocol) => {
  const first = stream(protocol);
  const leg = listening(first);
  end(first);
  expect(events).toEqual(['hung up']);
  expect(leg.resume(stream(protocol))).toBe(false);
});

test('a second stream is rejected while the first one is open, and when its audio format differs', () => {
  const first = stream(plivoProtocol);
  const leg = listening(first);
  expect(leg.resume(stream(plivoProtocol))).toBe(false);
  first.closed(1006);
  expect(leg.resume(stream(plivoProtocol, PCM_8K))).toBe(false);
  expect(leg.resume(stream(twilioProtocol))).toBe(false);
  expect(leg.awaitsStream).toBe(true);
});

test('hanging up while a stream is awaited ends the wait without another event', async () => {
  const first = stream();
  const leg = listening(first);
  first.closed(1006);
  leg.hangUp();
  await clock.advance(RESUME_WITHIN_MS * 2);
  expect(events).toEqual(['stalled']);
  expect(clock.pending()).toBe(0);
  expect(leg.resume(stream())).toBe(false);
});
