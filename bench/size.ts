import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectDatabase, type Sql } from '../control/db/connect.ts';
import { migrateDatabase } from '../control/operators/migrations.ts';
import { type Child, startProgram } from '../dev/child.ts';
import { startNats } from '../dev/nats.ts';
import { freePort } from '../dev/ports.ts';
import { startPostgres } from '../dev/postgres.ts';
import { newId } from '../shared/ids.ts';
import { eventually } from '../test/support/until.ts';
import { listRequests } from './lists-requests.ts';
import { thisMachine } from './machine.ts';
import { cpuSeconds, descendantsOf, processTreeSeconds } from './processes.ts';
import { fillForSize, type SizeWorkspace } from './size-fill.ts';
import { type SizeLine, startLine } from './size-line.ts';
import { type LoadOptions, startLoad } from './size-load.ts';
import { listRows, printStep, type SizeCosts, type SizeStep, stepOf } from './size-report.ts';

/**
 * Simulates a service of size: WORKSPACES (1,000) with CALLS (10 M) finished calls by month, of which LARGE (a fiftieth) are of one
 * workspace, and LIVE (2500,5000,10000) live calls, step by step: calls of CALL_SECONDS (120) are placed over HTTP as fast as they end,
 * dialled over a simulated carrier's API, opened over the bus, reported with four events every TURN_SECONDS (10) and charged, while
 * lists of the large and of a small workspace are read LISTS (10) times a second. Measured for SECONDS (60) a step.
 *
 * Control is one process as in production; it, PostgreSQL, NATS and the simulation share this machine. The filled database is kept in
 * SIZE_HOME (`.antiphon`) for the next run. `node bench/size.ts [--fill]`: with it, only the database is filled.
 */

const setting = (name: string, preset: number) => Number(process.env[name] || preset);
const WORKSPACES = setting('WORKSPACES', 1_000);
const CALLS = setting('CALLS', 10_000_000);
const LARGE = setting('LARGE', CALLS / 50);
const LIVE = (process.env.LIVE || '2500,5000,10000').split(',').map(Number);
const SECONDS = setting('SECONDS', 60);
const CALL_SECONDS = setting('CALL_SECONDS', 120);
const TURN_SECONDS = setting('TURN_SECONDS', 10);
const LISTS_PER_SECOND = setting('LISTS', 10);
const WARM_UP_SECONDS = Math.min(20, SECONDS);
const CALLS_OF_AN_ENGINE = 500;
const DATABASE_SECONDS = 300;

const root = fileURLToPath(new URL('..', import.meta.url));
const home = process.env.SIZE_HOME || join(root, '.antiphon');
mkdirSync(home, { recursive: true });
const schema = readdirSync(join(root, 'control/db/migrations')).sort().at(-1)!.slice(0, 4);
const dataDir = join(home, `size-${schema}-${WORKSPACES}-${CALLS}-${LARGE}`);
const filledFile = `${dataDir}.json`;
const machine = thisMachine();
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

if (!existsSync(filledFile)) await fillDatabase();
if (!process.argv.includes('--fill')) await simulate(JSON.parse(readFileSync(filledFile, 'utf8')) as SizeWorkspace[]);

/** Without waiting for the disk: a run that breaks begins anew. */
async function fillDatabase(): Promise<void> {
  rmSync(dataDir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir, unsafeButFast: true });
  try {
    await migrateDatabase(postgres.url, () => {});
    const sql = connectDatabase({ url: postgres.url, name: 'bench-fill', max: 1, statementTimeoutMs: 0 });
    const options = { workspaces: WORKSPACES, calls: CALLS, large: LARGE };
    const workspaces = await fillForSize(sql, options, say);
    const [size] = await sql<{ size: string }[]>`select pg_size_pretty(pg_database_size(current_database())) as size`;
    say(`filled: ${size!.size} in ${dataDir}`);
    await sql.end({ timeout: 5 });
    writeFileSync(filledFile, JSON.stringify(workspaces));
  } finally {
    await postgres.stop();
  }
}

