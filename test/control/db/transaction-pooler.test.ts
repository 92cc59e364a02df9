import { beforeAll, describe, expect, it } from 'vitest';
import { type App, buildApp } from '../../../control/app.ts';
import { readControlConfig } from '../../../control/config.ts';
import { connectDatabase } from '../../../control/db/connect.ts';
import { migrate } from '../../../control/db/migrate.ts';
import { closePools, connectPools, type Pools } from '../../../control/db/pools.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { afterFile } from '../../support/after-file.ts';
import { giveCredits, PLENTY_PAISE } from '../../support/credits.ts';
import { startTestNats } from '../../support/nats.ts';
import { PGBOUNCER, startPgBouncer } from '../../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { eventually } from '../../support/until.ts';
import { createTestCarrier, log, wholeCall } from '../calls/call-fixture.ts';

const WITHIN_MS = 60_000;

describe.skipIf(!PGBOUNCER)('through PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooled: string;
  let pools: Pools;
  let app: App;
  let engine: Bus;
  const carrier = createTestCarrier();

  beforeAll(async () => {
    database = await createTestDatabase();
    pooled = await startPgBouncer(database.url);
    const nats = await startTestNats();
    const [bus, other] = await Promise.all(
      ['control', 'engine'].map((name) => connectBus({ url: nats.url, name, log })),
    );
    engine = other!;
    await bus!.prepare();
    const config = readControlConfig({
      ...{ DATABASE_URL: pooled, DATABASE_POOLER: 'transaction' },
      ...{ MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere', OPENAI_API_KEY: 'simulated' },
      PUBLIC_API_URL: 'http://127.0.0.1:1',
    });
    pools = connectPools(config);
    const { carriers } = carrier;
    app = await buildApp({ pools, bus: bus!, clock: systemClock, log, config, carriers, passwordMemoryKib: 8 });
    app.start();
    afterFile(async () => {
      await app.http.close();
      await app.stop();
      await Promise.all([closePools(pools, 5), bus!.close(), engine.close()]);
    });
  });

  it('the settings of a session are refused, so they are not sent', async () => {
    const plain = connectDatabase({ url: pooled, max: 1 });
    afterFile(() => plain.end({ timeout: 0 }));
    await expect(plain`select 1`).rejects.toThrow('unsupported startup parameter');
    expect(await pools.api`select ${1}::integer as one`).toEqual([{ one: 1 }]);
  });

  it('a migration is refused, which holds its lock for a session', async () => {
    await expect(migrate(pools.jobs)).rejects.toThrow("needs the server's own address");
  });

  it('a transaction has the time-outs of its pool', async () => {
    const [row] = await pools.calls.begin(
      (tx) => tx<{ statement: string; lock: string }[]>`
        select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    );
    expect(row).toEqual({ statement: '5s', lock: '5s' });
    expect(await database.sql`select current_setting('statement_timeout') as statement`).toEqual([
      { statement: '20s' },
    ]);
  });

  it('a call is placed, dialled, held, ended and completed', async () => {
    const { sql } = database;
    const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Acme');
    await giveCredits(sql, workspace_id, PLENTY_PAISE);
    const send = async (method: 'GET' | 'POST', url: string, payload?: object) => {
      const headers = { 'x-api-key': api_key };
      const reply = await app.http.inject({ method, url: `/api/v1${url}`, headers, ...(payload ? { payload } : {}) });
      expect(reply.statusCode, reply.body).toBeLessThan(300);
      return reply.json();
    };
    const agent = await send('POST', '/agents', { name: 'Asha', welcome_message: 'Hello', system_prompt: 'Answer.' });
    const number = { number: '+911140000001', workspace_id, agent_id: agent.id, provider: 'twilio' };
    await sql`insert into numbers ${sql({ ...number, created_at: new Date() })}`;
    const placed = await send('POST', `/agents/${agent.id}/call`, { to_number: '+919811112222' });
    const whole = (what: string, ready: (call: Record<string, unknown>) => boolean) =>
      eventually(what, WITHIN_MS, async () => {
        const call = await send('GET', `/calls/${placed.id}`);
        return ready(call) ? call : null;
      });
    const provider_call_id = await eventually('the dial', WITHIN_MS, async () => {
      const [row] = await sql`select provider_call_id from calls where id = ${placed.id} and provider_call_id <> ''`;
      return row?.provider_call_id as string | undefined;
    });
    const nonce = newId();
    const request = { call_id: placed.id, nonce, engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
    expect(await engine.openSession(request, WITHIN_MS)).toMatchObject({ refused: '' });
    for (const event of wholeCall(placed.id)) await engine.publishEvent(event);

    const completed = await whole('the completion', ({ completed_at }) => completed_at !== null);
    expect(completed).toMatchObject({ status: 'completed', duration_seconds: expect.any(Number) });
    expect(carrier.dialled).toEqual(['+919811112222']);
    const charges = await sql`select 1 from ledger where workspace_id = ${workspace_id} and kind = 'call'`;
    expect(charges).toHaveLength(1);
  });

  it('many requests at once share its few connections', async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => pools.api.begin((tx) => tx`select ${nth}::integer as nth`)),
    );
    expect(replies.map(([row]) => row!.nth)).toEqual(Array.from({ length: 40 }, (_, nth) => nth));
  });
});
