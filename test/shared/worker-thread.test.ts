import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { type RequestThread, runInThread, startRequestThread, startThread } from '../../shared/worker-thread.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const SCRIPT = new URL('./requests-thread.ts', import.meta.url);
/** A thread of a line of JavaScript. */
const script = (code: string) =>
  new URL(`data:text/javascript,import { parentPort } from 'node:worker_threads'; ${code}`);

/** Set by the thread when it releases its resources. */
let released: Int32Array;
let thread: RequestThread<number | string, number> | null = null;
afterEach(async () => {
  await thread?.close();
  thread = null;
});

async function start() {
  released = new Int32Array(new SharedArrayBuffer(4));
  // However long it takes to load and to close, it is not ended before.
  thread = await startRequestThread(SCRIPT, { clock: createVirtualClock(), workerData: released });
  return thread;
}

it('replies to requests', async () => {
  const thread = await start();
  expect(await thread.request(4)).toBe(8);
  expect(await thread.request(5)).toBe(10);
});

it('rejects a request whose handler throws, and serves the next', async () => {
  const thread = await start();
  await expect(thread.request('throw')).rejects.toThrow('RangeError: no such number');
  expect(await thread.request(1)).toBe(2);
});

it('rejects the request in flight and all later ones when the thread ends', async () => {
  const thread = await start();
  await expect(thread.request('exit')).rejects.toThrow('the thread exited with code 3');
  await expect(thread.request(1)).rejects.toThrow('the thread exited with code 3');
});

it('does not start a thread that throws while it loads', async () => {
  const started = startRequestThread(script("throw new Error('no model')"), { clock: systemClock });
  await expect(started).rejects.toThrow('no model');
});

it('does not wait longer than 30 seconds for a thread to load', async () => {
  const clock = createVirtualClock();
  const started = startRequestThread(script("parentPort.on('message', () => {})"), { clock });
  const outcome = expect(started).rejects.toThrow('not loaded within 30000 ms');
  await clock.advance(30_000);
  await outcome;
});

it('finishes the request in flight and releases its resources before it closes', async () => {
  const thread = await start();
  const reply = thread.request(21);
  await thread.close();
  expect(await reply).toBe(42);
  expect(released[0]).toBe(1);
  await expect(thread.request(1)).rejects.toThrow('closed');
});

it('ends a thread that does not close within 2 seconds', async () => {
  const clock = createVirtualClock();
  const stuck = await startRequestThread<string, number>(SCRIPT, { clock });
  const outcome = expect(stuck.request('hang')).rejects.toThrow('closed');
  const closed = stuck.close();
  await clock.advance(2_000);
  await closed;
  await outcome;
});

it('does one task in a thread of its own', async () => {
  const double = script("parentPort.on('message', (task) => parentPort.postMessage(2 * task))");
  expect(await runInThread(double, 4, { timeoutMs: 30_000, clock: systemClock })).toBe(8);
});

it.each([
  ['throws', "throw new Error('no file')", 'no file'],
  ['ends without a result', 'process.exit(0)', 'the thread exited with code 0'],
])('rejects a task whose thread %s', async (_what, code, reason) => {
  await expect(runInThread(script(code), 0, { timeoutMs: 30_000, clock: systemClock })).rejects.toThrow(reason);
});

it('stops a task that takes too long', async () => {
  const clock = createVirtualClock();
  const outcome = expect(
    runInThread(script("parentPort.on('message', () => {})"), 0, { timeoutMs: 500, clock }),
  ).rejects.toThrow('not done within 500 ms');
  await clock.advance(500);
  await outcome;
});

it('reports neither messages nor the end after termination', async () => {
  const reported: string[] = [];
  const thread = startThread<string, string>(
    script("parentPort.on('message', (text) => parentPort.postMessage(text))"),
    {},
    { onMessage: (text) => reported.push(text), onExit: (reason) => reported.push(reason) },
  );
  thread.post('late');
  await thread.terminate();
  expect(reported).toEqual([]);
});
