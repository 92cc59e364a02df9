import type { TestProcesses } from './test-processes.ts';
import type { MeasuredTest, Note } from './trial.ts';

/** Tests of at most so many milliseconds come first: what they catch need not be tried with slower ones. */
const SPEEDS_MS = [10, 50, 250, Number.POSITIVE_INFINITY];

export interface Reach {
  tests: MeasuredTest[];
  /** Mutants that are reached outside of tests too, such as while a module is loaded. */
  outside: Set<number>;
}

/** Runs all tests without mutants, to see which test reaches which mutant. Those that fail are left out and named. */
export async function measureReach(processes: TestProcesses): Promise<Reach> {
  const { notes } = await processes.run({ kind: 'measure' });
  const tests = notes.filter((note) => 'passed' in note);
  if (tests.length === 0) throw new Error('no test was run');
  for (const { passed, test, file } of tests) if (!passed) console.log(`fails without any mutant: ${test} of ${file}`);
  return {
    tests: tests.filter(({ passed }) => passed),
    outside: new Set(notes.flatMap((note) => ('outside' in note ? note.outside : []))),
  };
}

/** Returns those of the mutants that a test notices. `fileOf` names a mutant's source file. */
export async function caughtAmong(
  mutants: readonly number[],
  { tests, outside }: Reach,
  processes: TestProcesses,
  fileOf: (mutant: number) => string,
): Promise<Set<number>> {
  const caught = new Set<number>();
  /** Those that leave something behind in their process: another one decides. */
  const unclear = new Set<number>();
  const tried = new Set<string>();
  /** Tests that do not pass twice in one process. */
  const unusable = new Set<string>();

  for (const speedMs of SPEEDS_MS) {
    for (;;) {
      const mutantsOfTest: Record<string, number[]> = {};
      const files = new Set<string>();
      for (const { test, file, ms, reached } of tests) {
        if (ms > speedMs || unusable.has(test)) continue;
        const open = new Set(reached);
        const left = mutants.filter(
          (id) => open.has(id) && !caught.has(id) && !unclear.has(id) && !tried.has(`${test} ${id}`),
        );
        if (left.length === 0) continue;
        mutantsOfTest[test] = left;
        files.add(file);
      }
      if (files.size === 0) break;
      const { notes } = await processes.run({ kind: 'in-turn', mutantsOfTest }, [...files]);
      if (!take(notes)) throw new Error('a test process ended without a result');
    }
  }

  /** Returns whether anything became known. */
  function take(notes: readonly Note[]): boolean {
    let begun: number | null = null;
    let known = false;
    for (const note of notes) {
      if ('begins' in note) begun = note.begins;
      if ('tried' in note) {
        begun = null;
        tried.add(`${note.test} ${note.tried}`);
        if (note.caught) caught.add(note.tried);
      }
      if ('spoiled' in note) {
        if (note.by === null) unusable.add(note.spoiled);
        else {
          caught.delete(note.by);
          unclear.add(note.by);
        }
      }
      known ||= 'tried' in note || 'spoiled' in note;
    }
    if (begun !== null && begun >= 0) unclear.add(begun);
    return known || (begun !== null && begun >= 0);
  }

  for (const mutant of mutants.filter((id) => !caught.has(id))) {
    const reaching = tests.filter(({ test, reached }) => {
      if (outside.has(mutant)) return reached.some((id) => fileOf(id) === fileOf(mutant));
      return reached.includes(mutant) && (unclear.has(mutant) || unusable.has(test));
    });
    // What no test reaches again after it was loaded or set up, any of them may notice.
    const noticing = reaching.length === 0 && outside.has(mutant) ? tests : reaching;
    const files = noticing.map(({ file }) => file);
    if (files.length > 0 && !(await processes.run({ kind: 'alone', mutant }, files)).passed) caught.add(mutant);
  }
  return caught;
}
