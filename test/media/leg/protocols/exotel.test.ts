import { describe, expect, it } from 'vitest';
import { PCM_8K } from '../../../../media/audio/format.ts';
import { carrierProtocols } from '../../../../media/leg/carrier-protocols.ts';
import { exotelProtocol } from '../../../../media/leg/protocols/exotel.ts';

const START = {
  event: 'start',
  sequence_number: '1',
  stream_sid: 'MZ1',
  start: {
    stream_sid: 'MZ1',
    call_sid: 'c1',
    account_sid: 'acme1',
    from: '+919800000001',
    to: '+911140000001',
    custom_parameters: { ref: '7' },
    media_format: { encoding: 'audio/x-raw', sample_rate: '8000', bit_rate: '16' },
  },
};
const decode = (message: unknown) =>
  exotelProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));
const media = (fields: object) => ({
  event: 'media',
  stream_sid: 'MZ1',
  media: { chunk: '2', payload: 'AQD/fw==', ...fields },
});

describe('messages from Exotel', () => {
  it('a start names stream, call, format and parameters, in either spelling', () => {
    const meaning = {
      type: 'start',
      streamId: 'MZ1',
      providerCallId: 'c1',
      format: PCM_8K,
      parameters: { ref: '7' },
    };
    expect(decode(START)).toEqual(meaning);
    const camel = {
      event: 'start',
      sequenceNumber: '1',
      streamSid: 'MZ1',
      start: {
        streamSid: 'MZ1',
        callSid: 'c1',
        customParameters: { ref: '7' },
        mediaFormat: { encoding: 'base64', sampleRate: 8000 },
      },
    };
    expect(decode(camel)).toEqual(meaning);
  });

  it.each([
    [{ encoding: 'audio/x-raw', sample_rate: '16000' }, 'audio/x-raw at 16000 Hz'],
    [{ encoding: 'raw', sampleRate: 24000 }, 'raw at 24000 Hz'],
    [{ encoding: 'audio/x-mulaw', sample_rate: '8000' }, 'audio/x-mulaw at 8000 Hz'],
    [{ encoding: { toString: 1, valueOf: 1 }, sample_rate: '8000' }, 'an unnamed codec at 8000 Hz'],
  ])('a start with the format %j is unsupported', (media_format, format) => {
    expect(decode({ ...START, start: { ...START.start, media_format } })).toEqual({
      type: 'unsupported',
      providerCallId: 'c1',
      format,
      remedy: 'set sample-rate=8000 in the stream URL',
    });
  });

  it('audio is PCM where no encoding is given', () => {
    expect(decode({ ...START, start: { ...START.start, media_format: undefined } })).toMatchObject({ format: PCM_8K });
  });

  it('audio has its sequence number and its bytes', () => {
    expect(decode(media({}))).toEqual({ type: 'audio', sequence: 2, payload: Buffer.from([1, 0, 0xff, 0x7f]) });
    expect(decode(media({ chunk: 7 }))).toMatchObject({ type: 'audio', sequence: 7 });
    expect(decode(media({ chunk: undefined }))).toMatchObject({ type: 'audio', sequence: null });
  });

  it.each([
    [{ event: 'connected' }, { type: 'ignored' }],
    [{ event: 'something new' }, { type: 'ignored' }],
    [
      { event: 'mark', stream_sid: 'MZ1', mark: { name: 'turn 3' } },
      { type: 'mark', name: 'turn 3' },
    ],
    [
      { event: 'dtmf', dtmf: { digit: '#', duration: '100' } },
      { type: 'digit', digit: '#' },
    ],
    [{ event: 'stop', stop: { call_sid: 'c1', reason: 'callended' } }, { type: 'stop' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    '',
    'garbage',
    '[]',
    '{}',
    '{"event":7}',
    '{"event":"media"}',
    media({ payload: '' }),
    media({ payload: 'no base64!' }),
    media({ payload: 'AQD/' }),
    media({ payload: 'A'.repeat(60_000) }),
    media({ chunk: 'x' }),
    media({ chunk: -1 }),
    { event: 'mark', mark: {} },
    { event: 'dtmf', dtmf: { digit: '12' } },
    { ...START, start: null },
    { ...START, stream_sid: '"', start: { ...START.start, stream_sid: '"' } },
    { ...START, start: { ...START.start, call_sid: undefined } },
  ])('is invalid: %j', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.any(String) });
  });
});

describe('messages to Exotel', () => {
  it('hold 3,200 bytes unless a setting says otherwise', () => {
    expect(exotelProtocol.packetFrames).toBe(10);
  });

  it.each([
    [3_200, 10, '400'],
    [1_600, 5, '200'],
  ])(
    'audio in packets of %i bytes, numbered from 1 and timed by their number',
    (exotelChunkBytes, frames, timestamp) => {
      const protocol = carrierProtocols({ exotelChunkBytes }).exotel!;
      expect(protocol.packetFrames).toBe(frames);
      const bytes = new Uint8Array(exotelChunkBytes + 2).subarray(1, -1).fill(1);
      expect(JSON.parse(String(protocol.audio('MZ1', bytes, PCM_8K, 3)))).toEqual({
        event: 'media',
        stream_sid: 'MZ1',
        streamSid: 'MZ1',
        sequence_number: '3',
        sequenceNumber: '3',
        media: { chunk: '3', timestamp, payload: Buffer.from(bytes).toString('base64') },
      });
    },
  );

  it('mark and clear, in both spellings', () => {
    const stream = { stream_sid: 'MZ1', streamSid: 'MZ1' };
    expect(JSON.parse(exotelProtocol.mark('MZ1', 'a "b"'))).toEqual({
      event: 'mark',
      ...stream,
      mark: { name: 'a "b"' },
    });
    expect(JSON.parse(exotelProtocol.clear('MZ1'))).toEqual({ event: 'clear', ...stream });
    expect(exotelProtocol.hangUp).toBeUndefined();
  });
});
