import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTask, type RunnerTestCase, TestRunner, type TestTryOptions } from 'vitest';
import { type Note, TRIAL_VARIABLE, type Trial } from './trial.ts';

/**
 * Runs the tests in a process of `make mutants`. Starting a process takes longer than most tests, so in one process a test is run
 * as it is, twice, and then with one mutant after the other. When a mutant is caught, the test has to pass again without it:
 * otherwise something of the mutant is left behind, and the process is given up.
 */

declare global {
  var __isMutant: ((id: number) => boolean) | undefined;
}

/** What a test is run with: a mutant, or as it is (at first, and again also after a mutant was caught), or no more. */
type Attempt = 'first' | 'again' | 'none' | number;

const NO_MUTANT = -1;
/** How long a test may take with a mutant, besides ten times its usual time. */
const HANGS_AFTER_MS = 3_000;
/** How many questions a test may ask with a mutant, besides twenty times the usual number: more are a loop without an end. */
const MORE_QUESTIONS = 1_000_000;

const trial: Trial = JSON.parse(readFileSync(process.env[TRIAL_VARIABLE]!, 'utf8'));
const note = (text: Note) => appendFileSync(trial.notes, `${JSON.stringify(text)}\n`);
// Before a test can put its own in their place.
const { setImmediate, setTimeout, clearTimeout } = globalThis;

let active = trial.kind === 'alone' ? trial.mutant : NO_MUTANT;
let asked = 0;
let mostQuestions = Number.POSITIVE_INFINITY;
let reached = new Set<number>();
/** Something failed that the test itself may not notice. */
let failedUnnoticed = false;

globalThis.__isMutant = (id) => {
  if (++asked > mostQuestions) {
    failedUnnoticed = true;
    throw new Error('the mutant does not end');
  }
  if (trial.kind === 'measure') reached.add(id);
  return id === active;
};
note({ begins: active, pid: process.pid });
process.on('unhandledRejection', () => (failedUnnoticed = true));
process.on('uncaughtException', () => (failedUnnoticed = true));

export default class MutantRunner extends TestRunner {
  #attempt: Attempt = 'first';
  #begunAt = 0;
  /** Of the running test's first attempt. */
  #usual = { ms: 0, asked: 0 };
  readonly #caught = new Set<number>();
  #justCaught: number | null = null;
  #over = false;

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    noteOutside();
    if (this.#over) super.cancel('test-failure');
    if (trial.kind === 'in-turn' && !trial.mutantsOfTest[test.id]) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    if (test.type !== 'test' || trial.kind === 'alone') return;
    test.retry = 0;
    if (trial.kind === 'in-turn') test.repeats = Number.POSITIVE_INFINITY;
  }

  override onBeforeTryTask(test: RunnerTask, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    asked = 0;
    mostQuestions = Number.POSITIVE_INFINITY;
    failedUnnoticed = false;
    this.#begunAt = performance.now();
    if (trial.kind === 'alone') note({ begins: active, pid: process.pid });
    if (trial.kind === 'alone' || test.type !== 'test') return;
    if (options.repeats === 0) this.#attempt = 'first';
    else this.#attempt = this.#nextAttempt(test, options.repeats === 1);
    if (this.#attempt === 'none') test.context.skip();
    Object.assign(test.result!, { errors: undefined, attempts: [] });
    if (typeof this.#attempt !== 'number') return;
    active = this.#attempt;
    mostQuestions = MORE_QUESTIONS + 20 * this.#usual.asked;
    note({ begins: active, pid: process.pid });
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (typeof this.#attempt !== 'number') return run();
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('the mutant keeps the test waiting'));
      timer = setTimeout(giveUp, HANGS_AFTER_MS + 10 * this.#usual.ms);
    });
    await Promise.race([run(), hangs]).finally(() => clearTimeout(timer));
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    // A rejection that nobody handles is known only after this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const { id: name, result } = test;
    if (this.#attempt === 'none') return;
    const failed = (result?.state === 'fail') !== (test.fails === true) || failedUnnoticed;
    if (trial.kind === 'alone') {
      this.#over ||= failed;
      return;
    }
    active = NO_MUTANT;
    if (typeof this.#attempt === 'number') {
      note({ tried: this.#attempt, test: name, caught: failed });
      if (failed) this.#caught.add(this.#attempt);
      this.#justCaught = failed ? this.#attempt : null;
      return;
    }
    if (this.#attempt === 'first') {
      const ms = performance.now() - this.#begunAt;
      this.#usual = { ms, asked };
      if (trial.kind === 'measure') {
        note({ test: name, file: test.file.filepath, passed: !failed, ms, reached: [...reached] });
      }
      reached = new Set();
    }
    if (trial.kind === 'in-turn' && failed) {
      note({ spoiled: name, by: this.#justCaught });
      this.#over = true;
    }
    this.#justCaught = null;
  }

  override async onAfterRunSuite(suite: Parameters<TestRunner['onAfterRunSuite']>[0]): Promise<void> {
    await super.onAfterRunSuite(suite);
    noteOutside();
  }

  #nextAttempt(test: RunnerTestCase, isSecond: boolean): Attempt {
    if (this.#over) return 'none';
    if (isSecond || this.#justCaught !== null) return 'again';
    const left = trial.mutantsOfTest[test.id] ?? [];
    return left.splice(0, left.findIndex((id) => !this.#caught.has(id)) + 1).at(-1) ?? 'none';
  }
}

/** Notes what was reached since the last test. */
function noteOutside(): void {
  if (reached.size > 0) note({ outside: [...reached] });
  reached = new Set();
}
