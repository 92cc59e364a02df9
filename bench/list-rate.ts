import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '../control/db/connect.ts';
import { migrateDatabase } from '../control/operators/migrations.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { startProgram } from '../dev/child.ts';
import { startNats } from '../dev/nats.ts';
import { freePort } from '../dev/ports.ts';
import { startPostgres } from '../dev/postgres.ts';
import { newId } from '../shared/ids.ts';
import { eventually } from '../test/support/until.ts';
import { processTreeSeconds } from './processes.ts';

/**
 * Measures `GET /calls?limit=20` per second, over finished calls of one workspace: at rest, and while calls end, each of which
 * changes the page. Control is the whole program with its processes for the API; the client is a process of its own. All of them and
 * PostgreSQL share the machine's cores. The CPU time of each per request is reported beside the rate, because it holds on a busy machine
 * too; control's is of all its processes, so that what they do in the background weighs more where few requests come.
 * `node bench/list-rate.ts [finished calls] [seconds of a round]`; `API_PROCESSES`, 2 by default; `CONNECTIONS`, 16 by default: with one
 * for each process no two requests share a statement.
 */

const CALLS = Number(process.argv[2] ?? 200_000);
const SECONDS = Number(process.argv[3] ?? 10);
const API_PROCESSES = process.env.API_PROCESSES ?? '2';
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);
const WARM_UP_SECONDS = 5;
/** In the second part, that many calls per second begin and end. */
const ENDS_PER_SECOND = 20;
const PATH = '/api/v1/calls?limit=20';
const WANTED_PER_SECOND = 1_500;

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
const nats = await startNats({ dataDir: join(home, 'nats') });
await migrateDatabase(postgres.url, () => {});
const sql = connectDatabase({ url: postgres.url, name: 'bench', max: 2, statementTimeoutMs: 0 });
const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Bench');
await setRequestsPerMinute(sql, workspace_id, 100_000_000);
const port = await freePort();
const control = await startProgram('control', {
  env: {
    ...process.env,
    ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, API_PORT: String(port), API_PROCESSES },
    ...{ MEDIA_TOKEN_SECRET: 'a secret of the bench', OPENAI_API_KEY: 'simulated' },
    ...{ RECORDINGS_DIR: join(home, 'recordings'), MAIL_DIR: join(home, 'mail') },
    ...(process.env.PROFILE ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${process.env.PROFILE}` } : {}),
  },
  logFile: join(home, 'control.log'),
});
const client = fork(new URL('./list-load.ts', import.meta.url));
const url = `http://127.0.0.1:${port}`;
const headers = { 'X-API-Key': api_key };
try {
  await eventually('control to be ready', 180_000, () => fetch(url + PATH, { headers }).catch(() => null));
  await insertFinishedCalls(CALLS);
  await sql`vacuum analyze calls`;
  await eventually('totals and search texts of the finished calls', 600_000, async () => {
    const [waiting] = await sql`select from call_changes union all select from call_search_changes limit 1`;
    return waiting ? null : true;
  });
  const bytes = Buffer.byteLength(await (await fetch(url + PATH, { headers })).text());
  await measure(WARM_UP_SECONDS);
  const at_rest = await measure(SECONDS);
  const ends = endCalls();
  const while_calls_end = await measure(SECONDS);
  await ends.stop();
  const result = {
    measured: `GET /calls?limit=20 per second, ${CALLS} finished calls; client, API and PostgreSQL share the cores`,
    ...{ cores: cpus().length, connections: CONNECTIONS, api_processes: Number(API_PROCESSES), bytes },
    ...{ wanted_per_second: WANTED_PER_SECOND, at_rest, while_calls_end, calls_ended_per_second: ENDS_PER_SECOND },
  };
  console.log(JSON.stringify(result, null, 2));
  writeFileSync(new URL('./results/list-rate.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
} catch (error) {
  console.error(control.tail(20));
  throw error;
} finally {
  client.disconnect();
  await control.stop('SIGTERM', 20_000);
  await sql.end();
  await Promise.all([nats.stop(), postgres.stop()]);
  rmSync(home, { recursive: true, force: true });
}

async function measure(seconds: number) {
  const before = cpuUs();
  const answered = once(client, 'message');
  client.send({ url, method: 'GET', path: PATH, headers, connections: CONNECTIONS, seconds, expect: 200 });
  const [load] = (await answered) as [{ requests: number; seconds: number; p50_ms: number; p99_ms: number }];
  const after = cpuUs();
  const each = (name: keyof typeof before) => Math.round((after[name] - before[name]) / load.requests);
  return {
    per_second: Math.round(load.requests / load.seconds),
    ...{ p50_ms: load.p50_ms, p99_ms: load.p99_ms },
    cpu_us_per_request: { api: each('api'), postgres: each('postgres'), client: each('client') },
  };
}

/** CPU time so far. */
function cpuUs() {
  const of = (pid: number) => processTreeSeconds(pid) * 1e6;
  return { api: of(control.pid), postgres: of(postgres.pid), client: of(client.pid!) };
}

/** Over the last thirty days, with ids as if they were created then. */
async function insertFinishedCalls(count: number): Promise<void> {
  await sql`
    insert into calls (
      workspace_id, id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
      provider, created_at, queued_at, started_at, ended_at, completed_at, duration_seconds, currency, summary, finished, user_data
    )
    select ${workspace_id}, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 19),
      'Asha', 1, case when n % 3 = 0 then 'inbound' else 'outbound' end, 'phone',
      case when n % 10 = 0 then 'failed' else 'completed' end, '+911140000000', '+9198' || lpad((n % 100000000)::text, 8, '0'),
      'bench', 'twilio', at, at, at, at + interval '90 s', at + interval '95 s', 90, 'INR', 'asked for a table for two', true,
      '{"name": "Ravi", "order": 42}'
    from generate_series(1, ${count}::integer) as n
    cross join lateral (select now() - interval '30 days' + n * (interval '29 days' / ${count}::integer) as at) as moment`;
}

/** One after the other, evenly. */
function endCalls() {
  let stopped = false;
  const ended = (async () => {
    while (!stopped) {
      const at = new Date();
      await sql`
        insert into calls (
          workspace_id, id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
          provider, created_at, queued_at, started_at, ended_at, completed_at, duration_seconds, currency, summary, finished
        ) values (${workspace_id}, ${newId()}, 'Asha', 1, 'inbound', 'phone', 'completed', '+911140000000', '+919811112222',
          'bench', 'twilio', ${at}, ${at}, ${at}, ${at}, ${at}, 90, 'INR', 'asked for a table for two', true)`;
      await sleep(1_000 / ENDS_PER_SECOND);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
