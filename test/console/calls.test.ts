import { describe, expect, it } from 'vitest';
import { filtersIn, withFilter } from '../../console/calls/call-filters.ts';
import { endText, isOpen, otherEnd, statusText } from '../../console/calls/call-texts.ts';
import { slicesOf } from '../../console/calls/waveform.ts';
import { latencyText, lengthText, timeText } from '../../console/ui/format.ts';

describe('the filters of the list of calls', () => {
  it('are read from the address', () => {
    const agent = 'a'.repeat(32);
    expect(
      filtersIn({
        q: 'Asha',
        agent,
        status: 'unanswered',
        direction: 'inbound',
        channel: 'phone',
        until: '2026-02-28',
        number: '98 1111-2222',
        min_duration: '60',
        answered_by: 'machine',
      }),
    ).toEqual({
      q: 'Asha',
      agentId: agent,
      status: ['no-answer', 'busy', 'canceled'],
      direction: 'inbound',
      channel: 'phone',
      until: '2026-03-01',
      $number: '9811112222',
      minDuration: 60,
      answeredBy: 'machine',
    });
  });

  it('leave out what is none', () => {
    expect(
      filtersIn({
        agent: '../x',
        status: 'gone',
        direction: 'up',
        since: 'yesterday',
        min_duration: '-1',
        q: 'a',
        number: '12',
      }),
    ).toEqual({});
  });

  it('are written into the address one at a time', () => {
    expect(withFilter('/calls', { q: 'a b' }, 'status', 'live')).toBe('/calls?q=a+b&status=live');
    expect(withFilter('/calls', { status: 'live' }, 'status', '')).toBe('/calls');
  });
});

it('says who was at the other end, and why the call ended', () => {
  const phone = {
    channel: 'phone',
    direction: 'inbound',
    from_number: '+919811112222',
    to_number: '+918044440000',
    provider: 'twilio',
  } as const;
  expect(otherEnd(phone)).toBe('+919811112222');
  expect(otherEnd({ ...phone, direction: 'outbound' })).toBe('+918044440000');
  expect(otherEnd({ ...phone, channel: 'web', provider: '' })).toBe('Browser');
  expect(otherEnd({ ...phone, channel: 'web', provider: 'stream' })).toBe('Audio stream');
  expect(endText({ hangup_reason: '', hangup_by: 'carrier' })).toBe('The carrier ended it');
  expect(endText({ hangup_reason: 'no-answer', hangup_by: 'carrier' })).toBe('Nobody answered');
  expect(endText({ hangup_reason: 'dial refused: 403', hangup_by: 'carrier' })).toBe('Dial refused: 403');
  expect(statusText({ status: 'in-progress' })).toEqual({ text: 'Talking', tone: 'live' });
  expect([isOpen('ended'), isOpen('completed')]).toEqual([true, false]);
});

it('writes lengths, latencies and times', () => {
  expect([0, 42, 723, 3600].map(lengthText)).toEqual(['0:00', '0:42', '12:03', '1:00:00']);
  expect([640.4, 1_240].map(latencyText)).toEqual(['640 ms', '1.2 s']);
  const now = Date.parse('2026-11-24T12:00:00Z');
  expect(timeText('2026-11-24T08:35:00Z', now, 'Asia/Kolkata')).toMatch(/24.*14:05|14:05.*24|2:05/);
  expect(timeText('2025-11-24T08:35:00Z', now, 'UTC')).toContain('2025');
});

it('takes the loudest moment of each slice', () => {
  const peaks = { voices: [Float32Array.from([0, 0.5, 0.25, 0])], windowSeconds: 0.01 };
  expect([...slicesOf(peaks, 0, 0, 0.04, 2)]).toEqual([0.5, 0.25]);
  expect([...slicesOf(peaks, 0, 0.01, 0.03, 2)]).toEqual([0.5, 0.25]);
});
