import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// Node's own cache of what it compiled, for the test processes and the programs that tests start. It is checked against the source.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/compiled');
const FAST_START = new URL('./dev/fast-start.mjs', import.meta.url);
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${FAST_START.href}`.trim();

/** Tests that load native modules, or measure their process's memory and handles. */
const OWN_PROCESS = [
  'test/fuzz/*.test.ts',
  'test/media/*.test.ts',
  'test/media/leg/**/*.test.ts',
  'test/media/audio/{beep,denoise,opus}*.test.ts',
  'test/media/stt/pocketsphinx*.test.ts',
  'test/media/turn/{vad,voice-activity,turn-detector}*.test.ts',
  'test/control/knowledge/hostile-*.test.ts',
  // The names of schemas are kept by process.
  'test/control/http/generated-client.test.ts',
  'test/conformance/**/local.test.ts',
  'test/shared/name-resolver.test.ts',
];

/** Tests in a real browser: `make browser`. The others need none, and are `make test`. */
const BROWSER = [
  'test/browser/**/*.test.ts',
  'test/e2e/browser-call.test.ts',
  'test/media/leg/browser-end-to-end.test.ts',
];

/** Tests that start programs, and wait for them most of the time. */
const PROGRAMS = ['test/{bench,dev,e2e,faults}/**/*.test.ts', 'test/control/{main,operator}.test.ts'];

/** Speech in real time, judged by what was heard: they run last and alone, because a busy machine hears less. */
const REAL_TIME = ['test/media/test-caller/test-calls.test.ts'];

const common = {
  // Most of a test is waiting for sockets and clocks, so more files than cores make good use of the machine.
  maxWorkers: Math.max(5, availableParallelism()),
  pool: 'forks',
  setupFiles: ['test/support/each-file.ts'],
  // Node imports the files itself, as it does in service, and keeps what it compiled. No test mocks a module.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  env: { ORT_DISABLE_TELEMETRY: '1' },
  // Generous, because they only guard against hanging: what takes how long is the benchmark's business.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
} satisfies TestProjectInlineConfiguration['test'];

export default defineConfig({
  test: {
    // One PostgreSQL for the whole run; every test file that wants one gets a database of its own.
    globalSetup: ['test/support/postgres-server.ts'],
    teardownTimeout: 20_000,
    maxWorkers: common.maxWorkers,
    reporters: [['default', { summary: process.stdout.isTTY }], './test/support/retries-and-skips-reporter.ts'],
    // In the order of their names: the long files first, and then what fills the rest of the time. Where processes are shared,
    // one runs a file after the other, so that modules are loaded four times and not four hundred times.
    projects: [
      { test: { ...common, name: 'browser', include: BROWSER, isolate: false } },
      { test: { ...common, name: 'own process', include: OWN_PROCESS, exclude: BROWSER } },
      { test: { ...common, name: 'programs', include: PROGRAMS, exclude: BROWSER, isolate: false } },
      { test: { ...common, name: 'real time', include: REAL_TIME, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      {
        test: {
          ...common,
          name: 'shared process',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...OWN_PROCESS, ...PROGRAMS, ...REAL_TIME],
          isolate: false,
          env: { ...common.env, SHARED_PROCESS: '1' },
        },
      },
    ],
  },
});
