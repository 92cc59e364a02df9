import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../test/support/seeded-random.ts';
import { type Mutation, mutationsOf, withMutations } from './mutants/mutations.ts';
import { createTestProcesses } from './mutants/test-processes.ts';
import { caughtAmong, measureReach } from './mutants/try-mutants.ts';

/**
 * `make mutants MODULE=media/turn`: changes the module's files in one small place at a time and runs the tests that reach the
 * place. A change that no test notices is printed. The tests are those of the folder `test/MODULE`, or those named by TESTS.
 * SAMPLE=100 tries a random hundred of all mutants (SEED), FILE=name.ts one file's.
 */

interface Mutant extends Mutation {
  id: number;
  file: string;
}

const ROOT = join(import.meta.dirname, '..');

const { values: options } = parseArgs({
  options: {
    module: { type: 'string', default: 'media/turn' },
    file: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});

const sources = new Map<string, { source: string; mutants: Mutant[] }>();
const all: Mutant[] = [];
for (const file of filesOf(join(ROOT, options.module))) {
  const source = readFileSync(file, 'utf8');
  const mutants = mutationsOf(source).map((mutation, index) => ({ ...mutation, file, id: all.length + index }));
  all.push(...mutants);
  sources.set(file, { source, mutants });
}

const processes = await createTestProcesses(
  ROOT,
  (options.tests || `test/${options.module}/**/*.test.ts`).split(' '),
  options.module.startsWith('control'),
  (file, code) => {
    const found = sources.get(file);
    return found ? withMutations(code, found.mutants, found.mutants[0]?.id ?? 0) : null;
  },
);

try {
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1_000).toFixed(0);
  const reach = await measureReach(processes);
  const reached = new Set([...reach.outside, ...reach.tests.flatMap((test) => test.reached)]);
  const chosen = sampleOf(all.filter(({ file }) => options.file === '' || basename(file) === options.file));
  console.log(
    `${all.length} mutants in ${sources.size} files, ${chosen.length} of them tried; ${reach.tests.length} tests pass in ${seconds()} s`,
  );
  const caught = await caughtAmong(
    chosen.map(({ id }) => id),
    reach,
    processes,
    (id) => all[id]!.file,
  );
  for (const mutant of chosen) {
    if (!caught.has(mutant.id))
      console.log(`${place(mutant)}${reached.has(mutant.id) ? '' : '   (no test reaches it)'}`);
  }
  printShares(chosen, caught);
  console.log(`in ${seconds()} s`);
} finally {
  await processes.close();
}
// A test process that a mutant left in an endless wait must not keep this one.
process.exit();

function sampleOf(mutants: Mutant[]): Mutant[] {
  const size = Number(options.sample);
  if (size === 0 || size >= mutants.length) return mutants;
  const random = seededRandom(Number(options.seed));
  return mutants
    .map((mutant) => ({ mutant, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, size)
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.id - b.id);
}

function place({ file, start, end, text }: Mutant): string {
  const { source } = sources.get(file)!;
  const line = source.slice(0, start).split('\n').length;
  const short = (code: string) => code.replace(/\s+/g, ' ').slice(0, 90);
  return `survived  ${relative(ROOT, file)}:${line}  ${short(source.slice(start, end))}  ->  ${short(text) || '(left out)'}`;
}

function printShares(chosen: readonly Mutant[], caught: ReadonlySet<number>): void {
  const row = (name: string, mutants: readonly Mutant[]) => {
    const count = mutants.filter(({ id }) => caught.has(id)).length;
    const share = Math.round((100 * count) / mutants.length);
    console.log(`${String(count).padStart(5)} of ${String(mutants.length).padStart(5)}  ${share} %  ${name}`);
  };
  console.log('\ncaught');
  for (const [file, mutants] of Map.groupBy(chosen, ({ file }) => file)) row(relative(ROOT, file), mutants);
  if (chosen.length > 0) row(options.module, chosen);
}

function filesOf(module: string): string[] {
  return (
    readdirSync(module, { recursive: true, encoding: 'utf8' })
      // What runs in a thread of its own is loaded there, without mutants.
      .filter((name) => name.endsWith('.ts') && !name.endsWith('-worker.ts'))
      .sort()
      .map((name) => join(module, name))
  );
}
