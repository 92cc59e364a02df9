import { describe, expect, it } from 'vitest';
import { MULAW_8K } from '../../../../media/audio/format.ts';
import { CarrierLeg, type LegSocket } from '../../../../media/leg/carrier-leg.ts';
import type { CarrierMessage } from '../../../../media/leg/carrier-protocol.ts';
import type { LegListener } from '../../../../media/leg/leg.ts';
import { telnyxProtocol } from '../../../../media/leg/protocols/telnyx.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const START = {
  event: 'start',
  sequence_number: '1',
  stream_id: '32de0dea-53cb',
  start: {
    user_id: '3e6f995f',
    call_control_id: 'v3:T02llQx_I-yaR',
    call_session_id: 'ff55a038',
    from: '+13122010094',
    to: '+13122123456',
    tags: [],
    custom_parameters: { ref: 'c_1' },
    media_format: { encoding: 'PCMA', sample_rate: 8000, channels: 1 },
  },
};
const decode = (message: unknown) =>
  telnyxProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));
const media = (fields: object) => ({
  event: 'media',
  sequence_number: '4',
  stream_id: '32de0dea-53cb',
  media: { track: 'inbound', chunk: '2', timestamp: '5', payload: '/38A', ...fields },
});
const started = (media_format: unknown) => decode({ ...START, start: { ...START.start, media_format } });

describe('messages from Telnyx', () => {
  it("a start names stream, call, the caller's format and the agent's", () => {
    expect(decode(START)).toEqual({
      type: 'start',
      streamId: '32de0dea-53cb',
      providerCallId: 'v3:T02llQx_I-yaR',
      format: { encoding: 'alaw', sample_rate: 8000 },
      agentFormat: MULAW_8K,
      parameters: { ref: 'c_1' },
    });
    expect(started({ encoding: 'PCMU', sample_rate: 8000 })).toMatchObject({ format: MULAW_8K });
  });

  it('parameters may be a list', () => {
    const custom_parameters = [{ name: 'a', value: '1' }, { name: 'b' }, null];
    expect(decode({ ...START, start: { ...START.start, custom_parameters } })).toMatchObject({
      parameters: { a: '1' },
    });
    // A name that is no text, and cannot be made one.
    const hostile = [
      { name: { toString: 1, valueOf: 1 }, value: 'x' },
      { name: 7, value: 'y' },
      { name: 'b', value: '2' },
    ];
    expect(decode({ ...START, start: { ...START.start, custom_parameters: hostile } })).toMatchObject({
      parameters: { b: '2' },
    });
  });

  it.each([
    [{ encoding: 'G722', sample_rate: 8000, channels: 1 }, 'G722 at 8000 Hz'],
    [{ encoding: 'OPUS', sample_rate: 48_000, channels: 1 }, 'OPUS at 48000 Hz'],
    [{ encoding: 'AMR-WB', sample_rate: 16_000, channels: 1 }, 'AMR-WB at 16000 Hz'],
    [{ encoding: 'L16', sample_rate: 24_000, channels: 1 }, 'L16 at 24000 Hz'],
    [{ encoding: 'PCMU', sample_rate: 16_000, channels: 1 }, 'PCMU at 16000 Hz'],
    [{ encoding: 'PCMU', sample_rate: 8000, channels: 2 }, 'PCMU at 8000 Hz, 2 channels'],
    [{ encoding: 'toString', sample_rate: 8000 }, 'toString at 8000 Hz'],
    [null, 'an unnamed codec'],
  ])('a start with the format %j is unsupported', (given, format) => {
    expect(started(given)).toEqual({
      type: 'unsupported',
      providerCallId: 'v3:T02llQx_I-yaR',
      format,
      remedy: "set the connection's codecs to G711U and G711A",
    });
  });

  it('audio has its sequence number and its bytes', () => {
    expect(decode(media({}))).toEqual({ type: 'audio', sequence: 2, payload: Buffer.from([0xff, 0x7f, 0x00]) });
    expect(decode(media({ track: 'inbound_track', chunk: 7 }))).toMatchObject({ type: 'audio', sequence: 7 });
  });

  it.each<[object, CarrierMessage]>([
    [{ event: 'connected', version: '1.0.0' }, { type: 'ignored' }],
    [{ event: 'something new' }, { type: 'ignored' }],
    [media({ track: 'outbound' }), { type: 'ignored' }],
    [
      { event: 'mark', mark: { name: 'turn 3' } },
      { type: 'mark', name: 'turn 3' },
    ],
    [
      { event: 'dtmf', dtmf: { digit: '#' } },
      { type: 'digit', digit: '#' },
    ],
    [{ event: 'stop', stop: { call_control_id: 'v3:1' } }, { type: 'stop' }],
    [
      { event: 'error', payload: { code: 100_003, title: 'malformed_frame', detail: 'x' } },
      { type: 'error', reason: 'malformed_frame: x' },
    ],
    [
      { event: 'error', payload: { code: 100_003, title: 'two words' } },
      { type: 'error', reason: 'two words' },
    ],
    [
      { event: 'error', payload: { code: 100_003 } },
      { type: 'error', reason: '100003' },
    ],
    [{ event: 'error' }, { type: 'error', reason: 'an error without a reason' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    'nonsense',
    '[]',
    '7',
    '{}',
    { event: 5 },
    { event: 'media' },
    media({ chunk: '-1' }),
    media({ payload: 'ä' }),
    media({ payload: '' }),
    { event: 'mark', mark: {} },
    { event: 'dtmf', dtmf: { digit: '12' } },
    { event: 'start', stream_id: 'a b', start: START.start },
    { event: 'start', stream_id: 's', start: {} },
  ])('%j is invalid and nothing is thrown', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.stringMatching(/./) });
  });
});

