import { describe, expect, it } from 'vitest';
import {
  type CallAction,
  type CallState,
  isLive,
  READY,
  reduceCallState,
  timelineIsComplete,
  updateLines,
} from '../../console/call-page/call-state.ts';
import type { TimelineItem } from '../../console/generated/api.ts';

const stateAfter = (...actions: CallAction[]): CallState => actions.reduce(reduceCallState, READY);
const placed: CallAction[] = [{ type: 'pressed' }, { type: 'placing' }, { type: 'placed', call_id: 'c1' }];
const talking: CallAction = { type: 'call_event', event: { type: 'talking' }, now_ms: 1_000 };
const ended = (reason: string, now_ms = 9_000): CallAction => ({
  type: 'call_event',
  event: { type: 'ended', reason },
  now_ms,
});
const transcript = (role: 'user' | 'agent', text: string, final: boolean): CallAction => ({
  type: 'call_event',
  event: { type: 'transcript', role, text, final, interrupted: false, at_ms: 0 },
  now_ms: 0,
});
const event = (seq: number, type = 'user.turn'): TimelineItem => ({
  ...{ id: `evt_${seq}`, seq, type, message: '', level: 'info', latency_ms: null, offset_ms: null },
  ...{ data: {}, created_at: '' },
});

describe('a call on the page', () => {
  it('goes through its phases from the click to the end', () => {
    expect(stateAfter({ type: 'pressed' }).phase).toBe('microphone');
    expect(stateAfter(...placed)).toMatchObject({ phase: 'connecting', callId: 'c1' });
    const connected = stateAfter(...placed, talking);
    expect(connected).toMatchObject({ phase: 'talking', startedAtMs: 1_000 });
    const over = reduceCallState(connected, ended('agent ended the call'));
    expect(over).toMatchObject({ phase: 'ended', endReason: 'agent ended the call', endedAtMs: 9_000, callId: 'c1' });
    // The next click starts from the initial state.
    expect(reduceCallState(over, { type: 'pressed' })).toEqual({ ...READY, phase: 'microphone' });
  });

  it('cannot be started twice', () => {
    const connected = stateAfter(...placed, talking);
    expect(reduceCallState(connected, { type: 'pressed' })).toBe(connected);
  });

  it('keeps its start time through a reconnect', () => {
    const broken = stateAfter(...placed, talking, {
      type: 'call_event',
      event: { type: 'reconnecting' },
      now_ms: 2_000,
    });
    expect(broken.phase).toBe('reconnecting');
    expect(isLive(broken.phase)).toBe(true);
    const back = reduceCallState(broken, { type: 'call_event', event: { type: 'talking' }, now_ms: 5_000 });
    expect(back).toMatchObject({ phase: 'talking', startedAtMs: 1_000 });
  });

  it('is ready again, with an error text, when placing it failed', () => {
    const failed = stateAfter({ type: 'pressed' }, { type: 'failed', error: 'No microphone was found.' });
    expect(failed).toEqual({ ...READY, error: 'No microphone was found.' });
    expect(reduceCallState(failed, { type: 'pressed' }).error).toBe(null);
  });

  it('ignores events after its end', () => {
    const over = stateAfter(...placed, talking, ended('caller hung up'));
    expect(reduceCallState(over, talking)).toBe(over);
    expect(reduceCallState(over, ended('something else'))).toBe(over);
  });

  it('keeps the interim text of an unfinished sentence', () => {
    const over = stateAfter(...placed, talking, transcript('user', 'I wanted to', false), ended('caller hung up'));
    expect(over.lines).toMatchObject([{ role: 'user', text: 'I wanted to', final: true }]);
  });
});

describe('transcript lines', () => {
  it('change while interim, and stay when final', () => {
    const { lines } = stateAfter(
      ...placed,
      talking,
      transcript('agent', 'Hello', false),
      transcript('agent', 'Hello, who is', false),
      transcript('user', 'It', false),
      transcript('agent', 'Hello, who is there?', true),
      transcript('user', 'It is me.', true),
      transcript('user', 'Asha.', true),
    );
    expect(lines.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'agent: Hello, who is there?',
      'user: It is me.',
      'user: Asha.',
    ]);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(3);
  });

  it('are removed when their interim text becomes empty', () => {
    const open = updateLines([], { role: 'user', text: ' hm ', final: false, interrupted: false });
    expect(open).toMatchObject([{ text: 'hm' }]);
    expect(updateLines(open, { role: 'user', text: '', final: true, interrupted: false })).toEqual([]);
    expect(updateLines([], { role: 'agent', text: '  ', final: true, interrupted: false })).toEqual([]);
  });

  it('are limited in number', () => {
    let lines = updateLines([], { role: 'user', text: 'first', final: true, interrupted: false });
    for (let index = 0; index < 600; index++)
      lines = updateLines(lines, { role: 'agent', text: `${index}`, final: true, interrupted: false });
    expect(lines).toHaveLength(500);
    expect(lines.at(-1)!.text).toBe('599');
  });
});

describe('the timeline', () => {
  it('appends only new events, in order', () => {
    const first = stateAfter({ type: 'events', items: [event(2), event(1)] });
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2]);
    const second = reduceCallState(first, { type: 'events', items: [event(1), event(2), event(3)] });
    expect(second.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    // Without new events the state is the same object, so nothing renders.
    const third = reduceCallState(second, { type: 'events', items: [event(3), event(1)] });
    expect(third.events).toBe(second.events);
  });

  it('is complete when the call was completed, or never connected', () => {
    expect(timelineIsComplete([event(1, 'call.started')])).toBe(false);
    expect(timelineIsComplete([event(1, 'call.started'), event(2, 'call.ended')])).toBe(false);
    expect(timelineIsComplete([event(1, 'call.started'), event(2, 'call.ended'), event(3, 'call.completed')])).toBe(
      true,
    );
    expect(timelineIsComplete([event(1, 'call.ended')])).toBe(true);
  });
});
