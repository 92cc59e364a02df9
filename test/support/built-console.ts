import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { buildConsole } from '../../dev/build-console.ts';
import { eventually } from './until.ts';

const WITHIN_MS = 120_000;

/** Returns the folder of the web page, which the first of a run's files that ask builds, and the others wait for. */
export async function builtConsole(): Promise<string> {
  const dir = join(inject('runFolder'), 'console');
  const done = `${dir}.done`;
  try {
    mkdirSync(dir);
  } catch {
    return eventually('the console to be built', WITHIN_MS, async () => (existsSync(done) ? dir : null));
  }
  await buildConsole(dir);
  writeFileSync(done, '');
  return dir;
}
