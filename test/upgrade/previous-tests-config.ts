import { defineConfig } from 'vitest/config';

/** Tests of the previous program, from its folder, on databases with the schema of this one. */
export default defineConfig({
  test: {
    globalSetup: [new URL('../support/postgres-server.ts', import.meta.url).pathname],
    setupFiles: ['test/support/each-file.ts'],
    pool: 'forks',
    maxWorkers: 2,
    env: { ORT_DISABLE_TELEMETRY: '1' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['dot'],
  },
});
