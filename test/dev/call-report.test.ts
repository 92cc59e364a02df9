import { expect, it } from 'vitest';
import type { CallRecord, TimelineRecord } from '../../dev/api-client.ts';
import {
  createPaint,
  endingText,
  eventLine,
  latencyTable,
  median,
  summarise,
  turnLatencies,
} from '../../dev/call-report.ts';
import { newId } from '../../shared/ids.ts';

const paint = createPaint(false);
const STARTED = Date.UTC(2026, 0, 5, 6, 30);

function event(type: string, change: Partial<TimelineRecord> = {}): TimelineRecord {
  const id = `evt_${newId(STARTED + 4_320)}`;
  return { id, seq: 1, type, message: '', level: 'info', latency_ms: null, data: {}, ...change };
}

const EVENTS = [
  event('tts.first_audio', { latency_ms: 5, data: { welcome: true } }),
  event('user.turn', { message: 'a table please' }),
  event('tts.first_audio', { latency_ms: 700, data: { parts: { playout_ms: 400, end_of_turn_ms: 300 } } }),
  event('interrupted'),
  event('user.turn', { message: 'at eight' }),
  event('tts.first_audio', { latency_ms: 500, data: { parts: { end_of_turn_ms: 500 } } }),
];

it('formats time, type, latency and message', () => {
  const line = eventLine(event('user.turn', { message: 'hello', latency_ms: 12 }), STARTED, paint);
  expect(line).toBe('  4.32 s  user.turn           12 ms  hello');
});

it('counts turns and interruptions, and excludes the welcome from the latency', () => {
  const call = { id: 'c', status: 'completed' } as CallRecord;
  expect(summarise(call, EVENTS, '/r.wav')).toEqual({
    call_id: 'c',
    status: 'completed',
    turns: 2,
    interruptions: 1,
    first_audio_p50_ms: 600,
    recording: '/r.wav',
  });
});

it('shows the parts of each reply, and a dash for a missing part', () => {
  const [head, first, second] = latencyTable(turnLatencies(EVENTS), paint);
  expect(head).toMatch(/end of turn\s+playout\s+total$/);
  expect(first).toMatch(/a table please\s+300\s+400\s+700$/);
  expect(second).toMatch(/at eight\s+500\s+-\s+500$/);
});

it('has no median without values', () => {
  expect(median([])).toBeNull();
});

it('says who ended the call', () => {
  const call = { hangup_by: 'agent', hangup_reason: 'transferred', duration_seconds: 33 } as CallRecord;
  expect(endingText(call)).toBe('transferred (by the agent), after 33 s');
});
