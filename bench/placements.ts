import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeCall, placeCallsIn } from '../control/calls/queue/place-call.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { addNumber } from '../control/numbers/connect-number.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { startPostgres } from '../dev/postgres.ts';
import { systemClock as clock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { percentiles } from '../shared/percentiles.ts';
import { startApiProcess } from './api-process.ts';
import { runLoad } from './http-load.ts';
import { processTreeSeconds } from './processes.ts';

/**
 * Measures the placement of calls on this machine, with PostgreSQL on it: placements per second, statements and CPU time of each.
 * Alone (`placeCall`), over HTTP with a key and with an `Idempotency-Key` as well, and in the sets in which batches place. The queue is
 * never emptied, so positions are counted as far as they are.
 * `node bench/placements.ts [seconds of each part]`
 */

const SECONDS = Number(process.argv[2] ?? 5);
const WARM_UP_SECONDS = 3;
const CLIENTS = 16;
const SET = 50;
const NUMBER = '+911140000000';

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 12 });
let statements = 0;
sql.options.debug = () => void statements++;
await migrate(sql);
const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Bench');
await setRequestsPerMinute(sql, workspace_id, 100_000_000);
await sql`update wallets set paid_paise = 1000000000 where workspace_id = ${workspace_id}`;

const api = startApiProcess(server.url, join(home, 'recordings'));

interface Figures {
  what: string;
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** Per placement, `begin` and `commit` included. */
  statements: number;
  /** Of control and of PostgreSQL, per placement. */
  cpu_ms: number;
  database_cpu_ms: number;
}

interface Work {
  placed: number;
  seconds: number;
  latenciesMs: number[];
}

const rounded = (value: number) => Math.round(value * 100) / 100;
const rows: Figures[] = [];

/** `control` counts what the process that places has used so far. */
async function measure(
  what: string,
  control: () => Promise<{ cpu_us: number; statements: number }>,
  work: () => Promise<Work>,
) {
  const before = { control: await control(), database: processTreeSeconds(server.pid) };
  const { placed, seconds, latenciesMs } = await work();
  const after = { control: await control(), database: processTreeSeconds(server.pid) };
  const database_cpu_ms = ((after.database - before.database) * 1_000) / placed;
  const own = (after.control.cpu_us - before.control.cpu_us) / 1_000 / placed;
  const { p50, p99 } = percentiles(latenciesMs, 2);
  rows.push({
    ...{ what, per_second: Math.round(placed / seconds), p50_ms: p50, p99_ms: p99 },
    statements: rounded((after.control.statements - before.control.statements) / placed),
    ...{ cpu_ms: rounded(own + database_cpu_ms), database_cpu_ms: rounded(database_cpu_ms) },
  });
}

const ownUse = async () => ({ cpu_us: process.cpuUsage().user + process.cpuUsage().system, statements });
/** Runs the work concurrently for so long; each returns the number placed. */
async function concurrently(clients: number, seconds: number, work: () => Promise<number>): Promise<Work> {
  const startMs = performance.now();
  const latenciesMs: number[] = [];
  let placed = 0;
  const worker = async () => {
    while (performance.now() < startMs + seconds * 1_000) {
      const begunMs = performance.now();
      const count = await work();
      placed += count;
      latenciesMs.push(performance.now() - begunMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, worker));
  return { placed, seconds: (performance.now() - startMs) / 1_000, latenciesMs };
}

try {
  const { api: url } = await api.urls;
  const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
  const body = JSON.stringify({
    ...{ name: 'Asha', welcome_message: 'Hello {name}', system_prompt: 'You are Asha. Help with {order}. '.repeat(40) },
  });
  const saved = await fetch(`${url}/api/v1/agents`, { method: 'POST', headers, body });
  const { id: agent_id } = (await saved.json()) as { id: string };
  await addNumber(sql, clock.wall(), { workspace_id, number: NUMBER, provider: 'twilio', agent_id });
  const actor = { kind: 'user', id: 'bench', name: 'bench' } as const;
  const call = { to_number: '+919811112222', user_data: { name: 'Ravi', order: 42 } };

  const alone = async () => {
    await placeCall(sql, clock, { workspace_id, agent_id, actor, ...call });
    return 1;
  };
  const batch_id = newId();
  const inSets = async () => {
    const calls = Array.from({ length: SET }, () => call);
    await sql.begin((tx) => placeCallsIn(tx, clock.wall(), { workspace_id, agent_id, batch_id, actor, calls }));
    return SET;
  };
  const overHttp = async (more: Record<string, string>, seconds: number): Promise<Work> => {
    const { requests, ...load } = await runLoad({
      ...{ url, method: 'POST', path: `/api/v1/agents/${agent_id}/call`, body: JSON.stringify(call), expect: 201 },
      ...{ headers: { 'X-API-Key': api_key, ...more }, connections: CLIENTS, seconds },
    });
    return { placed: requests, ...load };
  };
  /** The load sends the same bytes again and again, so each request needs a key of its own from here. */
  const withKeys = (seconds: number): Promise<Work> =>
    concurrently(CLIENTS, seconds, async () => {
      const response = await fetch(`${url}/api/v1/agents/${agent_id}/call`, {
        ...{ method: 'POST', headers: { ...headers, 'idempotency-key': newId() }, body: JSON.stringify(call) },
      });
      if (response.status !== 201) throw new Error(`answered ${response.status}`);
      await response.arrayBuffer();
      return 1;
    });

  await concurrently(CLIENTS, WARM_UP_SECONDS, alone);
  await measure('placeCall', ownUse, () => concurrently(CLIENTS, SECONDS, alone));
  await overHttp({}, WARM_UP_SECONDS);
  await measure('POST /agents/{id}/call', api.use, () => overHttp({}, SECONDS));
  await withKeys(WARM_UP_SECONDS);
  await measure('the same with an Idempotency-Key', api.use, () => withKeys(SECONDS));
  await concurrently(2, WARM_UP_SECONDS, inSets);
  await measure(`a batch, in sets of ${SET}`, ownUse, () => concurrently(2, SECONDS, inSets));

  console.table(rows);
  const measured = 'placements on this machine; clients, control and PostgreSQL share its cores';
  const settings = { cores: cpus().length, seconds_of_each: SECONDS, clients: CLIENTS };
  const file = new URL('./results/placements.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify({ measured, ...settings, rows }, null, 2)}\n`);
} finally {
  api.stop();
  await sql.end({ timeout: 5 });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
