import { describe, expect, it } from 'vitest';
import {
  type CallbackSettings,
  describeCallbackTime,
  resolveCallbackTime,
} from '../../../../control/calls/queue/callback-time.ts';
import { nextCallingTime } from '../../../../control/calls/queue/calling-hours.ts';

const INDIA: CallbackSettings = {
  reschedule_max_days: 7,
  calling_hours: false,
  call_start_hour: 9,
  call_end_hour: 21,
  timezone: 'Asia/Kolkata',
};
const HOURS = { ...INDIA, calling_hours: true };
const BERLIN = { ...HOURS, timezone: 'Europe/Berlin' };
/** A Monday, 15:30 in India. */
const NOW = Date.parse('2026-11-23T10:00:00Z');

const PAST = 'that time has passed';
const LATE = 'that is too late: at most 7 days ahead';
const UNREAD = 'the time cannot be read; write it as YYYY-MM-DDTHH:MM';

/** The model's time, and what is booked; a refusal begins with `!`. */
const BOOKINGS: [when: string, settings: CallbackSettings, booked: string][] = [
  ['2026-11-24T10:00', INDIA, '2026-11-24T04:30:00.000Z'],
  ['2026-11-24 10:00', INDIA, '2026-11-24T04:30:00.000Z'],
  [' 2026-11-24T10:00:30 ', INDIA, '2026-11-24T04:30:30.000Z'],
  ['2026-11-24T10:00Z', INDIA, '2026-11-24T10:00:00.000Z'],
  ['2026-11-24T10:00+01:00', INDIA, '2026-11-24T09:00:00.000Z'],
  ['2026-11-23T15:31', INDIA, '2026-11-23T10:01:00.000Z'],
  // A date alone: ten o'clock, or the start of the calling hours.
  ['2026-11-24', INDIA, '2026-11-24T04:30:00.000Z'],
  ['2026-11-24', HOURS, '2026-11-24T03:30:00.000Z'],
  ['2026-11-23T15:30', INDIA, `!${PAST}`],
  ['2026-11-23', INDIA, `!${PAST}`],
  ['2020-01-01T10:00', INDIA, `!${PAST}`],
  // Seven days ahead, to the minute.
  ['2026-11-30T15:30', INDIA, '2026-11-30T10:00:00.000Z'],
  ['2026-11-30T15:31', INDIA, `!${LATE}`],
  ['2027-11-24T10:00', INDIA, `!${LATE}`],
  ['2026-11-24T15:31', { ...INDIA, reschedule_max_days: 1 }, '!that is too late: at most 1 day ahead'],
  ['tomorrow at ten', INDIA, `!${UNREAD}`],
  ['2026-02-30T10:00', INDIA, `!${UNREAD}`],
  ['2026-11-24T25:00', INDIA, `!${UNREAD}`],
  ['', INDIA, `!${UNREAD}`],
  ['10:00', INDIA, `!${UNREAD}`],
  // Moved into the calling hours: to the morning of the day, or of the next.
  ['2026-11-24T06:15', HOURS, '2026-11-24T03:30:00.000Z'],
  ['2026-11-24T08:59', HOURS, '2026-11-24T03:30:00.000Z'],
  ['2026-11-24T09:00', HOURS, '2026-11-24T03:30:00.000Z'],
  ['2026-11-24T20:59', HOURS, '2026-11-24T15:29:00.000Z'],
  ['2026-11-24T21:00', HOURS, '2026-11-25T03:30:00.000Z'],
  ['2026-11-30T23:00', { ...HOURS, reschedule_max_days: 8 }, '2026-12-01T03:30:00.000Z'],
  // Moved beyond the maximum.
  ['2026-11-30T08:00', { ...HOURS, call_start_hour: 18 }, `!${LATE}`],
  ['2026-11-23T23:30', { ...INDIA, timezone: 'no zone' }, '2026-11-23T18:00:00.000Z'],
];

describe('a callback', () => {
  it.each(BOOKINGS)('%s', (when, settings, booked) => {
    const time = resolveCallbackTime(when, settings, NOW);
    expect('refused' in time ? `!${time.refused}` : new Date(time.at_ms).toISOString()).toBe(booked);
  });

  it('keeps local hours over a change of daylight saving time', () => {
    // Clocks go back at 3:00 on 25 October 2026, and forward at 2:00 on 28 March 2027.
    const saturday = Date.parse('2026-10-24T22:30:00+02:00');
    expect(new Date(nextCallingTime(BERLIN, saturday)).toISOString()).toBe('2026-10-25T08:00:00.000Z');
    const spring = Date.parse('2027-03-27T22:30:00+01:00');
    expect(new Date(nextCallingTime(BERLIN, spring)).toISOString()).toBe('2027-03-28T07:00:00.000Z');
  });

  it('is not before calling hours that begin in an hour that the clocks leave out', () => {
    const newYork = { ...HOURS, timezone: 'America/New_York', call_start_hour: 2, call_end_hour: 4 };
    const next = nextCallingTime(newYork, Date.parse('2027-03-13T22:30:00-05:00'));
    expect(new Date(next).toISOString()).toBe('2027-03-14T07:00:00.000Z');
  });

  it("is described in the agent's zone", () => {
    expect(describeCallbackTime(Date.parse('2026-11-24T04:30:00Z'), INDIA)).toBe(
      'Tuesday, 24 November 2026, 10:00 (Asia/Kolkata)',
    );
  });
});
