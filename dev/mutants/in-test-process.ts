import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

/** Runs in every test process of `make mutants`: knows which mutant is active, and writes down which ones a test file reaches. */

declare global {
  var __isMutant: ((id: number) => boolean) | undefined;
}

const active = Number(process.env.MUTANT ?? -1);
const folder = process.env.MUTANTS_FOLDER ?? '';
/** More questions than this are a loop without an end. */
const most = Number(process.env.MUTANTS_MOST ?? Number.POSITIVE_INFINITY);
const reached = new Set<number>();
let asked = 0;

globalThis.__isMutant = (id) => {
  if (++asked > most) throw new Error('the mutant does not end');
  if (active < 0) reached.add(id);
  return id === active;
};

afterAll(() => {
  if (active >= 0) return;
  const file = expect.getState().testPath ?? '';
  writeFileSync(
    join(folder, `${encodeURIComponent(file)}.json`),
    JSON.stringify({ file, asked, reached: [...reached] }),
  );
});
