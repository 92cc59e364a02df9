import { describe, expect, it } from 'vitest';
import { pausedText, progressParts, rowErrorText } from '../../console/batches/batch-texts.ts';
import { columnUses, headerOf, missingVariables } from '../../console/batches/contact-columns.ts';
import { bodyOf, costOf, emptyBatch } from '../../console/batches/new-batch-values.ts';
import { instantOf, localTimeOf } from '../../console/batches/zoned-time.ts';
import { readContactFile } from '../../control/batches/contact-file.ts';

const AGENT = 'a'.repeat(32);
const UPLOAD = 'b'.repeat(32);

describe('columns of a file of contacts', () => {
  it('are the number, variables of the agent, or values that are not said', () => {
    const uses = columnUses(['Phone', 'First Name', 'note', 'Note'], 'Phone', ['first_name', 'note_2', 'city']);
    expect(uses.map(({ use, key }) => [use, key])).toEqual([
      ['number', ''],
      ['variable', 'first_name'],
      ['extra', 'note'],
      ['variable', 'note_2'],
    ]);
    expect(missingVariables(uses, ['first_name', 'note_2', 'city'])).toEqual(['city']);
  });

  it.each([
    ['phone,name\n+91981,Asha\n'],
    ['\ufeff"phone";"name, in full";;\r\n1;2\r\n'],
    ['sep=;\nphone;name\n1;2\n'],
    ['\n\nphone\tname\tsays ""hello""\n1\t2\n'],
    ['phone,"na""me",\n1,2,\n'],
    ['phone,,"two\nlines"\n1,2,3\n'],
  ])('have the names that the API reads: %j', async (text) => {
    const number = text.replace(/\b1\b/, '+919811112222');
    const file = Buffer.from(number.replace('+91981,', '+919811112223,'));
    expect(headerOf(text)).toEqual((await readContactFile(file, { phoneColumn: 'phone', countryCode: '91' })).columns);
  });
});

describe('a time in a zone', () => {
  it.each([
    ['2026-12-01T09:30', 'Asia/Kolkata', '2026-12-01T04:00:00.000Z'],
    ['2026-12-01T09:30', 'UTC', '2026-12-01T09:30:00.000Z'],
    ['2026-07-01T09:30', 'America/New_York', '2026-07-01T13:30:00.000Z'],
    // The day on which daylight saving time begins, and the one on which it ends.
    ['2026-03-29T09:00', 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
    ['2026-10-25T00:30', 'Europe/Berlin', '2026-10-24T22:30:00.000Z'],
  ])('%s in %s is %s', (local, zone, instant) => {
    expect(instantOf(local, zone)).toBe(instant);
    expect(localTimeOf(Date.parse(instant), zone)).toBe(local);
  });

  it('that is none is null', () => {
    expect(instantOf('', 'UTC')).toBeNull();
    expect(instantOf('tomorrow', 'UTC')).toBeNull();
  });
});

describe('the request of a new batch', () => {
  it('leaves out what was not entered', () => {
    expect(bodyOf(emptyBatch(AGENT, 'UTC'), UPLOAD)).toEqual({
      ...{ agent_id: AGENT, upload_id: UPLOAD, concurrency: null, max_attempts: 1 },
    });
  });

  it('has the time of the zone, and when people are called again', () => {
    const values = {
      ...emptyBatch(AGENT, 'Asia/Kolkata'),
      ...{ name: ' June ', when: 'later' as const, scheduled_at: '2026-12-01T09:30', max_attempts: 3 },
      ...{ webhook_url: 'https://example.com', concurrency: 4, from_numbers: ['+918044440000'] },
    };
    expect(bodyOf(values, UPLOAD)).toEqual({
      ...{ agent_id: AGENT, upload_id: UPLOAD, name: 'June', scheduled_at: '2026-12-01T04:00:00.000Z' },
      ...{ webhook_url: 'https://example.com', concurrency: 4, from_numbers: ['+918044440000'] },
      ...{ max_attempts: 3, retry_after_minutes: 60, retry_on: ['no-answer', 'busy'] },
    });
  });

  it('costs a price for each minute of each call', () => {
    expect(costOf(100, 3, 2, 250)).toEqual({ paise: 50_000, most_paise: 150_000 });
    expect(costOf(0, 1, 2, 250)).toEqual({ paise: 0, most_paise: 0 });
  });
});

describe('what is shown of a batch', () => {
  it('has a part of the bar for each outcome, and none for what still waits', () => {
    const none = { voicemail: 0, busy: 0, canceled: 0, skipped: 0, queued: 0, retrying: 0 };
    const counts = { ...none, completed: 4, 'no-answer': 1, failed: 1, 'in-progress': 2, pending: 2 };
    expect(progressParts({ counts, total: 10 })).toEqual([
      { part: 'talked', percent: 40 },
      { part: 'missed', percent: 20 },
      { part: 'live', percent: 20 },
    ]);
  });

  it('says why it is paused, and what is wrong with a row', () => {
    expect(pausedText('by Asha')).toBe('Paused by Asha.');
    expect(pausedText('out of credits')).toContain('Add credits in Billing');
    expect(pausedText('')).toBe('');
    expect(rowErrorText('this is not a phone number')).toBe('This is not a phone number.');
    expect(rowErrorText('a value has at most 2000 characters')).toBe('A value has at most 2000 characters.');
  });
});
