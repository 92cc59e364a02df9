import { describe, expect, it } from 'vitest';
import { searchAgents } from '../../console/agents/agent-search.ts';
import { endReasonText, microphoneError, placeCallError } from '../../console/call/call-errors.ts';
import { clockTime } from '../../console/call/clock-time.ts';
import { readMessage } from '../../console/call/read-message.ts';
import { levelOf } from '../../console/call-page/audio-levels.ts';
import { callTimeOf, eventLabel } from '../../console/call-page/event-labels.ts';
import { duration, partsText, scaleMs, turnBars } from '../../console/call-page/turn-bars.ts';
import { readSession } from '../../console/embed/fetch-session.ts';
import type { TimelineItem } from '../../console/generated/api.ts';
import { isExpired, signInError } from '../../console/sign-in/sign-in-texts.ts';
import { EVENT_TYPES } from '../../shared/events.ts';

const item = (type: string, more: Partial<TimelineItem> = {}): TimelineItem => ({
  ...{ id: type, seq: 1, type, message: 'a message', level: 'info', latency_ms: null, offset_ms: null },
  ...{ data: {}, created_at: '' },
  ...more,
});

describe('the waterfall', () => {
  const parts = {
    end_of_turn_ms: 250,
    first_token_ms: 300,
    first_segment_ms: 0,
    first_audio_ms: 100.5,
    playout_ms: 12,
  };
  const events = [
    item('tts.first_audio', { id: 'w', latency_ms: 300, data: { welcome: true, parts: { first_audio_ms: 300 } } }),
    item('user.turn', { message: 'Ten, please.' }),
    item('tts.first_audio', { id: 'a', latency_ms: 663, data: { parts } }),
    item('tts.first_audio', { id: 'b', data: { parts: { playout_ms: 20, made_up_ms: 5 } } }),
    item('tts.first_audio', { id: 'c', latency_ms: 40, data: {} }),
  ];
  const bars = turnBars(events);

  it('has a bar for each reply, labelled with the words of the caller', () => {
    expect(bars.map(({ id, title, totalMs }) => [id, title, totalMs])).toEqual([
      ['w', 'Welcome', 300],
      ['a', 'Ten, please.', 663],
      ['b', 'Agent speaks', 20],
      ['c', 'Agent speaks', 40],
    ]);
  });

  it('places the parts one after the other', () => {
    expect(bars[1]!.parts.map(({ name, fromMs, ms }) => [name, fromMs, ms])).toEqual([
      ['end_of_turn_ms', 0, 250],
      ['first_token_ms', 250, 300],
      ['first_audio_ms', 550, 100.5],
      ['playout_ms', 650.5, 12],
    ]);
    expect(bars[2]!.parts).toHaveLength(1);
    expect(bars[3]!.parts).toEqual([]);
  });

  it('has one scale for all bars, and a text for screen readers', () => {
    expect(scaleMs([])).toBe(1_000);
    expect(scaleMs([{ ...bars[0]!, totalMs: 1_310 }])).toBe(1_500);
    expect(partsText(bars[1]!)).toContain('Noticing the end of the speech 250 ms, First token of the model 300 ms');
    expect([duration(999.4), duration(1_240)]).toEqual(['999 ms', '1.24 s']);
  });
});

