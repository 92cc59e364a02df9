import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgentSaver } from '../control/agents/save-agent.ts';
import { foldUsage } from '../control/billing/fold-usage.ts';
import { foldChanges } from '../control/call-totals/fold-changes.ts';
import { foldSearchTexts } from '../control/calls/search/fold-search-texts.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { startPostgres } from '../dev/postgres.ts';
import { agentConfigSchema } from '../shared/agent.ts';
import { systemClock } from '../shared/clock.ts';
import { percentiles } from '../shared/percentiles.ts';
import { toolHeaders } from '../test/support/tool-headers.ts';
import { startApiProcess } from './api-process.ts';
import { runLoad } from './http-load.ts';
import { fill } from './lists-fill.ts';
import { listRequests } from './lists-requests.ts';

/**
 * Measures every list endpoint with its filters over HTTP, in a workspace with a million calls. Exits with 1 when a limit is exceeded.
 * The filled database is kept in `.antiphon/lists-<last migration>` for the next run. `node bench/lists.ts [calls] [times]`
 */

const CALLS = Number(process.argv[2] ?? 1_000_000);
const TIMES = Number(process.argv[3] ?? 40);
const ONLY = process.argv[4] ?? '';
const MIN_LISTS_PER_SECOND = 1_500;
const WALKED = 100_000;
const AGENTS = 20;
const CONNECTIONS = 8;
const SECONDS = 8;

