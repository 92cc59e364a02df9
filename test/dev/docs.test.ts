import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

it('ARCHITECTURE.md and the guides name files that exist', () => {
  const documents = [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    ...readdirSync(documentPath('docs')).map((name) => `docs/${name}`),
  ];
  const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: documentPath('.'),
  })
    .toString()
    .split('\n');
  const missing = documents
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      [...text(name).matchAll(/`([\w./-]+\.ts)`/g)]
        .map(([, file]) => file!)
        .filter((file) => !sources.some((path) => path === file || path.endsWith(`/${file}`)))
        .map((file) => `${name}: ${file}`),
    );
  expect(missing).toEqual([]);
});

it('links between the documents lead somewhere', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    'examples/README.md',
  ].concat(readdirSync(documentPath('docs')).map((name) => `docs/${name}`));
  const broken = documents
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      [...text(name).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(dirname(documentPath(name)), target)))
        .map((target) => `${name} → ${target}`),
    );
  expect(broken).toEqual([]);
});