describe('labels and error texts', () => {
  it('exist for every event type', () => {
    for (const type of EVENT_TYPES) expect(eventLabel(item(type)).title).not.toBe(type);
    expect(eventLabel(item('tool.call', { data: { name: 'find_slots' } })).detail).toBe('find_slots');
    expect(eventLabel(item('kb.search', { data: { hits: 1 } })).detail).toBe('1 passage');
    expect(eventLabel(item('something.new')).title).toBe('something.new');
  });

  it('format times of the call', () => {
    const at = (created_at: string) => callTimeOf({ created_at }, '2026-11-22T10:00:00+05:30');
    expect([at('2026-11-22T10:01:07+05:30'), at('2026-11-22T04:29:59+00:00')]).toEqual(['1:07', '0:00']);
    expect([clockTime(0), clockTime(59.9), clockTime(3_600)]).toEqual(['0:00', '0:59', '60:00']);
  });

  it('say what the user can do', () => {
    for (const name of ['NotAllowedError', 'NotFoundError', 'NotReadableError', 'OddError', '']) {
      expect(microphoneError(name)).toMatch(/microphone/i);
    }
    expect(placeCallError({ status: 409, detail: 'all call slots are busy' })).toContain('slots');
    expect(placeCallError({ status: 402, detail: '' })).toContain('credits');
    expect(placeCallError({ status: 403, detail: 'confirm your email address first' })).toContain('link in our email');
    expect(placeCallError({ status: 0, detail: '' })).toContain('cannot be reached');
    expect(placeCallError({ status: 418, detail: 'a teapot' })).toBe('The call could not be placed: a teapot.');
    expect(endReasonText('error: transcriber')).toContain('free of charge');
    expect(endReasonText('hung up by Asha')).toBe('The call is over: hung up by Asha.');
    expect(endReasonText('')).toBe('The call is over.');
    expect(signInError({ status: 401, detail: 'wrong email or password' }, false)).toContain('do not belong');
    expect(signInError({ status: 401, detail: 'wrong or used code' }, true)).toContain('not right');
    expect(isExpired('invalid, expired or revoked credentials')).toBe(true);
  });
});

describe('the list of agents', () => {
  const agents = [
    { name: 'Zoë, appointments', phone_number: '+911140000001' },
    { name: 'Ravi, orders', phone_number: '' },
  ];
  it('is searched by words of the name or digits of the number', () => {
    const found = (words: string) => searchAgents(agents, words).map(({ name }) => name);
    expect(found('  ')).toHaveLength(2);
    expect(found('zoe')).toEqual(['Zoë, appointments']);
    expect(found('ORDERS ravi')).toEqual(['Ravi, orders']);
    expect(found('0000001')).toEqual(['Zoë, appointments']);
    expect(found('ravi appointments')).toEqual([]);
  });
});

describe('a message of the engine', () => {
  const transport = { id: 't', ice_parameters: {}, ice_candidates: [], dtls_parameters: {} };
  it('is parsed; anything else gives null', () => {
    const read = (value: unknown) => readMessage(JSON.stringify(value));
    const ready = { type: 'ready', call_id: 'c', rtp_capabilities: {}, send: transport, receive: transport };
    expect(read(ready)).toMatchObject({ type: 'ready', resumed: false });
    expect(read({ ...ready, send: { id: 't' } })).toBe(null);
    expect(read({ type: 'response', id: 1 })).toEqual({ type: 'response', id: 1, data: {} });
    expect(read({ type: 'error', message: 'no' })).toEqual({ type: 'error', id: null, message: 'no' });
    expect(read({ type: 'transcript', role: 'user', text: 'hi' })).toMatchObject({ final: false, at_ms: 0 });
    expect(read({ type: 'ended' })).toEqual({ type: 'ended', reason: '' });
    for (const wrong of [null, 1, [], {}, { type: 'transcript', role: 'robot', text: 'x' }, { type: 'later' }]) {
      expect(read(wrong)).toBe(null);
    }
    expect([readMessage('{'), readMessage(new Uint8Array(2))]).toEqual([null, null]);
  });
});

describe('the session from an embedding page', () => {
  it('is the response of web-call, or its session alone', () => {
    const session = { url: 'wss://media.example.com/web/t', ice_servers: [{ urls: ['stun:a'] }] };
    expect(readSession({ call: {}, session })).toEqual(session);
    expect(readSession({ url: session.url })).toEqual({ url: session.url, ice_servers: [] });
    for (const wrong of [null, {}, { session: null }, { url: 'https://a' }, { url: 5 }, 'x']) {
      expect(readSession(wrong)).toBe(null);
    }
  });
});

describe('a level', () => {
  it('is 0 for silence, 1 for the loudest signal, between for speech', () => {
    expect(levelOf([])).toBe(0);
    expect(levelOf(new Float32Array(64))).toBe(0);
    expect(levelOf(new Float32Array(64).fill(0.9))).toBe(1);
    const speech = levelOf(Float32Array.from({ length: 64 }, (_, index) => 0.05 * Math.sin(index)));
    expect(speech).toBeGreaterThan(0.3);
    expect(speech).toBeLessThan(0.9);
  });
});