interface Filled {
  workspace_id: string;
  api_key: string;
  agent_ids: string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const home = process.env.LISTS_HOME ?? join(root, '.antiphon');
mkdirSync(home, { recursive: true });
const schema = readdirSync(join(root, 'control/db/migrations')).sort().at(-1)!.slice(0, 4);
const dataDir = join(home, `lists-${schema}-${CALLS}`);
const filledFile = `${dataDir}.json`;
if (!existsSync(filledFile)) rmSync(dataDir, { recursive: true, force: true });
if (!existsSync(filledFile)) await fillDatabase();
const filled: Filled = JSON.parse(readFileSync(filledFile, 'utf8'));
const postgres = await startPostgres({ dataDir });
const sql = connectDatabase({ url: postgres.url, name: 'bench-setup', max: 1 });
// Of the walk of the run before: control folds them within seconds, and here is no job that does.
while ((await foldChanges(sql, 5_000)) > 0);
const server = startApiProcess(postgres.url, join(home, 'recordings'));
try {
  const { api } = await server.urls;
  const headers = { 'X-API-Key': filled.api_key };
  const get = async (path: string) => {
    const response = await fetch(`${api}/api/v1${path}`, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  const results: Record<string, unknown>[] = [];
  let exceeded = 0;
  console.log(`${''.padEnd(92)}${['p50 ms', 'p95 ms', 'limit'].map((title) => title.padStart(9)).join('')}  total`);
  for (const [path, limitMs] of await listRequests(sql, CALLS, filled, get)) {
    if (!path.includes(ONLY)) continue;
    const timesMs: number[] = [];
    let total = '';
    for (let time = 0; time < TIMES + 5; time++) {
      const beganMs = performance.now();
      const body = await get(path).catch((error: Error) => console.log(error.message));
      if (!body) break;
      // The first few compile, prepare statements and read from the disk.
      if (time >= 5) timesMs.push(performance.now() - beganMs);
      total = body.total === undefined ? '' : `${body.total}${body.total_is_estimate ? '+' : ''}`;
      if (time === 0 && performance.now() - beganMs > 5_000) break;
    }
    const { p50, p95 } = percentiles(timesMs.length < TIMES ? [Infinity] : timesMs);
    if (p95 > limitMs) exceeded++;
    const mark = p95 > limitMs ? '  OVER' : '';
    console.log(
      `${path.padEnd(92)}${[p50, p95, limitMs].map((ms) => String(ms).padStart(9)).join('')}  ${total}${mark}`,
    );
    results.push({ path, p50_ms: p50, p95_ms: p95, limit_ms: limitMs, total });
  }

  const load = {
    url: api,
    method: 'GET',
    path: '/api/v1/calls?limit=20',
    headers,
    connections: CONNECTIONS,
    expect: 200,
  };
  await runLoad({ ...load, seconds: 3 });
  const { requests: answered, seconds, latenciesMs } = await runLoad({ ...load, seconds: SECONDS });
  const per_second = Math.round(answered / seconds);
  const { p50, p99 } = percentiles(latenciesMs);
  console.log(
    `\nGET /calls?limit=20: ${per_second} per second (wanted: ${MIN_LISTS_PER_SECOND}), p50 ${p50} ms, p99 ${p99} ms`,
  );
  if (per_second < MIN_LISTS_PER_SECOND) exceeded++;

  const walk = await walkUnderWrites(get);
  console.log(
    `walk by cursor over ${walk.seen} calls under writes: ${walk.seconds} s, ${walk.missed} missed, ${walk.repeated} seen twice`,
  );
  if (walk.missed + walk.repeated > 0) exceeded++;

  const result = {
    measured: 'over HTTP on this machine; client, server and PostgreSQL share its cores',
    ...{ cores: cpus().length, calls: CALLS, requests: results, lists_per_second: per_second, walk },
  };
  if (ONLY === '')
    writeFileSync(new URL('./results/lists.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = exceeded > 0 ? 1 : 0;
} finally {
  server.stop();
  await sql.end({ timeout: 5 });
  await postgres.stop();
}

/** Without waiting for the disk: a run that breaks begins anew. */
async function fillDatabase(): Promise<void> {
  const postgres = await startPostgres({ dataDir, unsafeButFast: true });
  const sql = connectDatabase({ url: postgres.url, name: 'bench-fill', max: 1 });
  await migrate(sql);
  const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Bench');
  await setRequestsPerMinute(sql, workspace_id, 100_000_000);
  const actor = { kind: 'user', id: 'bench', name: 'bench' } as const;
  const saver = createAgentSaver({ sql, clock: systemClock, toolHeaders, onAgentDeleted: async () => {} });
  const agent_ids: string[] = [];
  for (let nth = 0; nth < AGENTS; nth++) {
    const config = agentConfigSchema.parse({
      name: `Agent ${nth}`,
      welcome_message: 'Hello',
      system_prompt: 'Be brief.',
    });
    agent_ids.push((await saver.create({ workspace_id, actor, config })).id);
  }
  await fill(sql, workspace_id, agent_ids, CALLS, console.log);
  const beganMs = performance.now();
  while ((await foldChanges(sql, 5_000)) > 0);
  while ((await foldUsage(sql)) > 0);
  console.log(`totals: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  const textsBeganMs = performance.now();
  const [index] = await sql<{ definition: string }[]>`
    select replace(pg_get_indexdef('call_search_texts_words'::regclass), ' ON ONLY ', ' ON ') as definition`;
  await sql`drop index call_search_texts_words`;
  while ((await foldSearchTexts(sql, 5_000)) > 0);
  await sql.unsafe(index!.definition);
  console.log(`search texts: ${((performance.now() - textsBeganMs) / 1_000).toFixed(1)} s`);
  await sql`
    vacuum analyze call_changes, call_totals, call_counts, call_hangup_reasons, call_search_changes, call_search_texts, ledger_usage`;
  await sql`checkpoint`;
  await sql.end({ timeout: 5 });
  await postgres.stop();
  writeFileSync(filledFile, JSON.stringify({ workspace_id, api_key, agent_ids } satisfies Filled));
}

/** A walk over the newest calls by cursor, while calls are created, end, change and go. */
async function walkUnderWrites(get: (path: string) => Promise<{ items: { id: string }[] }>) {
  const ids = await sql<{ id: string }[]>`
    select id from calls where workspace_id = ${filled.workspace_id} order by created_at desc, id desc limit ${Math.min(WALKED, CALLS)}`;
  const wanted = new Set(ids.map(({ id }) => id));
  const seen = new Set<string>();
  let [repeated, after, walking] = [0, '', true];
  const writes = (async () => {
    while (walking) {
      await sql`
        update finished_calls set cost_paise = cost_paise + 1 where id in (
          select id from finished_calls where workspace_id = ${filled.workspace_id} order by created_at desc, id desc offset 40000 limit 20
        )`;
      await sql`
        insert into finished_calls
        select copied.* from finished_calls as call
        cross join lateral jsonb_populate_record(call, jsonb_build_object(
          'id', lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 19),
          'created_at', clock_timestamp(), 'provider_call_id', ''
        )) as copied
        where call.id = ${ids[0]!.id}`;
    }
  })();
  const beganMs = performance.now();
  while (seen.size < wanted.size) {
    const { items } = await get(`/calls?limit=200${after === '' ? '' : `&after=${after}`}`);
    for (const { id } of items) {
      if (!wanted.has(id)) continue;
      if (seen.has(id)) repeated++;
      seen.add(id);
    }
    if (items.length === 0) break;
    after = items.at(-1)!.id;
  }
  walking = false;
  await writes;
  return {
    seen: seen.size,
    seconds: Math.round((performance.now() - beganMs) / 1_000),
    missed: wanted.size - seen.size,
    repeated,
  };
}
