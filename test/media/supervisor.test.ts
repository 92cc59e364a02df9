import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Supervisor, startSupervisor } from '../../media/supervisor.ts';
import { createLogger } from '../../shared/log.ts';
import { eventually, pause } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** The supervisor on a virtual clock, over real processes that stand for engines. */

const WITHIN_MS = 60_000;
let home: string;
let clock: VirtualClock;
let supervisor: Supervisor;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'antiphon-supervisor-'));
  clock = createVirtualClock();
  writeFileSync(join(home, 'started'), '');
});
afterEach(async () => {
  supervisor.kill();
  delete process.env.STARTED_MS;
  rmSync(home, { recursive: true, force: true });
});

/** Starts engines that write down their index, pid and the time on the virtual clock when they were started, and then run `behavior`. */
function start(processes: number, behavior: string): void {
  const program = join(home, 'engine.mjs');
  const load = {
    calls: 0,
    headroom: 1,
    overloaded: false,
    draining: false,
    lag_counts: [],
    unhealthy_providers: [],
    workers: [],
  };
  const started = JSON.stringify(join(home, 'started'));
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const ready = () => process.send({ kind: 'ready', engine_id: String(process.pid), port: 1, load: ${JSON.stringify(load)} });
    process.on('message', (message) => { if (message.kind === 'shut_down') process.exit(0); });
    process.on('disconnect', () => process.exit(0));
    setInterval(() => {}, 1000);
    ${behavior}
    appendFileSync(${started}, process.env.ANTIPHON_MEDIA_ENGINE + ' ' + process.pid + ' ' + process.env.STARTED_MS + '\\n');`,
  );
  supervisor = startSupervisor({
    processes,
    program,
    drainMs: 60_000,
    clock,
    log: createLogger('media', 'silent'),
  });
}

const started = () =>
  readFileSync(join(home, 'started'), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ').map(Number) as [index: number, pid: number, atMs: number]);

const startedTimes = (times: number) =>
  eventually(`${times} starts`, WITHIN_MS, async () => (started().length >= times ? started() : null));

const running = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const known = (pid: number) => supervisor.engines().some((engine) => engine.pid === pid);
const isReady = (pid: number) => eventually('an engine to be ready', WITHIN_MS, async () => known(pid) || null);

/** The supervisor has noticed the end of an engine that was ready. */
const noticed = (pid: number) => eventually('the end of an engine', WITHIN_MS, async () => !known(pid) || null);

const exited = (pid: number) => eventually('the end of a process', WITHIN_MS, async () => (running(pid) ? null : true));

/** Advances the clock until the work is settled. */
async function advanceUntil<T>(work: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  work.then(done, done);
  while (!settled) {
    await clock.advance(50);
    // Real processes need real time: a minute of the clock takes at least twelve seconds.
    await pause(10);
  }
  return work;
}

test('rejects when an engine cannot start', async () => {
  start(2, 'process.exit(3);');
  await expect(advanceUntil(supervisor.ready())).rejects.toThrow('an engine could not start: code 3');
});

test('gives each engine an index of its own, and stops all of them', async () => {
  start(3, 'ready();');
  await advanceUntil(supervisor.ready());
  const engines = await startedTimes(3);
  expect(engines.map(([index]) => index).sort()).toEqual([0, 1, 2]);
  await advanceUntil(supervisor.shutDown(1_000));
  for (const [, pid] of engines) await exited(pid);
  await clock.advance(60_000);
  expect(started()).toHaveLength(3);
});

test('restarts an engine that crashes repeatedly with a growing delay', async () => {
  start(1, 'ready();');
  await advanceUntil(supervisor.ready());
  for (const [at, waitMs] of [500, 1_000, 2_000].entries()) {
    const [, pid] = (await startedTimes(at + 1))[at]!;
    await isReady(pid);
    process.kill(pid, 'SIGKILL');
    await noticed(pid);
    process.env.STARTED_MS = String(waitMs - 1);
    await clock.advance(waitMs - 1);
    process.env.STARTED_MS = String(waitMs);
    await clock.advance(1);
    expect((await startedTimes(at + 2))[at + 1]).toEqual([0, expect.any(Number), waitMs]);
  }
});

test('kills an engine that hangs, and restarts it', async () => {
  start(1, 'ready();');
  await advanceUntil(supervisor.ready());
  const [, pid] = (await startedTimes(1))[0]!;
  await clock.advance(30_000);
  await exited(pid);
  await advanceUntil(startedTimes(2));
});

test('reports an engine that hangs at the first start, and restarts it later', async () => {
  start(1, '');
  await startedTimes(1);
  const ready = supervisor.ready();
  ready.catch(() => {});
  await clock.advance(120_000);
  await expect(advanceUntil(ready)).rejects.toThrow('an engine could not start: SIGKILL');

  // The first engine starts at once, those after it hang.
  writeFileSync(join(home, 'started'), '');
  start(1, `if (!readFileSync(${JSON.stringify(join(home, 'started'))}, 'utf8').includes('\\n')) ready();`);
  await advanceUntil(supervisor.ready());
  for (let at = 0; at < 2; at++) {
    const [, pid] = (await startedTimes(at + 1))[at]!;
    if (at === 0) process.kill(pid, 'SIGKILL');
    else await clock.advance(120_000);
    await exited(pid);
    await advanceUntil(startedTimes(at + 2));
  }
});

test('retries when no process can be created, and can still shut down the others', async () => {
  start(2, 'ready(); setInterval(ready, 20);');
  await advanceUntil(supervisor.ready());
  const [pid, other] = (await startedTimes(2)).map((each) => each[1]) as [number, number];
  const { execPath } = process;
  process.execPath = join(home, 'no such program');
  try {
    process.kill(pid, 'SIGKILL');
    await noticed(pid);
    await clock.advance(5_000);
  } finally {
    process.execPath = execPath;
  }
  await advanceUntil(startedTimes(3));
  process.execPath = join(home, 'no such program');
  try {
    process.kill(other, 'SIGKILL');
    await noticed(other);
    await clock.advance(1_000);
    await advanceUntil(supervisor.shutDown(1_000));
  } finally {
    process.execPath = execPath;
  }
});
