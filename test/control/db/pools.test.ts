import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { buildApp } from '../../../control/app.ts';
import { readControlConfig } from '../../../control/config.ts';
import { connectDatabase, poolState, withUnlimitedStatements } from '../../../control/db/connect.ts';
import { closePools, connectPools, type Pools, poolSettings, poolStates } from '../../../control/db/pools.ts';
import { route } from '../../../control/http/route.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { connectBus } from '../../../shared/bus/bus.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestNats } from '../../support/nats.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { type CallFixture, createCallFixture, log, mediaEvent } from '../calls/call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

it('sessions open and events are applied while every connection of the API and of reports is held', async () => {
  const config = readControlConfig({
    ...{ DATABASE_URL: fixture.url, DATABASE_CONNECTIONS: 'calls=2,ingest=1,api=2,reports=1,jobs=2' },
    ...{ MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere' },
  });
  const call = await fixture.ringing(await fixture.tenant());
  const pools = connectPools(config);
  const nats = await startTestNats();
  const [bus, engine] = await Promise.all(
    ['control', 'engine'].map((name) => connectBus({ url: nats.url, name, log })),
  );
  await bus!.prepare();
  const app = await buildApp({ pools, bus: bus!, clock: fixture.clock, log, config });
  afterFile(async () => {
    await app.http.close();
    await app.stop();
    await Promise.all([closePools(pools, 5), bus!.close(), engine!.close()]);
  });
  app.start();
  const release = await holdAll(pools);

  const { id: call_id, provider_call_id } = call;
  const request = { call_id, nonce: 'a'.repeat(16), engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
  expect(await engine!.openSession(request, 30_000)).toMatchObject({ refused: '', session: { call_id } });
  await engine!.publishEvent(mediaEvent(call_id, 1, 'call.started'));
  await eventually('the call to be in progress', 60_000, async () =>
    (await fixture.read(call_id)).status === 'in-progress' ? true : null,
  );
  await release();
});

/** Holds each connection of these pools with a statement that does not end. */
async function holdAll({ api, reports }: Pools): Promise<() => Promise<void>> {
  const held = [api, api, reports].map((sql) => sql`select pg_sleep(3600)`.catch(() => {}));
  const sleeping = () => fixture.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and query = 'select pg_sleep(3600)'`;
  await eventually('all connections to be held', 60_000, async () => ((await sleeping()).length === 3 ? true : null));
  return async () => {
    for (const { pid } of await sleeping()) await fixture.sql`select pg_cancel_backend(${pid})`;
    await Promise.all(held);
  };
}

it('a request that finds no free connection is a 503, and nothing of it is carried out', async () => {
  const clock = createVirtualClock();
  const sql = connectDatabase({ url: fixture.url, max: 1, waitMs: 3_000, clock });
  const http = await createHttpApp({ log, findPrincipal: async () => null });
  afterFile(() => Promise.all([http.close(), sql.end({ timeout: 5 })]));
  await sql`create table kept (n integer)`;
  const declare = (path: string, work: () => Promise<unknown>) =>
    route(http, {
      ...{ method: 'POST', path, tag: 'Test', summary: '', credential: 'public', permission: null, success: 200 },
      schema: { response: z.object({}) },
      handler: async () => {
        await work();
        return {};
      },
    });
  declare('/query', () => sql`insert into kept values (1)`);
  declare('/transaction', () => sql.begin((tx) => tx`insert into kept values (2)`));
  let release = () => {};
  const held = sql.begin(() => new Promise<void>((resolve) => (release = resolve)));
  const requests = ['/query', '/transaction'].map((url) => http.inject({ method: 'POST', url }));
  // The held transaction, the two that wait.
  await eventually('both to wait', 60_000, async () => (clock.pending() === 2 ? true : null));
  await clock.advance(3_000);

  for (const response of await Promise.all(requests)) {
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
  }
  release();
  await held;
  expect(await sql`select n from kept`).toEqual([]);
  expect((await http.inject({ method: 'POST', url: '/transaction' })).statusCode).toBe(200);
});

it('a connection is free again after a query that failed and a transaction that was rolled back', async () => {
  const sql = connectDatabase({ url: fixture.url, max: 1 });
  afterFile(() => sql.end({ timeout: 5 }));
  await expect(sql`select nothing from nowhere`).rejects.toThrow('nowhere');
  await expect(sql.unsafe('select nothing from nowhere')).rejects.toThrow('nowhere');
  await expect(sql.begin((tx) => tx`select nothing from nowhere`)).rejects.toThrow('nowhere');
  await expect(sql.begin(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await sql`select ${sql.unsafe('1')} as one`).toEqual([{ one: 1 }]);
});

it('an index is built concurrently while a transaction of the process holds the lock for it', async () => {
  const sql = connectDatabase({ url: fixture.url, max: 1, statementTimeoutMs: 10_000 });
  afterFile(() => sql.end({ timeout: 5 }));
  await sql`create table indexed (n integer)`;
  await sql.begin(async (tx) => {
    await tx.unsafe('select pg_try_advisory_xact_lock(1)');
    await withUnlimitedStatements(sql, async (own) => {
      expect(await own`show statement_timeout`).toEqual([{ statement_timeout: '0' }]);
      await own.unsafe('create index concurrently on indexed (n)');
    });
  });
});

it('pools keep the defaults of what is not set, and refuse what they do not know', () => {
  const settings = { DATABASE_CONNECTIONS: 'api=20', DATABASE_STATEMENT_SECONDS: 'jobs=5' };
  expect(poolSettings(settings)).toMatchObject({
    ...{ calls: { connections: 10, seconds: 5 }, api: { connections: 20, seconds: 20 } },
    jobs: { connections: 8, seconds: 5 },
  });
  for (const wrong of ['calls', 'calls=0', 'calls=many', 'exports=3']) {
    expect(() => poolSettings({ ...settings, DATABASE_CONNECTIONS: wrong })).toThrow(
      `DATABASE_CONNECTIONS has ${wrong}`,
    );
  }
});

it('processes of one program share its connections: none has more in total, each has one of what it needs', () => {
  const settings = { DATABASE_CONNECTIONS: 'api=7', DATABASE_STATEMENT_SECONDS: '' };
  const connections = (part: 'calls' | 'api', api_processes: number) =>
    Object.entries(poolSettings(settings, { part, api_processes })).map(([name, pool]) => [name, pool.connections]);
  expect(Object.fromEntries(connections('calls', 2))).toEqual({ calls: 6, ingest: 4, jobs: 6 });
  expect(Object.fromEntries(connections('api', 2))).toEqual({ calls: 2, api: 3, reports: 2, jobs: 1 });
  expect(Object.fromEntries(connections('api', 9))).toEqual({ calls: 1, api: 1, reports: 1, jobs: 1 });
});

it('what a process has no pool for is done in that of jobs, which is counted once', async () => {
  const config = { DATABASE_URL: fixture.url, DATABASE_CONNECTIONS: '', DATABASE_STATEMENT_SECONDS: '' };
  const pools = connectPools({ ...config, DATABASE_POOLER: '' }, { part: 'calls', api_processes: 1 });
  afterFile(() => closePools(pools, 5));
  expect(await pools.reports`select 1 as one`).toEqual([{ one: 1 }]);
  expect(Object.keys(poolStates(pools))).toEqual(['calls', 'ingest', 'jobs']);
});

it('a pool says who uses it, who waits, who waited in vain, and what was canceled', async () => {
  const clock = createVirtualClock();
  const sql = connectDatabase({ url: fixture.url, max: 1, waitMs: 3_000, clock });
  afterFile(() => sql.end({ timeout: 5 }));
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = sql.begin(async (tx) => {
    begun.resolve();
    await released.promise;
    await tx`set local statement_timeout = '1ms'`;
    await tx`select pg_sleep(3600)`;
  });
  await begun.promise;
  const refused = expect(sql`select 1`).rejects.toThrow('none of 1');
  await eventually('one to wait', 60_000, async () => (clock.pending() === 1 ? true : null));
  expect(poolState(sql)).toEqual({ max: 1, in_use: 1, waiting: 1, refused: 0, canceled: 0 });
  await clock.advance(3_000);
  await refused;
  released.resolve();
  await expect(held).rejects.toThrow('statement timeout');
  await expect(sql`select pg_cancel_backend(pg_backend_pid())`).rejects.toThrow('canceling');
  expect(poolState(sql)).toEqual({ max: 1, in_use: 0, waiting: 0, refused: 1, canceled: 2 });
});
