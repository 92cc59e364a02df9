/** The environment variable with the path of the file that holds a test process's `Trial`. */
export const TRIAL_VARIABLE = 'MUTANTS_TRIAL';

/** What `make mutants` asks of a test process. */
export interface Trial {
  /** Where the process writes its notes, one JSON object a line. */
  notes: string;
  /**
   * `measure` runs every test once without mutants. `in-turn` runs the tests that have mutants with them, one after the other.
   * `alone` has one mutant active from the first line of the first module on, and stops at the first test that fails.
   */
  kind: 'measure' | 'in-turn' | 'alone';
  mutant: number;
  mutantsOfTest: Record<string, number[]>;
}

/** A test without mutants. */
export interface MeasuredTest {
  test: string;
  file: string;
  passed: boolean;
  ms: number;
  reached: number[];
}

export type Note =
  | MeasuredTest
  /** Reached outside of tests: while modules are loaded, and before and after the tests of a file. */
  | { outside: number[] }
  /** A test begins with a mutant; `pid` is the process to end if it never finishes. */
  | { begins: number; pid: number }
  | { tried: number; test: string; caught: boolean }
  /** A test fails without mutants in this process: from the start, or because of the mutant that was tried before. */
  | { spoiled: string; by: number | null };
