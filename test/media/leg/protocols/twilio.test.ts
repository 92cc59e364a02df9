import { describe, expect, it } from 'vitest';
import { MULAW_8K } from '../../../../media/audio/format.ts';
import { twilioProtocol } from '../../../../media/leg/protocols/twilio.ts';

const START = {
  event: 'start',
  sequenceNumber: '1',
  streamSid: 'MZ1',
  start: {
    accountSid: 'AC1',
    streamSid: 'MZ1',
    callSid: 'CA1',
    tracks: ['inbound'],
    customParameters: { ref: 'c_1' },
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
  },
};
const decode = (message: unknown) =>
  twilioProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));
const media = (fields: object) => ({
  event: 'media',
  streamSid: 'MZ1',
  media: { track: 'inbound', chunk: '2', payload: '/38A', ...fields },
});

describe('messages from Twilio', () => {
  it('a start names stream, call, format and parameters', () => {
    expect(decode(START)).toEqual({
      type: 'start',
      streamId: 'MZ1',
      providerCallId: 'CA1',
      format: MULAW_8K,
      parameters: { ref: 'c_1' },
    });
  });

  it('audio has its sequence number and its bytes', () => {
    expect(decode(media({}))).toEqual({ type: 'audio', sequence: 2, payload: Buffer.from([0xff, 0x7f, 0x00]) });
    expect(decode(media({ chunk: 7 }))).toMatchObject({ type: 'audio', sequence: 7 });
    expect(decode(media({ track: 'inbound_track' }))).toMatchObject({ type: 'audio' });
  });

  it('a frame in the exact form Twilio sends decodes as its JSON does, and so do near misses', () => {
    const plain = (payload: string, chunk = '7') =>
      `{"event":"media","sequenceNumber":"8","media":{"track":"inbound","chunk":"${chunk}","timestamp":"140","payload":"${payload}"},"streamSid":"MZ1"}`;
    const audio = { type: 'audio', sequence: 7, payload: Buffer.from([0xff, 0x7f, 0x00]) };
    expect(decode(plain('/38A'))).toEqual(audio);
    // Escaped as some writers of JSON do.
    expect(decode(plain('\\/38A'))).toEqual(audio);
    expect(decode(plain('/38A').replace('"streamSid"', '"media":{},"streamSid"'))).toMatchObject({ type: 'invalid' });
    expect(decode(plain('/38A').replace('inbound', 'outbound'))).toEqual({ type: 'ignored' });
    for (const broken of [
      plain('/38A').slice(0, -1),
      plain('/38*'),
      plain(''),
      plain('/38A', '-1'),
      `${plain('/38A')}x`,
    ]) {
      expect(decode(broken)).toMatchObject({ type: 'invalid' });
    }
  });

  it.each([
    [{ event: 'connected', protocol: 'Call', version: '1.0.0' }, { type: 'ignored' }],
    [{ event: 'something new' }, { type: 'ignored' }],
    [media({ track: 'outbound' }), { type: 'ignored' }],
    [
      { event: 'mark', streamSid: 'MZ1', mark: { name: 'turn 3' } },
      { type: 'mark', name: 'turn 3' },
    ],
    [
      { event: 'dtmf', dtmf: { track: 'inbound_track', digit: '#' } },
      { type: 'digit', digit: '#' },
    ],
    [
      { event: 'dtmf', dtmf: { digit: 5 } },
      { type: 'digit', digit: '5' },
    ],
    [{ event: 'stop', stop: { accountSid: 'AC1', callSid: 'CA1' } }, { type: 'stop' }],
    [{ event: 'stop' }, { type: 'stop' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    '',
    'garbage',
    '"text"',
    '[]',
    'null',
    '{',
    '{}',
    '{"event":7}',
    '{"event":"media"}',
    '{"event":"media","media":"x"}',
    media({ payload: '' }),
    media({ payload: 7 }),
    media({ payload: 'no base64!' }),
    media({ payload: 'A' }),
    media({ payload: 'A'.repeat(60_000) }),
    media({ chunk: undefined }),
    media({ chunk: 'x' }),
    media({ chunk: -1 }),
    media({ chunk: 1.5 }),
    { event: 'mark', mark: {} },
    { event: 'mark' },
    { event: 'dtmf', dtmf: { digit: '12' } },
    { ...START, streamSid: undefined, start: { callSid: 'CA1' } },
    { ...START, start: null },
    { ...START, start: { ...START.start, callSid: 'CA1"},"x":{"' } },
    { ...START, streamSid: '"', start: { ...START.start, streamSid: '"' } },
  ])('is invalid: %j', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.any(String) });
  });

  it.each([
    [{ encoding: 'audio/opus', sampleRate: 48000 }, 'audio/opus at 48000 Hz'],
    [{ ...START.start.mediaFormat, channels: 2 }, 'audio/x-mulaw at 8000 Hz, 2 channels'],
    [undefined, 'an unnamed codec'],
  ])('a start with the format %j is unsupported', (mediaFormat, format) => {
    expect(decode({ ...START, start: { ...START.start, mediaFormat } })).toEqual({
      type: 'unsupported',
      providerCallId: 'CA1',
      format,
      remedy: 'set audio/x-mulaw at 8000 Hz',
    });
  });

  it('takes numbers of the format as text', () => {
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' };
    expect(decode({ ...START, start: { ...START.start, mediaFormat } })).toMatchObject({ type: 'start' });
  });

  it('keeps a parameter with a dangerous name as a plain one', () => {
    const text = JSON.stringify(START).replace('"ref"', '"__proto__"');
    const decoded = twilioProtocol.decode(text);
    expect(decoded.type === 'start' && Object.keys(decoded.parameters)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).ref).toBeUndefined();
  });
});

describe('messages to Twilio', () => {
  it('audio, also from the middle of a larger buffer', () => {
    const bytes = new Uint8Array([9, 0xff, 0x7f, 0x00, 9]).subarray(1, 4);
    expect(JSON.parse(String(twilioProtocol.audio('MZ1', bytes, MULAW_8K, 1)))).toEqual({
      event: 'media',
      streamSid: 'MZ1',
      media: { payload: '/38A' },
    });
  });

  it('mark and clear', () => {
    expect(JSON.parse(twilioProtocol.mark('MZ1', 'a "b"'))).toEqual({
      event: 'mark',
      streamSid: 'MZ1',
      mark: { name: 'a "b"' },
    });
    expect(JSON.parse(twilioProtocol.clear('MZ1'))).toEqual({ event: 'clear', streamSid: 'MZ1' });
  });
});
