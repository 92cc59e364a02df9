import { expect, it } from 'vitest';
import { actionText } from '../../console/logs/action-text.ts';
import { fieldChanges } from '../../console/logs/change-text.ts';
import { addressWith, auditFiltersIn, dayStart, logFiltersIn } from '../../console/logs/log-filters.ts';

it('filters of logs are in the address, and a change of one goes back to the first page', () => {
  expect(logFiltersIn({ level: 'error', page: '3', other: 'x', q: '' })).toEqual({ level: 'error' });
  expect(auditFiltersIn({ action: 'agent.', actor_id: 'u' })).toEqual({ action: 'agent.', actor_id: 'u' });
  expect(addressWith('/logs', { level: 'error', page: '3' }, 'q', 'a b')).toBe('/logs?level=error&q=a+b');
  expect(addressWith('/logs', { level: 'error' }, 'level', '')).toBe('/logs');
});

it('a day is one of the person who looks', () => {
  expect(dayStart('2026-11-24')).toBe(new Date(2026, 10, 24).toISOString());
  expect(dayStart('2026-11-30', 1)).toBe(new Date(2026, 11, 1).toISOString());
  expect([dayStart(undefined), dayStart('nonsense')]).toEqual([undefined, undefined]);
});

it('actions are said in words, one that this page does not know as it is', () => {
  expect(['agent.updated', 'agent.praised'].map(actionText)).toEqual(['Agent changed', 'agent.praised']);
});

it('changes are written in a line, long values are cut', () => {
  expect(fieldChanges('', { name: ['A', 'B'], on: [true, ['x']], text: ['', 'p'.repeat(200)] })).toEqual([
    { field: 'Name', before: 'A', after: 'B' },
    { field: 'on', before: 'Yes', after: '["x"]' },
    { field: 'text', before: '–', after: `${'p'.repeat(120)}…` },
  ]);
});

it('a change has the name of its field, and of what may hold secrets only that it changed', () => {
  expect(fieldChanges('agent', { 'voice.speed': [1, 1.2], webhook_url: ['changed', 'changed'] })).toEqual([
    { field: 'Voice: speed', before: '1', after: '1.2' },
    { field: 'Webhook address', before: '', after: 'changed' },
  ]);
  expect(fieldChanges('webhook', { active: [true, false] })[0]!.field).toBe('In use');
});
