import { describe, expect, it } from 'vitest';
import {
  comparedIn,
  differenceOf,
  isText,
  shortened,
  textDifference,
  textOf,
} from '../../console/agent-versions/difference.ts';
import { costOfAnswered, periodOf, pointText, RANGES, rangeIn } from '../../console/agent-versions/figures.ts';

describe('the difference of two versions', () => {
  it('names the fields one level into objects, lists as a whole', () => {
    const before = { name: 'Asha', voice: { speed: 1, language: 'hi' }, tools: [{ name: 'look_up' }] };
    const after = { name: 'Asha', voice: { speed: 1.2, language: 'hi' }, tools: [] };
    expect(differenceOf(before, after)).toEqual([
      { path: 'voice.speed', before: 1, after: 1.2 },
      { path: 'tools', before: [{ name: 'look_up' }], after: [] },
    ]);
    expect(differenceOf(before, before)).toEqual([]);
  });

  it('marks the words of a text that changed', () => {
    expect(textDifference('You sell red shoes.', 'You sell blue shoes.')).toEqual([
      { kind: 'same', text: 'You sell ' },
      { kind: 'removed', text: 'red' },
      { kind: 'added', text: 'blue' },
      { kind: 'same', text: ' shoes.' },
    ]);
  });

  it('leaves out lines that are far from any change', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
    const parts = shortened(textDifference(`${lines(20)}old`, `${lines(20)}new`));
    expect(parts[0]).toEqual({ kind: 'gap', lines: 19 });
    expect(parts.slice(1)).toEqual([
      { kind: 'same', text: 'line 19\n' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
    ]);
    expect(shortened(textDifference('a\nold', 'a\nnew'))[0]).toEqual({ kind: 'same', text: 'a\n' });
  });

  it('is a text for what is long or has parts', () => {
    expect([isText('short'), isText('two\nlines'), isText([]), isText(4), isText(null)]).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(textOf([{ name: 'look_up', parameters: { type: 'object' }, headers: {} }, 'shoes'])).toBe(
      '- name: look_up\n  parameters:\n    type: object\n  headers: \n- shoes',
    );
  });

  it('is of the versions that the address names, when they are there', () => {
    expect(comparedIn({ from: '1', to: '3' }, [3, 2, 1])).toEqual({ from: 1, to: 3 });
    const others: Record<string, string>[] = [
      {},
      { from: '1', to: '9' },
      { from: '2', to: '2' },
      { from: 'x', to: '1' },
    ];
    for (const query of others) {
      expect(comparedIn(query, [3, 2, 1])).toBeNull();
    }
  });
});

describe('the cost of an answered call', () => {
  it('is that of all calls of the version, shared by those that were answered', () => {
    expect(costOfAnswered({ cost_paise: 1_000, connected: 3 })).toBe(333);
    expect(costOfAnswered({ cost_paise: 0, connected: 0 })).toBeNull();
  });
});

describe('the figures of an agent', () => {
  it('are of the range in the address, of seven days without one', () => {
    expect([rangeIn({ range: '90' }).days, rangeIn({}).days, rangeIn({ range: '12' }).days]).toEqual([90, 7, 7]);
  });

  it('are asked for by hour for a day, by day with today as the last for more', () => {
    const now = new Date(2026, 2, 10, 15, 30).getTime();
    expect(periodOf(RANGES[0], now)).toEqual({ since: new Date(now - 86_400_000).toISOString(), bucket: 'hour' });
    expect(periodOf(RANGES[1], now)).toEqual({ since: '2026-03-04', bucket: 'day' });
  });

  it('have days and hours below them', () => {
    expect(pointText('2026-03-04', 'en-GB')).toBe('4 Mar');
    expect(pointText('2026-03-04T14:00:00+05:30')).toBe('14:00');
  });
});
