import { describe, expect, it } from 'vitest';
import { PCM_8K, PCM_16K } from '../../../../media/audio/format.ts';
import { CarrierLeg, type LegSocket } from '../../../../media/leg/carrier-leg.ts';
import type { CarrierMessage } from '../../../../media/leg/carrier-protocol.ts';
import { vonageProtocol } from '../../../../media/leg/protocols/vonage.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const UUID = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab';
const START = {
  event: 'websocket:connected',
  'content-type': 'audio/l16;rate=8000',
  call_uuid: UUID,
  ref: 'c_1',
};
const decode = (message: unknown) =>
  vonageProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));

describe('messages from Vonage', () => {
  it('the first message names the call and the format', () => {
    expect(decode(START)).toEqual({
      type: 'start',
      streamId: UUID,
      providerCallId: UUID,
      format: PCM_8K,
      parameters: { ref: 'c_1' },
    });
    expect(decode({ ...START, 'content-type': 'audio/l16; rate=8000' })).toMatchObject({ type: 'start' });
  });

  it.each([
    { ...START, call_uuid: undefined },
    { ...START, call_uuid: 'a b' },
  ])('%j cannot be taken', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid' });
  });

  it.each([
    ['audio/l16;rate=24000', 'audio/l16;rate=24000'],
    ['audio/l16', 'audio/l16'],
    [undefined, 'an unnamed codec'],
  ])('a first message with the content type %j is unsupported', (contentType, format) => {
    expect(decode({ ...START, 'content-type': contentType })).toEqual({
      type: 'unsupported',
      providerCallId: UUID,
      format,
      remedy: 'set content-type to audio/l16;rate=8000 or 16000',
    });
  });

  it('takes 16 kHz, in frames of 640 bytes', () => {
    expect(decode({ ...START, 'content-type': 'audio/l16;rate=16000' })).toMatchObject({ format: PCM_16K });
    const meaning = (length: number) => vonageProtocol.decodeBinary!(new Uint8Array(length), PCM_16K).type;
    expect([meaning(640), meaning(320)]).toEqual(['audio', 'invalid']);
  });

  it('audio is binary, 20 ms per message, and comes in order', () => {
    const bytes = new Uint8Array(320).fill(7);
    expect(vonageProtocol.decodeBinary!(bytes, PCM_8K)).toEqual({ type: 'audio', sequence: null, payload: bytes });
    for (const length of [0, 160, 319, 321, 640]) {
      expect(vonageProtocol.decodeBinary!(new Uint8Array(length), PCM_8K)).toMatchObject({ type: 'invalid' });
    }
  });

  it.each<[object, CarrierMessage]>([
    [
      { event: 'websocket:notify', payload: { mark: 'turn 3' } },
      { type: 'mark', name: 'turn 3' },
    ],
    [{ event: 'websocket:notify', payload: { other: 1 } }, { type: 'ignored' }],
    [{ event: 'websocket:notify' }, { type: 'ignored' }],
    [{ event: 'websocket:cleared' }, { type: 'ignored' }],
    [
      { event: 'websocket:dtmf', digit: '5', duration: 260 },
      { type: 'digit', digit: '5' },
    ],
    [
      { event: 'websocket:dtmf', dtmf: { digit: '*' } },
      { type: 'digit', digit: '*' },
    ],
    [{ event: 'websocket:media:update' }, { type: 'ignored' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    'nonsense',
    '[]',
    '{}',
    { event: 5 },
    { event: 'websocket:dtmf' },
    { event: 'websocket:dtmf', digit: '12' },
  ])('%j is invalid and nothing is thrown', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.stringMatching(/./) });
  });
});

describe('messages to Vonage', () => {
  it('audio as it is, the rest as actions', () => {
    const frame = new Uint8Array(320).fill(3);
    expect(vonageProtocol.audio('s', frame, PCM_8K, 1)).toEqual(frame);
    expect(JSON.parse(vonageProtocol.mark('s', 'turn "3"'))).toEqual({
      action: 'notify',
      payload: { mark: 'turn "3"' },
    });
    expect(JSON.parse(vonageProtocol.clear('s'))).toEqual({ action: 'clear' });
  });
});

describe('a leg over Vonage', () => {
  function open() {
    const clock = createVirtualClock();
    const sent: (string | Uint8Array)[] = [];
    const ends: string[] = [];
    const received: number[] = [];
    const socket: LegSocket = {
      send(message) {
        sent.push(typeof message === 'string' ? message : message.slice());
        return 'sent';
      },
      close: () => {},
    };
    const start = decode(START) as Extract<CarrierMessage, { type: 'start' }>;
    const leg = new CarrierLeg({ protocol: vonageProtocol, start, socket, clock });
    leg.listen({
      audio: (frame) => received.push(frame[0]!),
      mark: () => {},
      digit: () => {},
      ended: (cause) => ends.push(cause),
    });
    return { clock, sent, ends, received, leg };
  }

  it('sends every frame as one binary message of 320 bytes and receives them in order', () => {
    const { clock, sent, received, leg } = open();
    for (const value of [1, 2, 3]) {
      leg.receiveBinary(new Uint8Array(320).fill(value), clock.now());
      leg.play(new Uint8Array(320).fill(value));
    }
    expect(received).toEqual([1, 2, 3]);
    expect(sent.map((message) => message.length)).toEqual([320, 320, 320]);
  });

  it('a close ends the call, a broken connection does not', () => {
    const over = open();
    over.leg.closed(1000);
    expect([over.ends, over.leg.resumable]).toEqual([['hung up'], false]);
    const broken = open();
    broken.leg.closed(1006);
    expect(broken.leg.resumable).toBe(true);
  });
});
