import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What the README promises of settings holds for `docker compose` too. */

const text = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const compose = text('compose.yaml');

/** Folders of the host: whoever wants them mounts them, and names them then. `make` is not Compose. */
const NOT_PASSED_ON = new Set(['TAPES_DIR', 'LANGUAGE_MODELS_DIR', 'CONSOLE_DIR', 'ANTIPHON_HOME']);

/** The lines of a service, up to the next one. */
function service(name: string): string {
  const lines = compose.split('\n');
  const from = lines.indexOf(`  ${name}:`);
  const length = lines.slice(from + 1).findIndex((line) => /^ {0,2}\S/.test(line));
  return lines.slice(from + 1, from + 1 + length).join('\n');
}

const passedOn = (name: string) => [...service(name).matchAll(/^ {6}([A-Z_]+): /gm)].map((match) => match[1]!);
const ofImage = (name: string) => [...text(`Dockerfile.${name}`).matchAll(/\b([A-Z_]+)=/g)].map((match) => match[1]!);

/** Names in the README's table of settings, by the program they are of. */
function promised(program: string): string[] {
  const rows = [...text('README.md').matchAll(/^\| (`[A-Z_`, ]+`) \| (make|control|media|both) \|/gm)];
  return rows
    .filter(([, , of]) => of === program || of === 'both')
    .flatMap(([, names]) => [...names!.matchAll(/[A-Z_]+/g)].map(([name]) => name));
}

it.each(['control', 'media'])('every setting of %s that the README names reaches it', (program) => {
  expect(promised(program).length).toBeGreaterThan(20);
  const given = new Set([...passedOn(program), ...ofImage(program), ...NOT_PASSED_ON]);
  expect(promised(program).filter((name) => !given.has(name))).toEqual([]);
});

it('letters that no mail server takes outlive the container', () => {
  const folder = /MAIL_DIR=(\S+)/.exec(text('Dockerfile.control'))![1];
  expect(service('control')).toMatch(new RegExp(`^ {6}- \\w+:${folder}$`, 'm'));
});
