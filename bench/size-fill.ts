import { createAgentSaver } from '../control/agents/save-agent.ts';
import { foldUsage } from '../control/billing/fold-usage.ts';
import { foldChanges } from '../control/call-totals/fold-changes.ts';
import { foldSearchTexts } from '../control/calls/search/fold-search-texts.ts';
import type { Sql } from '../control/db/connect.ts';
import { addNumber } from '../control/numbers/connect-number.ts';
import { createWorkspace } from '../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../control/workspaces/plan.ts';
import { agentConfigSchema } from '../shared/agent.ts';
import { systemClock } from '../shared/clock.ts';
import { toolHeaders } from '../test/support/tool-headers.ts';
import { fill } from './lists-fill.ts';

/** A workspace of the simulation, with one agent that calls from one number. */
export interface SizeWorkspace {
  workspace_id: string;
  api_key: string;
  /** The first one places calls. */
  agent_ids: string[];
  /** Finished. */
  calls: number;
}

export interface SizeOptions {
  workspaces: number;
  /** Finished calls of all workspaces. */
  calls: number;
  /** Those of the first workspace, which has all that `lists-fill.ts` writes. */
  large: number;
}

const MONTHS = 3;
const DAYS = 90;
const AGENTS_OF_LARGE = 20;
/** Calls of one workspace that follow each other, as in campaigns. */
const CALLS_OF_A_CAMPAIGN = 50;
const CALLS_AT_ONCE = 250_000;
/** More would be found by reading the whole table each time. */
const CHANGES_AT_ONCE = 10_000;
const ROUNDS_BETWEEN_VACUUMS = 100;
const TEXTS_AT_ONCE = 5_000;
const MAX_SLOTS = 100;
const PARTITIONED = [
  ['finished_calls', 'id'],
  ['call_events', 'call_id'],
  ['call_search_texts', 'id'],
] as const;

/**
 * Fills a new database: the first workspace as for `make lists`, and the other calls evenly over the others, with short transcripts and
 * without timelines. Only the first two workspaces have texts to search. Totals of all calls are folded.
 *
 * @param sql one connection: its settings are changed.
 * @returns the workspaces, the largest first.
 */