describe('messages to Telnyx', () => {
  it('without the name of the stream', () => {
    const message = telnyxProtocol.audio('s', Uint8Array.of(0xff, 0x7f, 0), MULAW_8K, 1) as string;
    expect(JSON.parse(message)).toEqual({ event: 'media', media: { payload: '/38A' } });
    expect(JSON.parse(telnyxProtocol.mark('s', 'turn "3"'))).toEqual({ event: 'mark', mark: { name: 'turn "3"' } });
    expect(JSON.parse(telnyxProtocol.clear('s'))).toEqual({ event: 'clear' });
  });
});

describe('a leg over Telnyx', () => {
  it("puts the caller's frames in order, takes the agent's in another format, and is not ended by a closing socket", () => {
    const clock = createVirtualClock();
    const received: number[] = [];
    const ends: string[] = [];
    const listener: LegListener = {
      audio: (frame) => received.push(frame[0]!),
      mark: () => {},
      digit: () => {},
      ended: (cause) => ends.push(cause),
    };
    const sent: string[] = [];
    const socket: LegSocket = {
      send(message) {
        sent.push(String(message));
        return 'sent';
      },
      close: () => {},
    };
    const start = decode(START) as Extract<CarrierMessage, { type: 'start' }>;
    const leg = new CarrierLeg({ protocol: telnyxProtocol, start, socket, clock });
    leg.listen(listener);
    expect([leg.callerFormat.encoding, leg.format.encoding]).toEqual(['alaw', 'mulaw']);
    for (const chunk of [1, 3, 2, 5, 4]) {
      const payload = Buffer.alloc(160, chunk).toString('base64');
      leg.receive(JSON.stringify(media({ chunk: String(chunk), payload })), clock.now());
    }
    expect(received).toEqual([1, 2, 3, 4, 5]);
    leg.play(new Uint8Array(160));
    expect(sent).toHaveLength(1);
    leg.closed(1006);
    expect(ends).toEqual(['lost']);
    expect(leg.resumable).toBe(true);
  });
});