async function simulate(workspaces: SizeWorkspace[]): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'antiphon-size-'));
  const closing: (() => unknown)[] = [() => rmSync(temporary, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ dataDir });
    closing.push(() => postgres.stop());
    const nats = await startNats({ dataDir: join(temporary, 'nats') });
    closing.push(() => nats.stop());
    const sql = connectDatabase({
      url: postgres.url,
      name: 'bench',
      max: 4,
      statementTimeoutMs: DATABASE_SECONDS * 1_000,
    });
    closing.push(() => sql.end({ timeout: 5 }));
    // Of a run before.
    await sql`truncate engines`;
    await sql`delete from live_calls`;
    const [tokenSecret, authToken] = [randomBytes(24).toString('base64url'), randomBytes(16).toString('hex')];
    const engines = Math.max(1, Math.ceil(Math.max(...LIVE) / CALLS_OF_AN_ENGINE));
    const line = await startLine({
      ...{ natsUrl: nats.url, tokenSecret, authToken, engines },
      ...{ callSeconds: CALL_SECONDS, turnSeconds: TURN_SECONDS },
    });
    closing.push(() => line.close());
    const port = await freePort();
    const api = `http://127.0.0.1:${port}`;
    const control = await startProgram('control', {
      env: {
        ...process.env,
        ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, API_PORT: String(port), PUBLIC_API_URL: api },
        ...{ MEDIA_TOKEN_SECRET: tokenSecret, OPENAI_API_KEY: 'simulated', LOG_LEVEL: 'warn' },
        ...{ TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: authToken, TWILIO_API_URL: line.carrierUrl },
        ...{ RECORDINGS_DIR: join(temporary, 'recordings'), MAIL_DIR: join(temporary, 'mail') },
      },
      logFile: join(home, 'size-control.log'),
    });
    closing.push(() => control.stop('SIGTERM', 20_000));
    await eventually('control to be ready', 120_000, () => fetch(`${api}/healthz`).catch(() => null));
    const lists = await readableLists(api, sql, workspaces);
    say(`control is ready; ${lists.large.length} lists of the large workspace, ${lists.small.length} of a small one`);

    const steps: SizeStep[] = [];
    for (const live of [0, ...LIVE]) {
      const step = await measureStep(live, { api, sql, line, workspaces, lists, control, postgres, nats });
      steps.push(step);
      printStep(step);
    }
    const costs = await costsOf(sql);
    const listTable = listRows(steps);
    console.table(listTable);
    console.table(costs);
    const result = {
      measured: 'one control process, PostgreSQL, NATS and the simulation of carrier and engines share this machine',
      machine,
      ...{ workspaces: WORKSPACES, calls: CALLS, large: LARGE, call_seconds: CALL_SECONDS, turn_seconds: TURN_SECONDS },
      ...{ seconds_of_each: SECONDS, steps: steps.map(({ lists: _, ...step }) => step), lists: listTable, costs },
    };
    writeFileSync(new URL('./results/size.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** Those that are answered: a small workspace has no batches. */
async function readableLists(
  api: string,
  sql: Sql,
  [large, small]: readonly SizeWorkspace[],
): Promise<LoadOptions['lists']> {
  const of = async (workspace: SizeWorkspace): Promise<string[]> => {
    const get = async (path: string) => {
      const response = await fetch(`${api}/api/v1${path}`, { headers: { 'x-api-key': workspace.api_key } });
      return { status: response.status, body: await response.json().catch(() => null) };
    };
    const getItems = async (path: string) => (await get(path)).body as { items: { id: string }[] };
    const paths: string[] = [];
    for (const [path] of await listRequests(sql, workspace.calls, workspace, getItems)) {
      const { status } = await get(path);
      if (status === 200) paths.push(path);
      else if (status !== 404) say(`GET ${path} answered ${status}: left out`);
    }
    return paths;
  };
  return { large: await of(large!), small: await of(small!) };
}

interface Service extends Omit<LoadOptions, 'placementsPerSecond' | 'listsPerSecond'> {
  control: Child;
  postgres: { pid: number };
  nats: { pid: number };
}

async function measureStep(live: number, service: Service): Promise<SizeStep> {
  const { sql, line, workspaces, control, postgres, nats } = service;
  await makeLive(sql, line, workspaces, live - line.live);
  const placementsPerSecond = live / CALL_SECONDS;
  say(`${live} live calls, ${placementsPerSecond.toFixed(1)} placed and ended a second`);
  const load = startLoad({ ...service, placementsPerSecond, listsPerSecond: LISTS_PER_SECOND });
  const untilMs = async (endMs: number, what: string) => {
    while (performance.now() < endMs) {
      await sleep(Math.max(0, Math.min(10_000, endMs - performance.now())));
      say(
        `${what}: ${line.live} live, ${load.waiting()} wait to be dialled, ${line.figures.events} events stored by the bus`,
      );
    }
  };
  await untilMs(performance.now() + WARM_UP_SECONDS * 1_000, 'warming up');
  load.measure();
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const use = async () => ({
    // Before the database is asked, which may take long when it is overloaded.
    atMs: performance.now(),
    ...{
      control: cpuSeconds([control.pid, ...descendantsOf(control.pid)]),
      postgres: processTreeSeconds(postgres.pid),
    },
    ...{ nats: processTreeSeconds(nats.pid), simulation: (process.cpuUsage().user + process.cpuUsage().system) / 1e6 },
    ...(await databaseUse(sql)),
  });
  const before = await use();
  await untilMs(before.atMs + SECONDS * 1_000, 'measuring');
  const after = await use();
  loop.disable();
  const line_figures = structuredClone(line.figures);
  const [waiting, at_end] = [load.waiting(), line.live];
  const loaded = await load.stop();
  return stepOf({
    ...{ live, at_end, waiting, loaded, line: line_figures, before, after },
    ...{ placementsPerSecond, loopP99Ms: loop.percentile(99) / 1e6 },
  });
}

/** Inserts calls in progress and lets the engines go on with them. */
async function makeLive(sql: Sql, line: SizeLine, workspaces: readonly SizeWorkspace[], calls: number): Promise<void> {
  const CALLS_AT_ONCE = 1_000;
  for (let done = 0; done < calls; done += CALLS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(CALLS_AT_ONCE, calls - done) }, (_, nth) => {
      const { workspace_id, agent_ids } = workspaces[(done + nth) % workspaces.length]!;
      return { workspace_id, agent_id: agent_ids[0]!, id: newId() };
    });
    await sql`
      insert into calls (
        workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
        provider, created_at, queued_at, started_at, currency, media_nonce, heartbeat_at
      )
      select workspace_id, id, agent_id, 'Agent 0', 1, 'inbound', 'phone', 'in-progress', '+919811112222', '+911150000000', '',
        'twilio', now(), now(), now(), 'INR', id, now()
      from unnest(
        ${rows.map((row) => row.workspace_id)}::text[], ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.agent_id)}::text[]
      ) as call (workspace_id, id, agent_id)`;
    const adopted = line.adopt(rows.map(({ id }) => id));
    await sql`
      update live_calls set engine_id = adopted.engine_id
      from unnest(${adopted.map(({ engine_id }) => engine_id)}::text[], ${adopted.map(({ call_id }) => call_id)}::text[])
        as adopted (engine_id, call_id)
      where id = call_id`;
  }
}

