import { describe, expect, it } from 'vitest';
import { MULAW_8K, PCM_8K, PCM_16K } from '../../../../media/audio/format.ts';
import { plivoProtocol } from '../../../../media/leg/protocols/plivo.ts';

const ids = { callId: 'c-1', streamId: 's-1', accountId: 'MA1' };
const start = (mediaFormat: unknown, extra_headers?: unknown) => ({
  event: 'start',
  sequenceNumber: 1,
  start: { ...ids, tracks: ['inbound'], mediaFormat },
  extra_headers,
});
const MULAW = { encoding: 'audio/x-mulaw', sampleRate: 8000 };
const decode = (message: unknown) =>
  plivoProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));
const media = (fields: object) => ({
  event: 'media',
  sequenceNumber: 42,
  streamId: 's-1',
  media: { track: 'inbound', timestamp: '1705312200000', chunk: 41, payload: '/38A', ...fields },
});

describe('messages from Plivo', () => {
  it('a start names stream, call and format', () => {
    expect(decode(start(MULAW))).toEqual({
      type: 'start',
      streamId: 's-1',
      providerCallId: 'c-1',
      format: MULAW_8K,
      parameters: {},
    });
  });

  it.each([
    [{ encoding: 'audio/x-l16', sampleRate: 8000 }, PCM_8K],
    [{ encoding: 'audio/x-l16', sampleRate: '8000' }, PCM_8K],
    [{ encoding: 'audio/x-l16;rate=8000' }, PCM_8K],
    [{ encoding: 'audio/x-mulaw', sampleRate: 8000 }, MULAW_8K],
  ])('format %j', (given, format) => {
    expect(decode(start(given))).toMatchObject({ format });
  });

  it.each([
    [{ encoding: 'audio/x-l16', sampleRate: 24000 }, 'audio/x-l16 at 24000 Hz'],
    [{ encoding: 'audio/x-l16;rate=24000' }, 'audio/x-l16;rate=24000'],
    [{ encoding: 'audio/x-mulaw', sampleRate: 16000 }, 'audio/x-mulaw at 16000 Hz'],
    [{ encoding: 'audio/opus', sampleRate: 8000 }, 'audio/opus at 8000 Hz'],
    [{ encoding: '<b>"' }, 'an unnamed codec'],
    [undefined, 'an unnamed codec'],
  ])('a start with the format %j is unsupported', (given, format) => {
    expect(decode(start(given))).toEqual({
      type: 'unsupported',
      providerCallId: 'c-1',
      format,
      remedy: 'set contentType to audio/x-mulaw;rate=8000',
    });
  });

  it.each([
    [{ event: 'playFailed', streamId: 's-1', reason: 'no such codec' }, 'playFailed: no such codec'],
    [{ event: 'error', reason: '' }, 'error: no reason given'],
    [{ event: 'error', reason: { toString: 1 } }, 'error: no reason given'],
    [{ event: 'error', reason: 'x'.repeat(5_000) }, `error: ${'x'.repeat(193)}`],
  ])('an error has its reason: %j', (message, reason) => {
    expect(decode(message)).toEqual({ type: 'error', reason });
  });

  it.each(['ref=c1;tenant=t1', 'ref=c1,tenant=t1', '{"ref":"c1","tenant":"t1"}', { ref: 'c1', tenant: 't1' }])(
    'extra headers as %j',
    (given) => {
      expect(decode(start(MULAW, given))).toMatchObject({ parameters: { ref: 'c1', tenant: 't1' } });
    },
  );

  it.each(['', '{', '===', 7, null, ['x'], 'x'.repeat(5000)])('extra headers of no use: %j', (given) => {
    expect(decode(start(MULAW, given))).toMatchObject({ type: 'start', parameters: {} });
  });

  it.each([
    [media({}), { type: 'audio', sequence: 41, payload: Buffer.from([0xff, 0x7f, 0x00]) }],
    [media({ chunk: '41' }), { type: 'audio', sequence: 41, payload: Buffer.from([0xff, 0x7f, 0x00]) }],
    [media({ track: 'outbound' }), { type: 'ignored' }],
    [
      { event: 'playedStream', streamId: 's-1', name: 'turn 3' },
      { type: 'mark', name: 'turn 3' },
    ],
    [
      { event: 'played', streamId: 's-1', name: 'turn 3' },
      { type: 'mark', name: 'turn 3' },
    ],
    [{ event: 'clearedAudio', sequenceNumber: 71, streamId: 's-1' }, { type: 'ignored' }],
    [
      { event: 'dtmf', dtmf: { track: 'inbound', digit: '*', timestamp: '1' } },
      { type: 'digit', digit: '*' },
    ],
    [{ event: 'stop' }, { type: 'stop' }],
    [{ event: 'something new' }, { type: 'ignored' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    'garbage',
    '{}',
    'null',
    { event: 'start', start: {} },
    { event: 'start' },
    media({ payload: '???' }),
    media({ chunk: null }),
    { event: 'media', streamId: 's-1' },
    { event: 'playedStream' },
    { event: 'dtmf', dtmf: { digit: 'no' } },
  ])('is invalid: %j', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.any(String) });
  });
});

describe('messages to Plivo', () => {
  it.each([
    [MULAW_8K, 'audio/x-mulaw', 8000],
    [PCM_8K, 'audio/x-l16', 8000],
    [PCM_16K, 'audio/x-l16', 16000],
  ])('audio repeats the format %j', (format, contentType, sampleRate) => {
    expect(JSON.parse(String(plivoProtocol.audio('s-1', Buffer.from([0xff, 0x7f, 0x00]), format, 1)))).toEqual({
      event: 'playAudio',
      media: { contentType, sampleRate, payload: '/38A' },
    });
  });

  it('checkpoint and clear', () => {
    expect(JSON.parse(plivoProtocol.mark('s-1', 'n'))).toEqual({ event: 'checkpoint', streamId: 's-1', name: 'n' });
    expect(JSON.parse(plivoProtocol.clear('s-1'))).toEqual({ event: 'clearAudio', streamId: 's-1' });
    expect(JSON.parse(plivoProtocol.pressKeys!('s-1', '12#'))).toEqual({ event: 'sendDTMF', dtmf: '12#' });
  });
});
