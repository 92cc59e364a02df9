import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../control/app.ts';
import type { Carrier } from '../../control/carriers/carrier.ts';
import { createTwilio } from '../../control/carriers/twilio.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { migrate } from '../../control/db/migrate.ts';
import { closePools, connectPools } from '../../control/db/pools.ts';
import { addNumber } from '../../control/numbers/connect-number.ts';
import { createActiveWorkspace } from '../../control/workspaces/create-workspace.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { startNats } from '../../dev/nats.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { percentileTable } from '../../shared/percentiles.ts';
import { giveCredits, PLENTY_PAISE } from '../support/credits.ts';
import { pause } from '../support/until.ts';

/**
 * `make locked`: 20 workspaces place calls, and somebody holds the row of one of them locked for SECONDS (60): how long the calls of the
 * others wait from the request to the carrier's, a minute before, meanwhile and a minute
 * afterwards. The locked one's clients go on placing calls, too. EVERY_MS.
 */

const SECONDS = Number(process.env.SECONDS ?? 60);
const WORKSPACES = 20;
/** Of each workspace. */
const CALL_EVERY_MS = Number(process.env.EVERY_MS ?? 2_000);
const CALL_LASTS_MS = 200;
/** Not measured: what was queued before. */
const SETTLING_MS = 2_000;

const home = mkdtempSync(join(tmpdir(), 'antiphon-locked-'));
const closing: (() => Promise<unknown>)[] = [async () => rmSync(home, { recursive: true, force: true })];
try {
  const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
  closing.push(() => postgres.stop());
  const nats = await startNats({ dataDir: join(home, 'nats') });
  closing.push(() => nats.stop());
  await measure(postgres.url, nats.url);
} finally {
  for (const close of closing.reverse()) await close();
}

interface Tenant {
  workspace_id: string;
  agentId: string;
  headers: Record<string, string>;
}

async function measure(postgresUrl: string, natsUrl: string): Promise<void> {
  const sql = connectDatabase({ url: postgresUrl, name: 'antiphon-locked', max: 2 });
  closing.push(() => sql.end({ timeout: 5 }));
  await migrate(sql);
  const clock = systemClock;
  const log = createLogger('control', 'silent');
  const config = readControlConfig({
    ...{ DATABASE_URL: postgresUrl, MEDIA_TOKEN_SECRET: 'a secret of the tests', OPENAI_API_KEY: 'simulated' },
    ...{ RECORDINGS_DIR: '/nowhere', PUBLIC_API_URL: 'http://127.0.0.1:1' },
  });
  const pools = connectPools(config);
  closing.push(() => closePools(pools, 5));
  const bus = await connectBus({ url: natsUrl, name: 'control', log });
  closing.push(() => bus.close());
  await bus.prepare();

  /** By number: when the request was sent. */
  const requested = new Map<string, number>();
  let delays: number[] = [];
  let locked = '';
  let dials = 0;
  const carrier: Carrier = {
    ...createTwilio({ account_sid: 'AC1', auth_token: 'simulated', api_url: 'http://127.0.0.1:1' }),
    verifyCallback: () => true,
    async dial({ to_number, status_url }) {
      const atMs = requested.get(to_number);
      if (atMs !== undefined && !to_number.startsWith(locked)) delays.push(performance.now() - atMs);
      const sid = `CA${++dials}`;
      void endLater(status_url, sid);
      return { accepted: true, provider_call_id: sid, provider_request_id: '' };
    },
    hangUp: async () => 'done',
  };
  const app = await buildApp({ pools, bus, clock, log, config, carriers: new Map([['twilio', carrier]]) });
  closing.push(() => app.stop());
  closing.push(() => app.http.close());

  async function endLater(statusUrl: string, sid: string): Promise<void> {
    await pause(CALL_LASTS_MS);
    const { pathname, search } = new URL(statusUrl);
    const form = { CallSid: sid, CallStatus: 'busy', From: '+911140000001', To: '+911140000002' };
    // Those that end after the measurement find the server closed.
    await app.http
      .inject({
        ...{ method: 'POST', url: pathname + search, payload: new URLSearchParams(form).toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      .catch(() => {});
  }

  async function makeTenant(at: number): Promise<Tenant> {
    const { workspace_id, key } = await createActiveWorkspace(sql, clock.wall(), `Workspace ${at}`, 'tests');
    await sql`insert into wallets (workspace_id, opened_at) values (${workspace_id}, now()) on conflict do nothing`;
    await giveCredits(sql, workspace_id, PLENTY_PAISE);
    await setRequestsPerMinute(sql, workspace_id, 1_000_000);
    const headers = { 'x-api-key': key.key };
    const payload = { name: 'Asha', welcome_message: 'Hello', system_prompt: 'Answer.' };
    const agent = await app.http.inject({ method: 'POST', url: '/api/v1/agents', headers, payload });
    const agentId = agent.json<{ id: string }>().id;
    const number = `+9111400001${String(at).padStart(2, '0')}`;
    await addNumber(sql, clock.wall(), { workspace_id, number, provider: 'twilio', agent_id: agentId });
    return { workspace_id, agentId, headers };
  }
  const tenants = await Promise.all(Array.from({ length: WORKSPACES }, (_, at) => makeTenant(at)));
  app.start();

  const prefixOf = (at: number) => `+9198${String(at).padStart(2, '0')}`;
  let placed = 0;
  const refused = new Map<string, number>();
  const placers = tenants.map(({ agentId, headers }, at) =>
    setInterval(async () => {
      const to_number = prefixOf(at) + String(++placed).padStart(7, '0').slice(-7);
      requested.set(to_number, performance.now());
      const url = `/api/v1/agents/${agentId}/call`;
      const { statusCode } = await app.http.inject({ method: 'POST', url, headers, payload: { to_number } });
      const who = `${statusCode} ${to_number.startsWith(locked) && locked !== '' ? 'locked' : 'other'}`;
      if (statusCode !== 201) refused.set(who, (refused.get(who) ?? 0) + 1);
    }, CALL_EVERY_MS),
  );
  closing.push(async () => {
    for (const placer of placers) clearInterval(placer);
  });

  const rows: [string, number[]][] = [];
  const phase = async (name: string, seconds = 60): Promise<void> => {
    await pause(SETTLING_MS);
    delays = [];
    await pause(seconds * 1_000);
    rows.push([name, delays]);
    console.log(`${name}: ${delays.length} calls dialled for the others`);
  };
  // The last workspace's calls are left out throughout.
  const last = tenants.at(-1)!;
  locked = prefixOf(WORKSPACES - 1);
  await phase('before');
  await sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from workspaces where id = ${last.workspace_id} for update`;
    await phase('while locked', SECONDS);
  });
  await phase('afterwards');
  for (const placer of placers) clearInterval(placer);

  console.log(
    `\nfrom the request to the carrier's, ms (${WORKSPACES - 1} workspaces, a call every ${CALL_EVERY_MS} ms each)`,
  );
  for (const line of percentileTable(rows)) console.log(line);
  for (const [who, times] of refused) console.log(`requests answered ${who}: ${times}`);
}
