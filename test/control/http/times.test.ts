import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inZone, readTime, time, timeIn } from '../../../control/http/times.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';

const at = (text: string) => Date.parse(text);

describe('a time written in a zone', () => {
  it.each([
    ['Asia/Kolkata', '2026-01-01T00:00:00.999Z', '2026-01-01T05:30:00+05:30'],
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00+00:00'],
    ['America/New_York', '2026-07-01T12:00:00Z', '2026-07-01T08:00:00-04:00'],
    ['America/New_York', '2026-01-01T12:00:00Z', '2026-01-01T07:00:00-05:00'],
    ['Australia/Lord_Howe', '2026-10-03T15:29:59Z', '2026-10-04T01:59:59+10:30'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', '2026-10-04T02:30:00+11:00'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00-03:30'],
    ['Asia/Kathmandu', '2026-01-01T00:14:59.999Z', '2026-01-01T05:59:59+05:45'],
    ['Asia/Kolkata', '1904-12-21T21:43:43Z', '1904-12-22T03:04:43+05:21'],
  ])('%s', (zone, instant, text) => {
    expect(timeIn(zone, at(instant))).toBe(text);
  });
});

describe('a time sent by a client', () => {
  it.each([
    ['2026-01-01T10:00:00+05:30', '2026-01-01T04:30:00.000Z'],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000Z'],
    ['2026-01-01T10:00:00.25-0330', '2026-01-01T13:30:00.250Z'],
    ['2026-07-01T10:00', '2026-07-01T14:00:00.000Z'],
    ['2026-07-01', '2026-07-01T04:00:00.000Z'],
    // Daylight saving time ends at 06:00 UTC of that day.
    ['2026-11-01T04:00:00', '2026-11-01T09:00:00.000Z'],
  ])('%s is read in the zone unless it has an offset', (text, instant) => {
    expect(readTime(text, 'America/New_York')?.toISOString()).toBe(instant);
  });

  it.each([
    ['the first of an hour that comes twice', '2026-11-01T01:30', 'America/New_York', '2026-11-01T01:30:00-04:00'],
    ['an hour later where the hour is left out', '2026-03-08T02:30', 'America/New_York', '2026-03-08T03:30:00-04:00'],
    ['its first minute where a day has no midnight', '2026-09-06', 'America/Santiago', '2026-09-06T01:00:00-03:00'],
    ['its first midnight where a day has two', '2026-11-01', 'America/Havana', '2026-11-01T00:00:00-04:00'],
  ])('around a change of clocks is %s', (_what, text, zone, expected) => {
    expect(timeIn(zone, readTime(text, zone)!.getTime())).toBe(expected);
  });

  it.each(['', 'now', '2026-02-31', '2026-13-01', '2026-01-01T25:00:00', '2026-01-01T10:00:00+99:00', '1700000000'])(
    '%j is rejected',
    (text) => expect(readTime(text, 'UTC')).toBeNull(),
  );
});

describe('a zone', () => {
  it.each(['Asia/Kolkata', 'UTC', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'])('is %s', (name) =>
    expect(isTimeZone(name)).toBe(true),
  );
  it.each(['', '+05:30', 'Mars/Base', 'Asia/Kolkata; drop', '../etc', 'A'.repeat(100)])('is not %j', (name) =>
    expect(isTimeZone(name)).toBe(false),
  );
});

it('only declared fields are written in the zone', () => {
  const record = z.object({ at: time(), ended_at: time().nullable(), user_data: z.record(z.string(), z.unknown()) });
  const encoded = inZone('UTC', () =>
    record.encode({ at: new Date(0), ended_at: null, user_data: { at: 5, date: 'x' } }),
  );
  expect(encoded).toEqual({ at: '1970-01-01T00:00:00+00:00', ended_at: null, user_data: { at: 5, date: 'x' } });
});
