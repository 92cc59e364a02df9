import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One PostgreSQL for the whole run; every test file that wants one gets a database of its own.
    globalSetup: ['test/support/postgres-server.ts'],
    // Test files run side by side in processes of their own, so that one's native modules cannot touch another's.
    pool: 'forks',
    // Most of a test is waiting for sockets and clocks, so more files than cores make good use of the machine.
    maxWorkers: Math.max(3, availableParallelism()),
    env: { ORT_DISABLE_TELEMETRY: '1' },
    // Generous, because they only guard against hanging: what takes how long is the benchmark's business.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    reporters: [['default', { summary: process.stdout.isTTY }], './test/support/retries-and-skips-reporter.ts'],
  },
});
