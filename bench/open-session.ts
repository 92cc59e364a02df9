import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectDatabase } from '../control/db/connect.ts';
import { addNumber } from '../control/numbers/connect-number.ts';
import { migrateDatabase } from '../control/operators/migrations.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { startProgram } from '../dev/child.ts';
import { startNats } from '../dev/nats.ts';
import { freePort } from '../dev/ports.ts';
import { startPostgres } from '../dev/postgres.ts';
import { connectBus } from '../shared/bus/bus.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';
import { giveCredits, PLENTY_PAISE } from '../test/support/credits.ts';
import { eventually } from '../test/support/until.ts';

/**
 * Measures how long an engine waits for control to open a session, over the bus, without other work and while dashboards ask for
 * lists, figures and exports of a workspace's calls as fast as they are answered. Control is a program of its own with its pools, as in
 * production, and the dashboards are another one (`dashboards.ts`); all of them, NATS and PostgreSQL share the machine's cores. How late the event loop of each of control's processes is meanwhile
 * says which of them is busy.
 * Prints the figures, and exits with 1 when the 99th percentile is over 50 ms.
 * `node bench/open-session.ts [finished calls] [sessions of each part]`
 */

const CALLS = Number(process.argv[2] ?? 200_000);
const SESSIONS = Number(process.argv[3] ?? 600);
/** Not measured. */
const WARM_UP_SESSIONS = 100;
const EVERY_MS = 50;
const MAX_P99_MS = 50;
/** Clients of each, each waiting for its response before its next request. */
const DASHBOARDS: [clients: number, path: string][] = [
  [2, '/calls?limit=50'],
  [2, '/calls?limit=50&status=failed&min_duration=10'],
  [2, '/observability/summary?hours=720'],
  [2, '/calls/export?direction=outbound'],
];

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
const nats = await startNats({ dataDir: join(home, 'nats') });
await migrateDatabase(postgres.url, () => {});
const sql = connectDatabase({ url: postgres.url, name: 'bench', max: 2, statementTimeoutMs: 0 });
const log = createLogger('bench', 'silent');
const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Bench');
await setRequestsPerMinute(sql, workspace_id, 100_000_000);
await giveCredits(sql, workspace_id, PLENTY_PAISE);
const port = await freePort();
const control = await startProgram('control', {
  env: {
    ...process.env,
    ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, API_PORT: String(port) },
    ...{ MEDIA_TOKEN_SECRET: 'a secret of the bench', OPENAI_API_KEY: 'simulated' },
    ...{ RECORDINGS_DIR: join(home, 'recordings'), MAIL_DIR: join(home, 'mail') },
  },
  logFile: join(home, 'control.log'),
});
const engine = await connectBus({ url: nats.url, name: 'engine', log });
const api = `http://127.0.0.1:${port}/api/v1`;
const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
try {
  await eventually('control to be ready', 180_000, () => fetch(`${api}/agents`, { headers }).catch(() => null));
  const saved = await fetch(`${api}/agents`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ name: 'Asha', welcome_message: 'Hello', system_prompt: 'Answer.' }),
  });
  const agent_id = ((await saved.json()) as { id: string }).id;
  await addNumber(sql, Date.now(), { workspace_id, number: '+911140000000', provider: 'twilio', agent_id });
  await insertFinishedCalls(agent_id);

  await openSessions(agent_id, WARM_UP_SESSIONS);
  const alone = await openSessions(agent_id);
  const dashboards = startDashboards();
  await sleep(2_000);
  await eventLoopLag();
  const loaded = await openSessions(agent_id);
  const event_loop_lag_p99_ms = await eventLoopLag();
  const requests = await dashboards.stop();
  const result = {
    measured: `milliseconds until a session is open, ${SESSIONS} of each, one every ${EVERY_MS} ms; ${CALLS} finished calls`,
    cores: cpus().length,
    ...{ alone, with_dashboards: loaded, event_loop_lag_p99_ms, dashboards: requests },
  };
  console.log(JSON.stringify(result, null, 2));
  if (loaded.p99 > MAX_P99_MS) process.exitCode = 1;
} catch (error) {
  console.error(control.tail(20));
  throw error;
} finally {
  await engine.close();
  await control.stop('SIGTERM', 20_000);
  await sql.end();
  await Promise.all([nats.stop(), postgres.stop()]);
  rmSync(home, { recursive: true, force: true });
}

/** Over the last thirty days, with ids as if they were created then. */
async function insertFinishedCalls(agentId: string): Promise<void> {
  await sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
      provider, created_at, queued_at, started_at, ended_at, completed_at, duration_seconds, currency, summary, finished
    )
    select ${workspace_id}, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 19),
      ${agentId}, 'Asha', 1, case when n % 3 = 0 then 'inbound' else 'outbound' end, 'phone',
      case when n % 10 = 0 then 'failed' else 'completed' end, '+911140000000', '+9198' || lpad((n % 100000000)::text, 8, '0'),
      'bench', 'twilio', at, at, at, at + interval '90 s', at + interval '95 s', 90, 'INR', 'asked for a table for two', true
    from generate_series(1, ${CALLS}::integer) as n
    cross join lateral (select now() - interval '30 days' + n * (interval '29 days' / ${CALLS}::integer) as at) as moment`;
  await sql`vacuum analyze calls`;
  // Control adds them to its totals and its search in the background: work of a call's end, not of what is measured.
  await eventually('totals and search texts of the finished calls', 600_000, async () => {
    const [waiting] = await sql`select from call_changes union all select from call_search_changes limit 1`;
    return waiting ? null : true;
  });
}

/** Since it was asked before, by process. */
async function eventLoopLag(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = text.matchAll(/^nodejs_eventloop_lag_p99_seconds(?:{process="(.+)"})? (.+)$/gm);
  return Object.fromEntries(
    [...series].map(([, name, seconds]) => [name ?? 'control', Math.round(Number(seconds) * 1_000)]),
  );
}

async function openSessions(agentId: string, sessions = SESSIONS) {
  const latenciesMs: number[] = [];
  for (let nth = 0; nth < sessions; nth++) {
    const [call_id, provider_call_id] = [newId(), `CA${newId()}`];
    await sql`
      insert into calls (
        workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
        provider, provider_call_id, created_at, queued_at, placed_at, currency
      ) values (${workspace_id}, ${call_id}, ${agentId}, 'Asha', 1, 'outbound', 'phone', 'ringing', '+911140000000',
        '+919811112222', 'bench', 'twilio', ${provider_call_id}, now(), now(), now(), 'INR')`;
    const startedMs = performance.now();
    const request = { call_id, nonce: newId(), engine_id: 'bench', carrier: 'twilio', provider_call_id };
    const { refused } = await engine.openSession(request, 30_000);
    latenciesMs.push(performance.now() - startedMs);
    if (refused !== '') throw new Error(`the session was refused: ${refused}`);
    await sleep(EVERY_MS);
  }
  const { p50, p99 } = percentiles(latenciesMs, 2);
  return { p50, p99, max: Math.round(Math.max(...latenciesMs) * 100) / 100 };
}

/** @returns when stopped, how many requests were answered and how, by path. */
function startDashboards() {
  const program = fileURLToPath(new URL('dashboards.ts', import.meta.url));
  const child = fork(program, [api, api_key, JSON.stringify(DASHBOARDS)]);
  return {
    async stop() {
      const answered = once(child, 'message');
      child.send('stop');
      return (await answered)[0] as Record<string, Record<string, number>>;
    },
  };
}
