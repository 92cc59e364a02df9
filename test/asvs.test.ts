import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** docs/asvs.md names every requirement of level 2 once, and only tests that exist. */

const ROOT = join(import.meta.dirname, '..');
const document = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');
const rows = [...document.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+?) \| (.+?) \| (.*) \|$/gm)].map(
  ([, id, requirement, state, why]) => ({ id: id!, requirement: requirement!, state: state!, why: why! }),
);
/** Requirements of levels 1 and 2 by chapter. */
const CHAPTERS = { 1: 38, 2: 53, 3: 18, 4: 9, 5: 30, 6: 13, 7: 12, 8: 15, 9: 7, 10: 5, 11: 8, 12: 15, 13: 13, 14: 23 };

it('names every requirement once, with its state and a test or a reason', () => {
  const byChapter = Map.groupBy(rows, ({ id }) => id.split('.')[0]!);
  const chapters = Object.fromEntries([...byChapter].map(([chapter, of]) => [chapter, of.length]));
  expect(chapters).toEqual(CHAPTERS);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const unfounded = rows.filter(({ state, why }) => !['met', 'partly', 'not', 'n/a'].includes(state) || why.length < 5);
  expect(unfounded).toEqual([]);
});

it('counts the states as they are', () => {
  const times = (state: string) => rows.filter((row) => row.state === state).length;
  const counted = ['met', 'partly', 'not', 'n/a'].map((state) => `${state} ${times(state)}`).join(' · ');
  expect(document).toContain(`${rows.length} requirements: ${counted}.`);
});

it('names only tests that exist', () => {
  const named = rows.flatMap(({ id, why }) => [...why.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => `${id} ${file}`));
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter((each) => !existsSync(join(ROOT, each.split(' ')[1]!)))).toEqual([]);
});