export async function fillForSize(
  sql: Sql,
  options: SizeOptions,
  say: (text: string) => void,
): Promise<SizeWorkspace[]> {
  const { calls, large } = options;
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const beganMs = performance.now();
    await work();
    say(`${what}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  };
  await sql`set statement_timeout = 0`;
  await timed('months', () => addEarlierMonths(sql));
  const workspaces: SizeWorkspace[] = [];
  await timed(`${options.workspaces} workspaces`, async () => {
    for (let nth = 0; nth < options.workspaces; nth++) {
      workspaces.push(await makeWorkspace(sql, nth));
      if (nth % 100 === 99) say(`${nth + 1} workspaces`);
    }
  });
  const [first, second] = workspaces as [SizeWorkspace, SizeWorkspace, ...SizeWorkspace[]];
  first.calls = large;
  const others = workspaces.slice(1);
  for (const other of others) other.calls = Math.floor((calls - large) / others.length);
  await fill(sql, first.workspace_id, first.agent_ids, large, say, () =>
    insertCallsOf(sql, others, calls - large, timed),
  );

  await sql`
    insert into call_search_changes (workspace_id, call_id)
    select workspace_id, id from finished_calls where workspace_id = ${second.workspace_id} and started_at is not null`;
  const fold = (what: string, some: () => Promise<number>) =>
    timed(what, async () => {
      let [saidMs, done] = [performance.now(), 0];
      for (let round = 1, more = await some(); more > 0; round++, more = await some()) {
        done += more;
        // What is folded is deleted, and would be passed over each time.
        if (round % ROUNDS_BETWEEN_VACUUMS === 0) await sql`vacuum call_changes, call_search_changes`;
        if (performance.now() - saidMs < 5_000) continue;
        saidMs = performance.now();
        say(`${what} of ${done}`);
      }
    });
  await fold('totals', () => foldChanges(sql, CHANGES_AT_ONCE));
  await fold('usage', () => foldUsage(sql));
  await fold('search texts', () => foldSearchTexts(sql, TEXTS_AT_ONCE));
  await timed('vacuum', () => sql`vacuum analyze`);
  await timed('checkpoint', () => sql`checkpoint`);
  return workspaces;
}

/** Partitions as they are after months of service; in a new database the calls of before have one. */
async function addEarlierMonths(sql: Sql): Promise<void> {
  for (const [table, key] of PARTITIONED) {
    const earlier = sql(`${table}_earlier`);
    await sql`drop table ${earlier}`;
    const [first] = await sql<{ id: string }[]>`
      select first_id_of_month((date_trunc('month', now() at time zone 'UTC') - ${MONTHS}::integer * interval '1 month')::date) as id`;
    await sql.unsafe(
      `create table ${table}_earlier partition of ${table} for values from (minvalue) to ('${first!.id}')`,
    );
    await sql`
      select add_month_partition(${table}, ${key}, (date_trunc('month', now() at time zone 'UTC') - months * interval '1 month')::date)
      from generate_series(0, ${MONTHS}::integer) as months`;
  }
}

async function makeWorkspace(sql: Sql, nth: number): Promise<SizeWorkspace> {
  const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, `Workspace ${nth}`);
  await setRequestsPerMinute(sql, workspace_id, 100_000_000);
  await sql`update wallets set paid_paise = 1000000000 where workspace_id = ${workspace_id}`;
  await sql`
    update workspaces set concurrency_limit = ${MAX_SLOTS}, own_concurrency_limit = ${MAX_SLOTS} where id = ${workspace_id}`;
  const saver = createAgentSaver({ sql, clock: systemClock, toolHeaders, onAgentDeleted: async () => {} });
  const actor = { kind: 'user', id: 'bench', name: 'bench' } as const;
  const agent_ids: string[] = [];
  for (let agent = 0; agent < (nth === 0 ? AGENTS_OF_LARGE : 1); agent++) {
    const config = agentConfigSchema.parse({
      ...{
        name: `Agent ${agent}`,
        welcome_message: 'Hello {name}',
        system_prompt: 'You are Asha. Be brief. '.repeat(40),
      },
    });
    agent_ids.push((await saver.create({ workspace_id, actor, config })).id);
  }
  const number = `+9111${String(50_000_000 + nth)}`;
  await addNumber(sql, Date.now(), { workspace_id, number, provider: 'twilio', agent_id: agent_ids[0]! });
  return { workspace_id, api_key, agent_ids, calls: 0 };
}

/** In the order of their creation, a campaign of each workspace in turn; counted in sets, because a trigger counts each by itself. */
async function insertCallsOf(
  sql: Sql,
  workspaces: readonly SizeWorkspace[],
  calls: number,
  timed: (what: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await sql`create unlogged table callers (nth integer primary key, workspace_id text, agent_id text)`;
  await sql`
    insert into callers select nth - 1, workspace_id, agent_id from unnest(
      ${workspaces.map(({ workspace_id }) => workspace_id)}::text[], ${workspaces.map(({ agent_ids }) => agent_ids[0]!)}::text[]
    ) with ordinality as caller (workspace_id, agent_id, nth)`;
  await sql`analyze callers`;
  await sql`set session_replication_role = replica`;
  for (let from = 0; from < calls; from += CALLS_AT_ONCE) {
    const to = Math.min(calls, from + CALLS_AT_ONCE) - 1;
    await timed(`calls of the others ${from}`, () => insertCalls(sql, workspaces.length, calls, from, to));
  }
  await timed('changes of the others', async () => {
    await sql`
      insert into call_changes (
        workspace_id, calls, agent_id, created_at, status, direction, channel, answered_by, hangup_reason, connected, ended,
        duration_seconds, cost_paise
      )
      select workspace_id, 1, agent_id, created_at, status, direction, channel, coalesce(answered_by, ''), hangup_reason,
        started_at is not null, ended_at is not null, duration_seconds, cost_paise
      from finished_calls where workspace_id <> (select id from workspaces order by id limit 1)`;
  });
  await sql`set session_replication_role = origin`;
  await sql`drop table callers`;
}

async function insertCalls(sql: Sql, workspaces: number, calls: number, from: number, to: number): Promise<void> {
  const said = JSON.stringify([
    { role: 'agent', text: 'Hello, this is Asha. How can I help you?', at_ms: 1_767_600_000_000, interrupted: false },
    { role: 'user', text: 'A table for two please, tomorrow evening.', at_ms: 1_767_600_004_000, interrupted: false },
  ]);
  await sql`
    insert into finished_calls (
      workspace_id, id, finished, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number,
      user_data, started_by, provider, created_at, placed_at, queued_at, ringing_at, started_at, ended_at, completed_at,
      duration_seconds, hangup_by, hangup_reason, answered_by, transcript, summary, avg_first_audio_ms, cost_paise,
      cost_breakdown, currency, provider_call_id
    )
    select workspace_id, id, true, agent_id, 'Agent 0', 1, case when outbound then 'outbound' else 'inbound' end,
      case when web then 'web' else 'phone' end, status, case when web then '' when outbound then '+911150000000' else customer end,
      case when web then '' when outbound then customer else '+911150000000' end, jsonb_build_object('name', 'Ravi', 'order', planned.nth),
      'Key one', case when web then '' else 'twilio' end, at, at + interval '2 s', at, at + interval '2 s',
      case when connected then at + interval '9 s' end, at + interval '9 s' + seconds * interval '1 s',
      case when connected then at + interval '12 s' + seconds * interval '1 s' end, case when connected then seconds else 0 end,
      case when connected then 'caller' else 'carrier' end, case when connected then 'caller hung up' else status end,
      case when connected and outbound then 'human' end, case when connected then ${said}::text else '[]' end::jsonb,
      case when connected then 'The caller asked about order ' || planned.nth || ' and was helped.' else '' end,
      case when connected then 900 end, case when connected then seconds * 5 else 0 end,
      case when connected then '{"total_paise": 400, "components": {"llm": 1, "voice": 2}}' else '{}' end::jsonb, 'INR',
      case when web then '' else 'CA' || substr(id, 1, 32) end
    from (
      select nth, to_timestamp(ms / 1000.0) as at, lpad(to_hex(ms), 12, '0') || '7' || substr(md5(nth::text), 1, 19) as id,
        hashint4(nth) % 100 >= -75 as outbound, nth % 33 = 0 as web, nth % 8 < 5 as connected,
        case nth % 8 when 5 then 'no-answer' when 6 then 'busy' when 7 then 'failed' else 'completed' end as status,
        '+9198' || lpad((abs(hashint4(nth)::bigint) % 30000000)::text, 8, '0') as customer, 5 + (nth::bigint * 7919 % 600)::integer as seconds
      from (
        select nth::integer, ((extract(epoch from now()) * 1000)::bigint - ${DAYS} * 86400000::bigint
          + (${DAYS} * 86400000.0 * nth / ${calls})::bigint) as ms
        from generate_series(${from}::bigint, ${to}::bigint) as nth
      ) as drawn
    ) as planned join callers on callers.nth = planned.nth / ${CALLS_OF_A_CAMPAIGN}::integer % ${workspaces}::integer
    order by planned.nth`;
}
