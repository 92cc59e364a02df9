import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Supervisor, startSupervisor } from '../../media/supervisor.ts';
import { createLogger } from '../../shared/log.ts';
import { eventually, pause } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** Who starts engines, on a virtual clock over real processes that only pretend to be engines. */

const WITHIN_MS = 30_000;
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
  rmSync(home, { recursive: true, force: true });
});

/** Starts engines that write down their place and process, and then do this. */
function start(processes: number, behavior: string): void {
  const program = join(home, 'engine.mjs');
  const load = { calls: 0, room: 1, overloaded: false, draining: false, lag_counts: [], relayed: 0 };
  const started = JSON.stringify(join(home, 'started'));
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const ready = () => process.send({ kind: 'ready', engine_id: String(process.pid), private_port: 1, load: ${JSON.stringify(load)} });
    process.on('message', (message) => { if (message.kind === 'leave') process.exit(0); });
    process.on('disconnect', () => process.exit(0));
    setInterval(() => {}, 1000);
    ${behavior}
    appendFileSync(${started}, process.env.ANTIPHON_MEDIA_ENGINE + ' ' + process.pid + '\\n');`,
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
    .map((line) => line.split(' ').map(Number) as [place: number, pid: number]);

const startedTimes = (times: number) =>
  eventually(`${times} starts`, WITHIN_MS, async () => (started().length >= times ? started() : null));

const running = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const gone = (pid: number) => eventually('the end of a process', WITHIN_MS, async () => (running(pid) ? null : true));

/** Lets time pass until this is settled. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  work.then(done, done);
  while (!settled) {
    await clock.advance(50);
    // Real processes need real time: a minute of the clock is twelve seconds at least.
    await pause(10);
  }
  return work;
}

test('engines that cannot start are told, and not tried for ever', async () => {
  start(2, 'process.exit(3);');
  await expect(inTime(supervisor.ready())).rejects.toThrow('an engine could not start: code 3');
});

test('each has a place of its own, and all are gone when they have left', async () => {
  start(3, 'ready();');
  await inTime(supervisor.ready());
  const engines = await startedTimes(3);
  expect(engines.map(([place]) => place).sort()).toEqual([0, 1, 2]);
  await inTime(supervisor.shutDown(1_000));
  for (const [, pid] of engines) await gone(pid);
  await clock.advance(60_000);
  expect(started()).toHaveLength(3);
});

test('one that falls again and again is started less and less often', async () => {
  start(1, 'ready();');
  await inTime(supervisor.ready());
  for (const [at, waitMs] of [500, 1_000, 2_000].entries()) {
    const [, pid] = (await startedTimes(at + 1))[at]!;
    // Its first words come before its end.
    await pause(50);
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    // The news of the end comes when it comes; less than the wait is never enough.
    await pause(50);
    await clock.advance(waitMs - 1);
    await pause(50);
    expect(started()).toHaveLength(at + 1);
    await clock.advance(waitMs);
  }
  expect((await startedTimes(4)).map(([place]) => place)).toEqual([0, 0, 0, 0]);
});

test('one that hangs is ended, and another takes its place', async () => {
  start(1, 'ready();');
  await inTime(supervisor.ready());
  const [[, pid]] = (await startedTimes(1)) as [[number, number]];
  await clock.advance(30_000);
  await gone(pid);
  await inTime(startedTimes(2));
});

test('one that hangs while it starts is told at the start, and followed by another later', async () => {
  start(1, '');
  await startedTimes(1);
  const ready = supervisor.ready();
  ready.catch(() => {});
  await clock.advance(120_000);
  await expect(inTime(ready)).rejects.toThrow('an engine could not start: SIGKILL');

  // The first engine starts at once, those after it hang.
  writeFileSync(join(home, 'started'), '');
  start(1, `if (!readFileSync(${JSON.stringify(join(home, 'started'))}, 'utf8').includes('\\n')) ready();`);
  await inTime(supervisor.ready());
  for (let at = 0; at < 2; at++) {
    const [, pid] = (await startedTimes(at + 1))[at]!;
    if (at === 0) process.kill(pid, 'SIGKILL');
    else await clock.advance(120_000);
    await gone(pid);
    await inTime(startedTimes(at + 2));
  }
});

test('what cannot be started at all is tried again later, and does not keep the others from leaving', async () => {
  start(2, 'ready(); setInterval(ready, 20);');
  await inTime(supervisor.ready());
  const [[, pid], [, other]] = (await startedTimes(2)) as [[number, number], [number, number]];
  const { execPath } = process;
  process.execPath = join(home, 'no such program');
  try {
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    await pause(100);
    await clock.advance(5_000);
    await pause(100);
    expect(started()).toHaveLength(2);
  } finally {
    process.execPath = execPath;
  }
  await inTime(startedTimes(3));
  process.execPath = join(home, 'no such program');
  try {
    process.kill(other, 'SIGKILL');
    await gone(other);
    await pause(100);
    await clock.advance(1_000);
    await inTime(supervisor.shutDown(1_000));
  } finally {
    process.execPath = execPath;
  }
});