async function databaseUse(sql: Sql): Promise<{ walBytes: number; transactions: number; databaseBytes: number }> {
  const [row] = await sql<{ wal: string; transactions: string; size: string }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal, pg_database_size(current_database())::text as size,
      (select xact_commit::text from pg_stat_database where datname = current_database()) as transactions`;
  return { walBytes: Number(row!.wal), transactions: Number(row!.transactions), databaseBytes: Number(row!.size) };
}

/** Rows and bytes that calls leave, indexes included. */
async function costsOf(sql: Sql): Promise<SizeCosts[]> {
  const tables = ['finished_calls', 'call_events', 'call_search_texts', 'ledger', 'call_totals'];
  const costs: SizeCosts[] = [];
  for (const table of tables) {
    const [row] = await sql<{ rows: string; bytes: string; index_bytes: string }[]>`
      select coalesce(sum(c.reltuples), 0)::text as rows, coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes,
        coalesce(sum(pg_indexes_size(c.oid)), 0)::text as index_bytes
      from pg_partition_tree(${table}::regclass) as part join pg_class c on c.oid = part.relid and part.isleaf and c.reltuples > 0`;
    const plain = row!.rows === '0' ? await sizeOfPlain(sql, table) : row!;
    const rows = Number(plain.rows);
    if (rows === 0) continue;
    const of = (bytes: string) => Math.round(Number(bytes) / rows);
    costs.push({ table, rows, bytes_per_row: of(plain.bytes), index_bytes_per_row: of(plain.index_bytes) });
  }
  return costs;
}

async function sizeOfPlain(sql: Sql, table: string): Promise<{ rows: string; bytes: string; index_bytes: string }> {
  const [row] = await sql<{ rows: string; bytes: string; index_bytes: string }[]>`
    select greatest(reltuples, 0)::bigint::text as rows, pg_total_relation_size(oid)::text as bytes, pg_indexes_size(oid)::text as index_bytes
    from pg_class where oid = ${table}::regclass`;
  return row!;
}
