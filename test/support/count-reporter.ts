import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with a summary line for scripts: `N passed, 0 failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      // A file that failed to load has no tests.
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
