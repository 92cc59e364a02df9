import { describe, expect, it } from 'vitest';
import type { TimelineItem } from '../../console/api-records.ts';
import {
  type CallAction,
  type CallState,
  isLive,
  READY,
  reduceCallState,
  timelineIsComplete,
  updateLines,
} from '../../console/call-page/call-state.ts';

const stateAfter = (...happenings: CallAction[]): CallState => happenings.reduce(reduceCallState, READY);
const placed: CallAction[] = [{ type: 'pressed' }, { type: 'placing' }, { type: 'placed', call_id: 'c1' }];
const talking: CallAction = { type: 'news', news: { type: 'talking' }, now_ms: 1_000 };
const ended = (reason: string, now_ms = 9_000): CallAction => ({
  type: 'news',
  news: { type: 'ended', reason },
  now_ms,
});
const words = (role: 'user' | 'agent', text: string, final: boolean): CallAction => ({
  type: 'news',
  news: { type: 'words', role, text, final, at_ms: 0 },
  now_ms: 0,
});
const event = (seq: number, type = 'user.turn'): TimelineItem => ({
  ...{ id: `evt_${seq}`, seq, type, message: '', level: 'info', latency_ms: null, data: {}, created_at: '' },
});

describe('a call on the page', () => {
  it('goes from the press to the end', () => {
    expect(stateAfter({ type: 'pressed' }).phase).toBe('microphone');
    expect(stateAfter(...placed)).toMatchObject({ stage: 'connecting', callId: 'c1' });
    const on = stateAfter(...placed, talking);
    expect(on).toMatchObject({ stage: 'talking', startedAtMs: 1_000 });
    const over = reduceCallState(on, ended('agent ended the call'));
    expect(over).toMatchObject({ stage: 'ended', endReason: 'agent ended the call', endedAtMs: 9_000, callId: 'c1' });
    // The next press begins from nothing.
    expect(reduceCallState(over, { type: 'pressed' })).toEqual({ ...READY, stage: 'microphone' });
  });

  it('cannot be begun twice', () => {
    const on = stateAfter(...placed, talking);
    expect(reduceCallState(on, { type: 'pressed' })).toBe(on);
  });

  it('keeps the moment it began through a break of the line', () => {
    const broken = stateAfter(...placed, talking, { type: 'news', news: { type: 'reconnecting' }, now_ms: 2_000 });
    expect(broken.phase).toBe('reconnecting');
    expect(isLive(broken.phase)).toBe(true);
    const back = reduceCallState(broken, { type: 'news', news: { type: 'talking' }, now_ms: 5_000 });
    expect(back).toMatchObject({ stage: 'talking', startedAtMs: 1_000 });
  });

  it('is ready again, with a sentence, when it was refused', () => {
    const refused = stateAfter({ type: 'pressed' }, { type: 'refused', trouble: 'No microphone was found.' });
    expect(refused).toEqual({ ...READY, trouble: 'No microphone was found.' });
    expect(reduceCallState(refused, { type: 'pressed' }).error).toBe(null);
  });

  it('takes no news after its end', () => {
    const over = stateAfter(...placed, talking, ended('caller hung up'));
    expect(reduceCallState(over, talking)).toBe(over);
    expect(reduceCallState(over, ended('something else'))).toBe(over);
  });

  it('keeps what was understood of a sentence nobody finished', () => {
    const over = stateAfter(...placed, talking, words('user', 'I wanted to', false), ended('caller hung up'));
    expect(over.lines).toMatchObject([{ role: 'user', text: 'I wanted to', final: true }]);
  });
});

describe('lines', () => {
  it('change while they are spoken, and stay when they are final', () => {
    const { lines } = stateAfter(
      ...placed,
      talking,
      words('agent', 'Hello', false),
      words('agent', 'Hello, who is', false),
      words('user', 'It', false),
      words('agent', 'Hello, who is there?', true),
      words('user', 'It is me.', true),
      words('user', 'Asha.', true),
    );
    expect(lines.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'agent: Hello, who is there?',
      'user: It is me.',
      'user: Asha.',
    ]);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(3);
  });

  it('that come to nothing go', () => {
    const open = updateLines([], { role: 'user', text: ' hm ', final: false });
    expect(open).toMatchObject([{ text: 'hm' }]);
    expect(updateLines(open, { role: 'user', text: '', final: true })).toEqual([]);
    expect(updateLines([], { role: 'agent', text: '  ', final: true })).toEqual([]);
  });

  it('are kept within bounds', () => {
    let lines = updateLines([], { role: 'user', text: 'first', final: true });
    for (let index = 0; index < 600; index++)
      lines = updateLines(lines, { role: 'agent', text: `${index}`, final: true });
    expect(lines).toHaveLength(500);
    expect(lines.at(-1)!.text).toBe('599');
  });
});

describe('the timeline', () => {
  it('takes only what is new, in order', () => {
    const first = stateAfter({ type: 'events', items: [event(2), event(1)] });
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2]);
    const second = reduceCallState(first, { type: 'events', items: [event(1), event(2), event(3)] });
    expect(second.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    // Nothing new: the page has nothing to draw.
    const third = reduceCallState(second, { type: 'events', items: [event(3), event(1)] });
    expect(third.events).toBe(second.events);
  });

  it('is whole when the call was completed, or never connected', () => {
    expect(timelineIsComplete([event(1, 'call.started')])).toBe(false);
    expect(timelineIsComplete([event(1, 'call.started'), event(2, 'call.ended')])).toBe(false);
    expect(timelineIsComplete([event(1, 'call.started'), event(2, 'call.ended'), event(3, 'call.completed')])).toBe(
      true,
    );
    expect(timelineIsComplete([event(1, 'call.ended')])).toBe(true);
  });
});
