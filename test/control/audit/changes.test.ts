import { expect, it } from 'vitest';
import { changesBetween } from '../../../control/audit/changes.ts';

it('names the fields that differ, with both values', () => {
  const before = { name: 'A', call: { record: true, limit: 1 }, list: ['a'], gone: 1, same: { a: [1] } };
  const after = { name: 'B', call: { record: true, limit: 2 }, list: ['a', 'b'], come: null, same: { a: [1] } };
  expect(changesBetween(before, after)).toEqual({
    name: ['A', 'B'],
    'call.limit': [1, 2],
    list: [['a'], ['a', 'b']],
    gone: [1, null],
  });
});

it('redacts secrets, prompts and long values', () => {
  const before = {
    system_prompt: 'a',
    welcome_message: 'a',
    webhook_url: 'https://a',
    headers: { key: 'a' },
    voice: { secret: 'a' },
    note: 'a',
    tools: [{ url: 'a' }],
  };
  const after = {
    system_prompt: 'b',
    welcome_message: 'b',
    webhook_url: 'https://b',
    headers: { key: 'b' },
    voice: { secret: 'b' },
    note: 'b'.repeat(201),
    tools: [{ url: 'b' }],
  };
  const changed = ['changed', 'changed'];
  expect(changesBetween(before, after)).toEqual({
    system_prompt: changed,
    welcome_message: changed,
    webhook_url: changed,
    headers: changed,
    'voice.secret': changed,
    note: changed,
    tools: changed,
  });
});
