import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { addNumber } from '../control/numbers/connect-number.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { startPostgres } from '../dev/postgres.ts';
import { percentiles } from '../shared/percentiles.ts';
import { startApiProcess } from './api-process.ts';
import { type Load, runLoad } from './http-load.ts';

/**
 * Measures the overhead of the API: `GET /agents/{id}` and `POST /agents/{id}/call` with an API key, compared with a bare Fastify
 * route with the same payload. The three alternate in rounds, so that noise of the machine affects all; reports the median of
 * the rounds. `node bench/api.ts [seconds of a round] [rounds]`
 */

const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 5);
const CONNECTIONS = 16;
/** Warm-up for compilation. */
const WARM_UP_SECONDS = 5;
const MAX_TIMES_BARE = 2.5;
const NUMBER = '+911140000000';

interface Figures {
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU time of the API's process per request. */
  cpu_us: number;
}

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: postgres.url, name: 'bench-setup', max: 1 });
await migrate(sql);
const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Bench');
await setRequestsPerMinute(sql, workspace_id, 100_000_000);

const server = startApiProcess(postgres.url, join(home, 'recordings'));
try {
  const urls = await server.urls;
  const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
  const saved = await fetch(`${urls.api}/api/v1/agents`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      name: 'Asha',
      welcome_message: 'Hello {name}, this is Asha from Acme. How can I help?',
      system_prompt: 'You are Asha. Help the caller with {order}. '.repeat(40),
    }),
  });
  const agent = (await saved.json()) as { id: string };
  await addNumber(sql, Date.now(), { workspace_id, number: NUMBER, provider: 'twilio', agent_id: agent.id });
  const read = await (await fetch(`${urls.api}/api/v1/agents/${agent.id}`, { headers })).text();
  await fetch(`${urls.bare}/bare`, { method: 'PUT', headers, body: read });

  const common = { connections: CONNECTIONS, seconds: SECONDS };
  const key = { 'X-API-Key': api_key };
  const loads: Record<'bare' | 'read' | 'place', Load> = {
    bare: { ...common, url: urls.bare, method: 'GET', path: '/bare', expect: 200 },
    read: { ...common, url: urls.api, method: 'GET', path: `/api/v1/agents/${agent.id}`, headers: key, expect: 200 },
    place: {
      ...{
        ...common,
        url: urls.api,
        method: 'POST',
        path: `/api/v1/agents/${agent.id}/call`,
        headers: key,
        expect: 201,
      },
      body: JSON.stringify({ to_number: '+919811112222', user_data: { name: 'Ravi', order: 42 } }),
    },
  };
  const names = ['bare', 'read', 'place'] as const;
  for (const name of names) await runLoad({ ...loads[name], seconds: WARM_UP_SECONDS });

  const rounds: Record<(typeof names)[number], Figures>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const figures = {} as (typeof rounds)[number];
    for (const name of names) {
      const before = await server.use();
      const { requests, seconds, latenciesMs } = await runLoad(loads[name]);
      const cpu_us = Math.round(((await server.use()).cpu_us - before.cpu_us) / requests);
      const { p50, p99 } = percentiles(latenciesMs, 2);
      figures[name] = { per_second: Math.round(requests / seconds), p50_ms: p50, p99_ms: p99, cpu_us };
    }
    rounds.push(figures);
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const of = (name: (typeof names)[number]) => ({
    per_second: median(rounds.map((each) => each[name].per_second)),
    p50_ms: median(rounds.map((each) => each[name].p50_ms)),
    p99_ms: median(rounds.map((each) => each[name].p99_ms)),
    cpu_us: median(rounds.map((each) => each[name].cpu_us)),
  });
  const times = median(rounds.map(({ bare, read }) => bare.per_second / read.per_second));
  const cpuTimes = median(rounds.map(({ bare, read }) => read.cpu_us / bare.cpu_us));
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const result = {
    measured: 'requests per second over HTTP on this machine; client, server and PostgreSQL share its cores',
    cores: cpus().length,
    connections: CONNECTIONS,
    seconds_per_round: SECONDS,
    rounds: ROUNDS,
    payload_bytes: Buffer.byteLength(read),
    bare_route: of('bare'),
    get_agent: of('read'),
    place_call: of('place'),
    get_agent_times_bare: rounded(times),
    get_agent_times_bare_in_processor_time: rounded(cpuTimes),
    wanted_at_most: MAX_TIMES_BARE,
  };
  const row = (name: string, { per_second, p50_ms, p99_ms, cpu_us }: Figures) =>
    `${name.padEnd(26)}${[per_second, p50_ms, p99_ms, cpu_us].map((value) => String(value).padStart(12)).join('')}`;
  const titles = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs each'].map((title) => title.padStart(12)).join('');
  console.log(`${' '.repeat(26)}${titles}`);
  console.log(row('bare Fastify route', result.bare_route));
  console.log(row('GET /agents/{id}', result.get_agent));
  console.log(row('POST /agents/{id}/call', result.place_call));
  const { get_agent_times_bare: clock, get_agent_times_bare_in_processor_time: processor } = result;
  console.log(
    `\nThe read costs ${clock} times the bare route's time (processor: ${processor}); wanted: ${MAX_TIMES_BARE} at most.`,
  );
  writeFileSync(new URL('./results/api.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  server.stop();
  await sql.end({ timeout: 5 });
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}
