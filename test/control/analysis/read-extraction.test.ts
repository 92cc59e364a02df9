import { describe, expect, it } from 'vitest';
import { type Extraction, parseExtraction } from '../../../control/analysis/read-extraction.ts';

const choices = [
  { value: 'Yes, now', when: 'pays today' },
  { value: 'later', when: '' },
];

/** Values that a model returns for a key of each type, and what is saved. */
const TABLE: [type: Extraction['type'], given: unknown, saved: unknown][] = [
  ['text', '  Pune ', 'Pune'],
  ['text', 42, '42'],
  ['text', true, 'true'],
  ['text', '', null],
  ['text', '   ', null],
  ['text', null, null],
  ['text', ['a'], null],
  ['text', { a: 1 }, null],
  ['text', 'x'.repeat(3_000), 'x'.repeat(2_000)],
  ['text', `nul\0 and half \ud83d`, 'nul and half \ufffd'],

  ['number', 12, 12],
  ['number', -1.5, -1.5],
  ['number', '12', 12],
  ['number', ' 1,20,000.50 ', 120_000.5],
  ['number', '₹ 500', 500],
  ['number', 'Rs. 2,500', 2_500],
  ['number', '12%', 12],
  ['number', '3 people', 3],
  ['number', '-7', -7],
  ['number', 'five', null],
  ['number', '1.234,56', null],
  ['number', '3 or 4', null],
  ['number', '', null],
  ['number', Number.NaN, null],
  ['number', Number.POSITIVE_INFINITY, null],
  ['number', '9'.repeat(400), null],
  ['number', true, null],
  ['number', [1], null],

  ['boolean', true, true],
  ['boolean', false, false],
  ['boolean', 'Yes', true],
  ['boolean', ' no ', false],
  ['boolean', 'हाँ', true],
  ['boolean', 1, true],
  ['boolean', 0, false],
  ['boolean', 'maybe', null],
  ['boolean', 2, null],
  ['boolean', null, null],

  ['choice', 'later', 'later'],
  ['choice', ' LATER', 'later'],
  ['choice', 'yes, now', 'Yes, now'],
  ['choice', 'never', null],
  ['choice', ['later'], null],
  ['choice', null, null],

  ['date', '2026-11-24', '2026-11-24'],
  ['date', '2026-11-24T17:30', '2026-11-24T17:30'],
  ['date', '2026-11-24 17:30:00', '2026-11-24T17:30'],
  ['date', '2026-11-24T17:30:00+05:30', '2026-11-24T17:30'],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2026-02-29', null],
  ['date', '2026-13-01', null],
  ['date', '2026-11-24T25:00', null],
  ['date', '24/11/2026', null],
  ['date', 'tomorrow', null],
  ['date', 20261124, null],

  ['list', ['a', ' b ', '', null, 3, { c: 1 }], ['a', 'b', '3']],
  ['list', [], []],
  ['list', 'rice, dal; bread', ['rice', 'dal', 'bread']],
  ['list', Array.from({ length: 80 }, (_, n) => n), Array.from({ length: 50 }, (_, n) => String(n))],
  ['list', ['x'.repeat(400)], ['x'.repeat(300)]],
  ['list', { a: 1 }, null],
  ['list', null, null],
];

describe('an extracted value', () => {
  it.each(TABLE.map((row, index) => [index, ...row] as const))('%i: %s', (_, type, given, saved) => {
    expect(parseExtraction({ type, choices }, given)).toEqual(saved);
  });

  it('of a choice without choices is null', () => {
    expect(parseExtraction({ type: 'choice', choices: [] }, 'later')).toBe(null);
  });
});
