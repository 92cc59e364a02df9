import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readControlConfig } from '../../control/config.ts';
import { DOCUMENTS, documentPath, withTables } from '../../dev/write-docs.ts';
import { readMediaConfig } from '../../media/config.ts';

/** The documents say what the code does: `make docs` writes the derived tables. */

const text = (name: string) => readFileSync(documentPath(name), 'utf8');
const secret = { MEDIA_TOKEN_SECRET: 'sixteen characters', RECORDINGS_DIR: '/tmp' };
const control = Object.keys(readControlConfig({ ...secret, DATABASE_URL: 'postgres://localhost/x' }));
const media = Object.keys(readMediaConfig(secret));

/** Settings in the tables of docs/settings.md, by the program they are of. */
function documented(program: 'control' | 'media'): string[] {
  const rows = [...text('docs/settings.md').matchAll(/^\| (`[A-Z0-9_`, ]+`) \| (control|media|both) \|/gm)];
  return rows
    .filter(([, , of]) => of === program || of === 'both')
    .flatMap(([, names]) => [...names!.matchAll(/[A-Z][A-Z0-9_]+/g)].map(([name]) => name));
}

it.each(DOCUMENTS)('the derived tables of %s are up to date', (name) => {
  expect(withTables(text(name))).toBe(text(name));
});

it.each([
  ['control', control],
  ['media', media],
] as const)('every setting of %s is documented, and no other', (program, names) => {
  expect(names.filter((name) => !documented(program).includes(name))).toEqual([]);
  const readElsewhere = ['MEDIASOUP_WORKER_BIN'];
  expect(documented(program).filter((name) => !names.includes(name) && !readElsewhere.includes(name))).toEqual([]);
});
