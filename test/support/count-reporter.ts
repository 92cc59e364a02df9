import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one line that a person and a script can read: `N passed, 0 failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      // A file that could not be read has no tests that could fail.
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failed++;
      }
    }
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
