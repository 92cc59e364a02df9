import { describe, expect, it } from 'vitest';
import { MULAW_8K, PCM_8K, PCM_16K } from '../../../../media/audio/format.ts';
import { CarrierLeg } from '../../../../media/leg/carrier-leg.ts';
import type { CarrierMessage } from '../../../../media/leg/carrier-protocol.ts';
import { asteriskProtocol } from '../../../../media/leg/protocols/asterisk.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const START = {
  event: 'MEDIA_START',
  connection_id: 'media_connection1',
  channel: 'WebSocket/antiphon/0x7f',
  channel_id: 'media-1-171.4',
  format: 'ulaw',
  optimal_frame_size: 160,
  ptime: 20,
  channel_variables: {},
};
const LINE =
  'MEDIA_START connection_id:media_connection1 channel:WebSocket/antiphon/0x7f channel_id:media-1-171.4 format:ulaw optimal_frame_size:160 ptime:20';
const decode = (message: unknown) =>
  asteriskProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));

describe('messages from Asterisk', () => {
  it('a start as JSON or as plain text, which sets the syntax of commands', () => {
    const meaning = { type: 'start', providerCallId: '', format: MULAW_8K, parameters: {} };
    const json = decode(START);
    expect(json).toMatchObject(meaning);
    expect(decode(LINE)).toMatchObject(meaning);
    const syntax = (start: CarrierMessage) => (start.type === 'start' ? start.streamId : '');
    expect(JSON.parse(asteriskProtocol.mark(syntax(json), 'r1 2 "x"'))).toEqual({
      command: 'MARK_MEDIA',
      correlation_id: 'r1 2 "x"',
    });
    expect(JSON.parse(asteriskProtocol.clear(syntax(json)))).toEqual({ command: 'FLUSH_MEDIA' });
    expect(JSON.parse(asteriskProtocol.hangUp!(syntax(json)))).toEqual({ command: 'HANGUP' });
    const line = syntax(decode(LINE));
    expect(asteriskProtocol.mark(line, 'r1 2 3')).toBe('MARK_MEDIA r1 2 3');
    expect(asteriskProtocol.clear(line)).toBe('FLUSH_MEDIA');
    expect(asteriskProtocol.hangUp!(line)).toBe('HANGUP');
  });

  it('takes alaw and slin at 8 kHz as well, and slin16', () => {
    expect(decode({ ...START, format: 'slin16', optimal_frame_size: 640 })).toMatchObject({ format: PCM_16K });
    expect(decode({ ...START, format: 'slin', optimal_frame_size: 320 })).toMatchObject({ format: PCM_8K });
    expect(decode({ ...START, format: 'alaw' })).toMatchObject({ format: { encoding: 'alaw', sample_rate: 8000 } });
  });

  it.each([
    ['MEDIA_START connection_id:a format:opus optimal_frame_size:0', 'opus'],
    [{ ...START, format: undefined }, 'an unnamed codec'],
    [{ ...START, optimal_frame_size: 240 }, 'ulaw in frames other than 20 ms'],
  ])('a start that cannot be read is unsupported: %j', (start, format) => {
    expect(decode(start)).toEqual({
      type: 'unsupported',
      providerCallId: '',
      format,
      remedy: 'set the codec to ulaw, alaw, slin or slin16',
    });
  });

  it('an error whose text is not a string is an error without text', () => {
    expect(decode({ event: 'ERROR', error_text: { toString: 1, valueOf: 1 } })).toEqual({
      type: 'error',
      reason: 'an error without a reason',
    });
    expect(decode({ event: 'ERROR', error_text: 'bad frame' })).toEqual({ type: 'error', reason: 'bad frame' });
    expect(decode('ERROR bad frame')).toEqual({ type: 'error', reason: 'bad frame' });
  });

  it('a mark is short enough for a channel that ignores text beyond 128 bytes', () => {
    const name = `${'s'.repeat(32)} 1234567 123456789`;
    expect(asteriskProtocol.mark('json', name).length).toBeLessThanOrEqual(128);
  });

  it('audio is binary and comes in order', () => {
    const payload = new Uint8Array([1, 2]);
    expect(asteriskProtocol.decodeBinary!(payload, MULAW_8K)).toEqual({ type: 'audio', sequence: null, payload });
    expect(asteriskProtocol.decodeBinary!(new Uint8Array(), MULAW_8K)).toMatchObject({ type: 'invalid' });
    expect(asteriskProtocol.audio('json', payload, MULAW_8K, 1)).toBe(payload);
  });

  it.each([
    [
      { event: 'MEDIA_MARK_PROCESSED', channel_id: 'x', correlation_id: 'r1 2 3' },
      { type: 'mark', name: 'r1 2 3' },
    ],
    ['MEDIA_MARK_PROCESSED r1 2 3', { type: 'mark', name: 'r1 2 3' }],
    [
      { event: 'DTMF_END', channel_id: 'x', digit: '#' },
      { type: 'digit', digit: '#' },
    ],
    ['DTMF_END digit:5 channel_id:171.4', { type: 'digit', digit: '5' }],
    [
      { event: 'MEDIA_XOFF', channel_id: 'x' },
      { type: 'hold', full: true },
    ],
    ['MEDIA_XOFF', { type: 'hold', full: true }],
    ['MEDIA_XON', { type: 'hold', full: false }],
    [{ event: 'QUEUE_DRAINED', channel_id: 'x' }, { type: 'ignored' }],
    ['STATUS channel_id:x queue_length:3', { type: 'ignored' }],
    ['MEDIA_BUFFERING_COMPLETED id', { type: 'ignored' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    '',
    '{',
    '{}',
    '{"event":7}',
    'MEDIA_START',
    { ...START, connection_id: '"', channel_id: undefined },
    { event: 'MEDIA_MARK_PROCESSED', correlation_id: '' },
    { event: 'DTMF_END', digit: '12' },
  ])('is invalid: %j', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.any(String) });
  });
});

describe('a queue that is full', () => {
  it('gets no audio until it is no longer full, and the call ends when it stays full', async () => {
    const clock = createVirtualClock();
    const sent: unknown[] = [];
    const start = decode(START);
    if (start.type !== 'start') throw new Error('no start');
    const leg = new CarrierLeg({
      protocol: asteriskProtocol,
      start,
      clock,
      socket: {
        send: (message) => {
          sent.push(message);
          return 'sent';
        },
        close: () => {},
      },
    });
    const ends: string[] = [];
    leg.listen({
      audio() {},
      mark() {},
      digit() {},
      ended: (cause) => ends.push(cause),
    });
    const frame = new Uint8Array(160);
    expect(leg.play(frame)).toBe(true);
    leg.receive('{"event":"MEDIA_XOFF"}', clock.now());
    expect(leg.play(frame)).toBe(false);
    leg.receive('{"event":"MEDIA_XON"}', clock.now());
    expect(leg.play(frame)).toBe(true);
    expect(sent).toHaveLength(2);
    leg.receive('{"event":"MEDIA_XOFF"}', clock.now());
    for (let ms = 0; ms <= 3_100; ms += 20) {
      leg.play(frame);
      await clock.advance(20);
    }
    expect(ends).toEqual(['congested']);
  });
});
