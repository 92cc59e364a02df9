import { expect, test } from 'vitest';
import type { SearchResult } from '../../console/generated/api.ts';
import { foundDetail } from '../../console/palette/found-detail.ts';
import { fitting, foundGroups, nextIndex } from '../../console/palette/palette-entries.ts';
import { shortcutOf } from '../../console/palette/shortcuts.ts';

const key = (key: string, more: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
const where = (more: object = {}) => ({
  ...{ apple: false, writing: false, begun: false, enabled: true, pages: new Map([['a', '/agents']]) },
  ...more,
});

test('Ctrl+K opens the palette, ⌘K on machines of Apple, also while one writes', () => {
  expect(shortcutOf(key('k', { ctrlKey: true }), where({ writing: true }))).toEqual({ type: 'palette' });
  expect(shortcutOf(key('K', { metaKey: true }), where({ apple: true }))).toEqual({ type: 'palette' });
  expect(shortcutOf(key('k', { ctrlKey: true }), where({ apple: true }))).toBeNull();
  expect(shortcutOf(key('k', { metaKey: true }), where())).toBeNull();
});

test('g and another key go to a page, ? shows the keys, and neither does anything while one writes', () => {
  expect(shortcutOf(key('g'), where())).toEqual({ type: 'begin' });
  expect(shortcutOf(key('a'), where({ begun: true }))).toEqual({ type: 'go', href: '/agents' });
  expect(shortcutOf(key('z'), where({ begun: true }))).toBeNull();
  expect(shortcutOf(key('a'), where())).toBeNull();
  expect(shortcutOf(key('?'), where())).toEqual({ type: 'help' });
  for (const not of [{ writing: true }, { enabled: false }]) {
    expect(['g', '?'].map((each) => shortcutOf(key(each), where(not)))).toEqual([null, null]);
  }
});

test('the palette has the pages whose name has every word', () => {
  const entries = ['Agents', 'Calls'].map((text) => ({ id: text, text, detail: '', href: `/${text}` }));
  expect(fitting(entries, 'AG').map(({ text }) => text)).toEqual(['Agents']);
  expect(fitting(entries, ' ').map(({ text }) => text)).toEqual(['Agents', 'Calls']);
  expect(fitting(entries, 'age calls')).toEqual([]);
});

test('the palette has what the service found, by kind', () => {
  const hit = (id: string) => ({ id, title: `title ${id}`, subtitle: '', at: null });
  const found: SearchResult = { agents: [hit('1')], calls: [], batches: [], knowledge_bases: [], numbers: [hit('2')] };
  const titles = { agents: 'Agents', calls: 'Calls', batches: 'Batches', knowledge_bases: 'Knowledge', numbers: 'N' };
  expect(foundGroups(found, titles)).toEqual([
    { title: 'Agents', entries: [{ id: 'agents-1', text: 'title 1', detail: '', href: '/agents/1' }] },
    { title: 'N', entries: [{ id: 'numbers-2', text: 'title 2', detail: '', href: '/numbers' }] },
  ]);
});

test('the palette says the status of what was found in words', () => {
  expect([
    foundDetail('agents', 'active'),
    foundDetail('agents', 'paused'),
    foundDetail('calls', 'Maya · no-answer'),
    foundDetail('batches', 'running · 4 contacts'),
    foundDetail('numbers', 'Maya'),
  ]).toEqual(['', 'Paused', 'Maya · No answer', 'Running · 4 contacts', 'Maya']);
});

test('arrow keys go round', () => {
  expect([nextIndex(0, 'ArrowUp', 3), nextIndex(2, 'ArrowDown', 3), nextIndex(0, 'ArrowDown', 0)]).toEqual([2, 0, 0]);
});
