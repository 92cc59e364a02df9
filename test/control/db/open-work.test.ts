import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import type { OpenWorkQuery } from '../../../control/db/open-work.ts';
import { type PollingJob, type PollingJobOptions, startPollingJob } from '../../../control/db/polling-job.ts';
import { afterFile } from '../../support/after-file.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

let sql: Sql;
let clock: VirtualClock;
let questions: number;
let jobs: { job: PollingJob; runs: () => number }[];

beforeAll(async () => {
  const database = await createTestDatabase();
  const pool = connectDatabase({ url: database.url, max: 2 });
  afterFile(() => pool.end({ timeout: 5 }));
  await pool`create table parcels (name text)`;
  const unsafe = (...args: Parameters<Sql['unsafe']>) => {
    questions++;
    return pool.unsafe(...args);
  };
  sql = new Proxy(pool, { get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)) });
});

beforeEach(() => {
  clock = createVirtualClock();
  questions = 0;
  jobs = [];
});

afterEach(async () => {
  await Promise.all(jobs.map(({ job }) => job.stop()));
  await sql`truncate parcels`;
});

const parcels: OpenWorkQuery = "select from parcels where name <> ''";
const nothing: OpenWorkQuery = 'select from parcels where false';

async function started(query: OpenWorkQuery, options: Partial<PollingJobOptions> = {}) {
  let runs = 0;
  const run = async () => void runs++;
  const job = startPollingJob({
    ...{ name: 'test', intervalMs: 1_000, clock, log, openWork: { sql, query }, run, ...options },
  });
  jobs.push({ job, runs: () => runs });
  await clock.advance(0);
  return { job, runs: () => runs };
}

/** The next question and its answer. */
async function asked(ms: number): Promise<void> {
  const before = questions;
  const pending = clock.pending();
  await clock.advance(ms);
  if (questions > before) await until(() => clock.pending() === pending);
}

it('runs at first, and then while its query finds a row', async () => {
  const { runs } = await started(parcels);
  expect(runs()).toBe(1);
  await asked(1_000);
  expect(runs()).toBe(1);
  await sql`insert into parcels values ('a')`;
  await asked(1_000);
  expect(runs()).toBe(2);
});

it('runs without a question when it is woken', async () => {
  const { job, runs } = await started(nothing);
  job.wake();
  await clock.advance(0);
  expect([runs(), questions]).toEqual([2, 0]);
});

it('asks for all jobs of a pool in one statement', async () => {
  const first = await started(nothing);
  await clock.advance(300);
  const second = await started(parcels);
  await asked(700);
  await asked(300);
  expect(questions).toBe(2);
  await sql`insert into parcels values ('a')`;
  for (const ms of [700, 1_000, 1_000]) await asked(ms);
  expect(questions).toBe(5);
  expect([first.runs(), second.runs()]).toEqual([1, 4]);
});

it('asks more seldom where it may', async () => {
  const { runs } = await started(nothing, { intervalMs: 200, openWork: { sql, query: nothing, intervalMs: 1_000 } });
  await asked(200);
  await asked(799);
  expect([runs(), questions]).toEqual([1, 1]);
  await asked(1);
  expect([runs(), questions]).toEqual([1, 2]);
});

it('runs when the question fails, so that its own error is seen', async () => {
  const { runs } = await started('select from missing_table');
  await clock.advance(1_000);
  await until(() => runs() === 2);
});

it('asks on while another job with the same query is left', async () => {
  const { job } = await started(parcels);
  const { runs } = await started(parcels);
  await job.stop();
  await sql`insert into parcels values ('a')`;
  await asked(1_000);
  expect([runs(), questions]).toEqual([2, 1]);
});
