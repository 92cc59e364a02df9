import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification } from 'vitest/node';
import { seededRandom } from '../test/support/seeded-random.ts';
import { type Mutation, mutationsOf, withMutations } from './mutants/mutations.ts';

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
const MUTANT_TIMEOUT_MS = 20_000;
/** As often as in the tests of the original, with room for a longer way to the same end. */
const MORE_QUESTIONS = 20;

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

const folder = mkdtempSync(join(tmpdir(), 'antiphon-mutants-'));
process.env.MUTANTS_FOLDER = folder;
const vitest = await createVitest(
  {
    root: ROOT,
    config: false,
    watch: false,
    include: (options.tests || `test/${options.module}/**/*.test.ts`).split(' '),
    setupFiles: [join(ROOT, 'dev/mutants/in-test-process.ts')],
    globalSetup: options.module.startsWith('control') ? [join(ROOT, 'test/support/postgres-server.ts')] : [],
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    testTimeout: MUTANT_TIMEOUT_MS,
    reporters: [{}],
    env: { ORT_DISABLE_TELEMETRY: '1' },
  },
  {
    plugins: [
      {
        name: 'mutants',
        enforce: 'pre',
        transform(code, id) {
          const found = sources.get(id.split('?')[0]!);
          return found && { code: withMutations(code, found.mutants, found.mutants[0]?.id ?? 0), map: null };
        },
      },
    ],
  },
);

try {
  const specifications = await vitest.globTestSpecifications();
  const begun = performance.now();
  if (!(await passes(-1, specifications))) throw new Error('the tests fail without any mutant');
  const testFiles = reachedBy();
  process.env.MUTANTS_MOST = String(1e6 + MORE_QUESTIONS * testFiles.reduce((sum, { asked }) => sum + asked, 0));
  const chosen = sampleOf(all.filter(({ file }) => options.file === '' || basename(file) === options.file));
  console.log(
    `${all.length} mutants in ${sources.size} files, ${chosen.length} of them tried; ${specifications.length} test files pass in ` +
      `${((performance.now() - begun) / 1_000).toFixed(0)} s`,
  );
  const tally = new Map<string, { tried: number; caught: number }>();
  for (const mutant of chosen) {
    const reaching = testFiles.filter(({ reached }) => reached.has(mutant.id)).map(({ file }) => file);
    const caught =
      reaching.length > 0 &&
      !(await passes(
        mutant.id,
        specifications.filter(({ moduleId }) => reaching.includes(moduleId)),
      ));
    const count = tally.get(mutant.file) ?? { tried: 0, caught: 0 };
    count.tried++;
    if (caught) count.caught++;
    else console.log(`${place(mutant)}${reaching.length === 0 ? '   (no test reaches it)' : ''}`);
    tally.set(mutant.file, count);
  }
  printShares(tally);
} finally {
  await vitest.close();
  rmSync(folder, { recursive: true, force: true });
}
// A test process that a mutant left in an endless wait must not keep this one.
process.exit();

async function passes(mutant: number, specifications: TestSpecification[]): Promise<boolean> {
  process.env.MUTANT = String(mutant);
  const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(specifications);
  return unhandledErrors.length === 0 && testModules.every((module) => module.ok());
}

function reachedBy(): { file: string; asked: number; reached: Set<number> }[] {
  return readdirSync(folder).map((name) => {
    const { file, asked, reached } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return { file, asked, reached: new Set<number>(reached) };
  });
}

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

function printShares(tally: ReadonlyMap<string, { tried: number; caught: number }>): void {
  let tried = 0;
  let caught = 0;
  const row = (name: string, of: { tried: number; caught: number }) =>
    console.log(
      `${String(of.caught).padStart(5)} of ${String(of.tried).padStart(5)}  ${Math.round((100 * of.caught) / of.tried)} %  ${name}`,
    );
  console.log('\ncaught');
  for (const [file, count] of tally) {
    row(relative(ROOT, file), count);
    tried += count.tried;
    caught += count.caught;
  }
  if (tried > 0) row(options.module, { tried, caught });
}

function filesOf(module: string): string[] {
  return readdirSync(module, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(module, name));
}
