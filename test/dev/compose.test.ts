import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** `docker compose` passes all documented settings. */

const text = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const compose = text('compose.yaml');

/** The lines of a service, up to the next one. */
function service(name: string): string {
  const lines = compose.split('\n');
  const from = lines.indexOf(`  ${name}:`);
  const length = lines.slice(from + 1).findIndex((line) => /^ {0,2}\S/.test(line));
  return lines.slice(from + 1, from + 1 + length).join('\n');
}

it.each(['control', 'media'])("%s reads every further setting from the providers' file and its own", (program) => {
  expect(service(program)).toContain(
    `env_file: [{ path: providers.env, required: false }, { path: ${program}.env, required: false }]`,
  );
});

it('control starts when the database is migrated', () => {
  expect(service('migrate')).toContain('control/operator.ts, migrate]');
  expect(service('control')).toMatch(/migrate:\n {8}condition: service_completed_successfully/);
});

it('e-mails that no mail server takes outlive the container', () => {
  const folder = /MAIL_DIR=(\S+)/.exec(text('Dockerfile.control'))![1];
  expect(service('control')).toMatch(new RegExp(`^ {6}- \\w+:${folder}$`, 'm'));
});
