import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Conversations in real time on a machine that others use too: one that stood still for seconds is no fault of ours. What
    // fails three times in a row is.
    retry: process.env.CI ? 2 : 0,
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
    reporters: process.stdout.isTTY ? ['default'] : [['default', { summary: false }]],
  },
});
