import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import type { Note, Trial } from './trial.ts';
import { TRIAL_VARIABLE } from './trial.ts';

/** A process that has begun with a mutant and writes no note for so long hangs in a loop without an end. */
const SILENT_PROCESS_MS = 120_000;
const TEST_TIMEOUT_MS = 20_000;

export interface TestProcesses {
  /** Runs test files, all when none are named, in a process of their own. */
  run(
    trial: Partial<Trial> & Pick<Trial, 'kind'>,
    files?: readonly string[],
  ): Promise<{ notes: Note[]; passed: boolean }>;
  close(): Promise<void>;
}

/**
 * Starts vitest for the trials of `make mutants`. `include` are glob patterns of test files; `transform` puts the mutants into
 * a source file and returns null for a file without.
 */
export async function createTestProcesses(
  root: string,
  include: string[],
  needsPostgres: boolean,
  transform: (file: string, code: string) => string | null,
): Promise<TestProcesses> {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-mutants-'));
  const notes = join(folder, 'notes');
  process.env[TRIAL_VARIABLE] = join(folder, 'trial.json');
  const vitest = await createVitest(
    {
      root,
      config: false,
      watch: false,
      include,
      runner: join(root, 'dev/mutants/mutant-runner.ts'),
      globalSetup: needsPostgres ? [join(root, 'test/support/postgres-server.ts')] : [],
      pool: 'forks',
      isolate: false,
      // One after the other, since only one mutant is active at a time.
      maxWorkers: 1,
      maxConcurrency: 1,
      testTimeout: TEST_TIMEOUT_MS,
      reporters: [{}],
      env: { ORT_DISABLE_TELEMETRY: '1' },
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform(code, id) {
            const mutated = transform(id.split('?')[0]!, code);
            return mutated === null ? null : { code: mutated, map: null };
          },
        },
      ],
    },
  );
  const specifications = await vitest.globTestSpecifications();

  return {
    async run(trial, files) {
      writeFileSync(process.env[TRIAL_VARIABLE]!, JSON.stringify({ notes, mutant: -1, mutantsOfTest: {}, ...trial }));
      writeFileSync(notes, '');
      const chosen = files ? specifications.filter(({ moduleId }) => files.includes(moduleId)) : specifications;
      const guard = endWhenSilent(notes);
      try {
        const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(chosen);
        const passed = unhandledErrors.length === 0 && testModules.every((module) => module.ok());
        return { notes: readNotes(notes), passed };
      } finally {
        clearInterval(guard);
      }
    },
    async close() {
      await vitest.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readNotes(path: string): Note[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Ends the process that last began a test, once it has written nothing for `SILENT_PROCESS_MS`. */
function endWhenSilent(path: string): NodeJS.Timeout {
  let size = 0;
  let sinceMs = performance.now();
  return setInterval(() => {
    const now = statSync(path).size;
    if (now !== size) {
      size = now;
      sinceMs = performance.now();
      return;
    }
    const last = readNotes(path).findLast((note) => 'begins' in note);
    if (!last || last.begins < 0 || performance.now() - sinceMs < SILENT_PROCESS_MS) return;
    try {
      process.kill(last.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }, 5_000);
}
