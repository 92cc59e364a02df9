import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { afterFile, closeFile } from '../support/after-file.ts';
import { nothingLeftOpen, openResources } from '../support/open-handles.ts';
import RetriesAndSkipsReporter from '../support/retries-and-skips-reporter.ts';

/** What tests may not do, because an error would pass unseen. */

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/**
 * Real calls in real time: a browser that gets no time on a busy machine stumbles over its microphone, and the caller of a test does
 * not hear what its voice activity had no time for.
 */
const MAY_RETRY = [
  'browser/call.test.ts',
  'e2e/browser-call.test.ts',
  'media/leg/browser-end-to-end.test.ts',
  'media/test-caller/test-calls.test.ts',
];

const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== relative(TESTS, import.meta.filename))
  .map((name) => ({ name, text: readFileSync(join(TESTS, name), 'utf8') }));

it('no test is tried again but calls in real time', () => {
  expect(readFileSync(join(TESTS, '../vitest.config.ts'), 'utf8')).not.toMatch(/\bretry\b/);
  const retrying = files
    .filter(({ text }) => /\bretry: *[1-9]|setConfig\([^)]*retry/.test(text))
    .map(({ name }) => name);
  expect(retrying.filter((name) => !MAY_RETRY.includes(name))).toEqual([]);
});

it('a pass that needed a retry and what was skipped are listed', () => {
  const test = (fullName: string, state: string, retryCount = 0) => ({
    fullName,
    result: () => ({ state }),
    diagnostic: () => ({ flaky: retryCount > 0 && state === 'passed', retryCount }),
  });
  const tests = [
    test('is right', 'passed'),
    test('is right in the end', 'passed', 2),
    test('needs a browser', 'skipped'),
  ];
  const module = { moduleId: join(process.cwd(), 'test/a.test.ts'), children: { allTests: () => tests } };
  let text = '';
  new RetriesAndSkipsReporter({ write: (part) => (text += part) }).onTestRunEnd([module as unknown as TestModule]);
  expect(text).toContain('passed only when tried again:\n   test/a.test.ts > is right in the end (2 more)\n');
  expect(text).toContain('skipped:\n   test/a.test.ts (1)\n');
});

it('what a file opens in a hook or a test is closed after it, the last first, whatever throws', async () => {
  const closed: string[] = [];
  afterFile(() => closed.push('first'));
  afterFile(() => {
    throw new Error('it is stuck');
  });
  afterFile(() => closed.push('last'));
  await expect(closeFile()).rejects.toThrow('it is stuck');
  expect(closed).toEqual(['last', 'first']);
});

it('a file that leaves something open fails, and the error has its address', async () => {
  const before = openResources();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(nothingLeftOpen(before, 0)).rejects.toThrow(`tcp 127.0.0.1:${port}`);
  server.close();
  await nothingLeftOpen(before);
});
