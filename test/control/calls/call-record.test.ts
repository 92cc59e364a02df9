import { describe, expect, it } from 'vitest';
import { readGuardrailModel } from '../../../control/calls/after-call/after-call-worker.ts';
import { jsonCell } from '../../../control/calls/api/export-calls.ts';
import { timelineItemIn } from '../../../control/calls/call-record.ts';

describe('the timeline in a zone', () => {
  const itemAt = (at: unknown, type = 'call.rescheduled') => ({ type, data: { at, note: 'x' } });
  const inKolkata = (at: unknown, type?: string) => timelineItemIn('Asia/Kolkata', itemAt(at, type)).data.at;

  it('has the time of a booked call back in the zone, however it is written', () => {
    expect(inKolkata('2026-11-23T10:00:00.000+00:00')).toMatch(/^2026-11-23T15:30:00.*\+05:30$/);
    expect(inKolkata(Date.UTC(2026, 10, 23, 10))).toMatch(/^2026-11-23T15:30:00.*\+05:30$/);
  });

  it.each([null, undefined, 'soon', true])('leaves the time %j as it is', (at) => {
    expect(timelineItemIn('Asia/Kolkata', itemAt(at))).toEqual(itemAt(at));
  });

  it('leaves other events as they are', () => {
    expect(inKolkata('2026-11-23T10:00:00Z', 'tool.called')).toBe('2026-11-23T10:00:00Z');
  });
});

it.each([
  ['text', 'text'],
  [7, 7],
  [false, false],
  [null, null],
  [undefined, null],
  [[1, 'b'], '[1,"b"]'],
  [{ b: 1 }, '{"b":1}'],
])('the extracted value %j is %j in an export', (value, cell) => {
  expect(jsonCell({ key: value }, 'key')).toBe(cell);
});

it('a key that was not extracted is empty in an export, also one that every object has', () => {
  expect([jsonCell({}, 'key'), jsonCell({}, 'constructor')]).toEqual([null, null]);
});

describe('the model of the guardrail check', () => {
  const read = (GUARDRAIL_MODEL: string, settings = {}) =>
    readGuardrailModel({ GUARDRAIL_MODEL, ...settings } as Parameters<typeof readGuardrailModel>[0]);

  it("is the agent's own, or the one that the setting names", () => {
    expect(read('')).toBeNull();
    const openai = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://api.openai.com/v1' };
    expect(read('openai/gpt-4.1-mini', openai)).toEqual({ provider: 'openai', model: 'gpt-4.1-mini' });
  });

  it('is refused when it names none, or one that is not set up', () => {
    expect(() => read('gpt-4.1-mini')).toThrow(/^GUARDRAIL_MODEL: /);
    expect(() => read('openai/gpt-4.1-mini', { OPENAI_API_KEY: '' })).toThrow(
      'OPENAI_API_KEY is missing: GUARDRAIL_MODEL is openai/gpt-4.1-mini',
    );
  });
});
