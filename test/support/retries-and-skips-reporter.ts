import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Lists the tests that passed only when they were tried again, and those that were skipped, after the last test. */
export default class RetriesAndSkipsReporter implements Reporter {
  readonly #write: (text: string) => void;

  /** Vitest gives its reporters an object of options. */
  constructor({ write = (text) => process.stdout.write(text) }: { write?: (text: string) => void } = {}) {
    this.#write = write;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried: string[] = [];
    const skipped: string[] = [];
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      let inFile = 0;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'skipped') inFile++;
        const diagnostic = test.diagnostic();
        if (diagnostic?.flaky) retried.push(`${file} > ${test.fullName} (${diagnostic.retryCount} more)`);
      }
      if (inFile > 0) skipped.push(`${file} (${inFile})`);
    }
    this.#list('passed only when tried again', retried);
    this.#list('skipped', skipped);
  }

  #list(what: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#write(`\n ${what}:\n${lines.map((line) => `   ${line}\n`).join('')}`);
  }
}
