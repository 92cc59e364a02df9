import { describe, expect, it } from 'vitest';
import { foldUsage } from '../../../control/billing/fold-usage.ts';
import { listLedger } from '../../../control/billing/ledger.ts';
import { usageOfMonth } from '../../../control/billing/usage-of-month.ts';
import { listCalls } from '../../../control/calls/api/list-calls.ts';
import { searchCalls } from '../../../control/calls/call-lookups.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { listServerLogs } from '../../../control/observability/list-logs.ts';
import { listAuditEvents } from '../../../control/observability/store.ts';
import { listDeliveries } from '../../../control/webhooks/delivery-store.ts';
import { searchTermsOf } from '../../../control/workspaces/search.ts';
import { blocksRead, connectExplained, rowsRead } from '../../support/executed-plans.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/**
 * What lists read of a workspace with 40,000 rows, or ROWS, beside others with as many together: what a page and a total of 10,000
 * need, and not in proportion to the rows. In plans for these values, and for any.
 */

const ROWS = Number(process.env.ROWS ?? 40_000);
/** The total, the page, and what a plan looks at on its way: half of all rows are of the workspace. */
const COUNTED = 10_600;
const AND_OTHERS = 2;
/** Of so many finished calls one number, and one duration, is in the oldest. */
const OLDEST = ROWS / 2.5;
const DAYS = 40;
const NOW_MS = Date.now();

const { sql, url } = await createTestDatabase();
const at = sql`to_timestamp(${NOW_MS / 1_000}::float8) - ${2 * ROWS} * ${`${DAYS} days`}::interval / ${2 * ROWS}
  + n * ${`${DAYS} days`}::interval / ${2 * ROWS}`;
const rows = sql`
  (select n, case when n % 2 = 0 then 'large' else 'small' || n % 40 end as workspace_id, ${at} as at,
    lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 19) as id
  from generate_series(1, ${2 * ROWS}) as n) as made`;

await sql`
  insert into workspaces (id, name, state, currency, created_at)
  select name, name, 'active', 'INR', now() from unnest('{large}' || array(select 'small' || n from generate_series(1, 39, 2) as n)) as name`;
await sql`
  insert into server_logs (workspace_id, id, at, level, message, source, data)
  select workspace_id, id, at, case when n % 10 = 0 then 'error' else 'info' end, 'GET /api/v1/calls: 200',
    case when n % 6 = 0 then 'webhook' else 'api' end,
    case n when 100 then '{"detail": "a zebra crossed"}' else '{"by": "Ravi"}' end::jsonb
  from ${rows}`;
await sql`
  insert into audit_events (workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name)
  select workspace_id, id, at, case when n = 100 then 'member.removed' else 'agent.updated' end, 'user', 'user' || n % 4, '', 'agent',
    'agent' || n % 4, ''
  from ${rows}`;
await sql`
  insert into webhook_deliveries (
    workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq, status, created_at
  )
  select workspace_id, 'whd_' || id, '', case when n % 4 = 0 then 'call.ended' else 'call.started' end, '', 'endpoint', '', '', '', '', 1,
    case when n % 20 = 0 then 'failed' else 'delivered' end, at
  from ${rows}`;
await sql`insert into wallets (workspace_id, seq, opened_at) select id, 0, now() from workspaces`;
await sql`
  insert into ledger (
    workspace_id, seq, id, key, at, kind, amount_paise, paid_paise, free_paise, balance_after_paise, currency, note, by_name, seconds
  )
  select workspace_id, row_number() over (partition by workspace_id order by n), id, id, at, 'call', -5, -5, 0, 0, 'INR', '', '', 60
  from ${rows}`;
await sql`update wallets set seq = (select max(seq) from ledger where ledger.workspace_id = wallets.workspace_id)`;
await sql.begin(async (tx) => {
  // Without what counts each call.
  await tx`set local session_replication_role = replica`;
  await tx`
    insert into finished_calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by, provider,
      created_at, queued_at, duration_seconds, summary, currency, finished
    )
    select workspace_id, id, 'agent of ' || workspace_id, 'Asha', 1, case when n % 40 = 1 then 'inbound' else 'outbound' end, case when n % 40 = 1 then 'web' else 'phone' end,
      case when n % 40 = 1 then 'busy' else 'completed' end, case when n < ${OLDEST} then '+911140000001' else '+911140000002' end,
      '+9198' || lpad(n::text, 8, '0'), '', 'twilio', at, at, case when n < ${OLDEST} then 100 else 5 end, repeat(md5(n::text), 30),
      'INR', true
    from ${rows}`;
});
await sql`
  insert into agents (
    workspace_id, id, name, welcome_message, system_prompt, llm, voice, transcriber, call, analytics, tools, knowledge_base_ids,
    knowledge_mode, webhook_url, status, version, updated_by, created_at, updated_at
  )
  select id, 'agent of ' || id, 'Asha', '', '', '{}', '{}', '{}', '{}', '{}', '[]', '{}', 'auto', '', 'active', 1, '', now(), now()
  from workspaces`;
await sql`
  insert into call_counts (workspace_id, agent_id, span, starts_on, status, direction, channel, answered_by, calls)
  select workspace_id, agent, 'month', '2026-01-01', status, direction, channel, '', count(*)
  from finished_calls cross join lateral unnest(array['', agent_id]) as agent group by workspace_id, agent, status, direction, channel`;
while ((await foldUsage(sql)) > 0);
await sql`vacuum analyze`;

const days = (ago: number) => new Date(NOW_MS - ago * 86_400_000);
const month = new Date(NOW_MS).toISOString().slice(0, 7);
const logs = (filters: object) => (watched: Sql) => listServerLogs(watched, 'large', filters, 100, 0);
const audit = (filters: object) => (watched: Sql) => listAuditEvents(watched, 'large', filters, 50, 0);
const deliveries = (filters: object) => (watched: Sql) => listDeliveries(watched, 'large', filters, 50, 0);
const calls = (filters: object) => (watched: Sql) => listCalls(watched, 'large', filters, 20, { skip: 0 });

type List = [what: string, list: (watched: Sql) => Promise<unknown>, maxRows: number, maxBlocks: number];
const LISTS: List[] = [
  ['all deliveries', deliveries({}), COUNTED, 400],
  ['deliveries of many days', deliveries({ since: days(30) }), COUNTED, 400],
  ['deliveries of an hour', deliveries({ since: days(1 / 24) }), 300, 100],
  ['failed deliveries', deliveries({ status: ['failed', 'retrying'] }), COUNTED, 400],
  ['deliveries of a type', deliveries({ event_type: ['call.ended'] }), COUNTED, 400],
  ['all log lines', logs({}), COUNTED * AND_OTHERS, 1_000],
  ['log lines of a level', logs({ level: ['error'] }), COUNTED, 400],
  ['log lines of two levels and a source', logs({ level: ['error', 'info'], source: 'webhook' }), COUNTED, 400],
  ['log lines of a source that has none', logs({ source: 'batch' }), 1, 30],
  ['log lines with a rare word', logs({ q: 'Zebra' }), 2_100 * AND_OTHERS, 400],
  ['log lines with a word that none has', logs({ q: 'giraffe' }), 2_100 * AND_OTHERS, 400],
  ['log lines with a frequent word', logs({ q: 'calls' }), 7_200 * AND_OTHERS, 1_000],
  ['all audit events', audit({}), COUNTED * AND_OTHERS, 1_000],
  ['audit events of an actor', audit({ actor_id: 'user2' }), COUNTED, 400],
  ['audit events of a target', audit({ target_id: 'agent2' }), COUNTED, 400],
  ['audit events of a frequent action', audit({ action: 'agent.' }), COUNTED + 1_100, 400],
  ['audit events of a rare action', audit({ action: 'member.' }), 10, 30],
  [
    'charges of calls in the ledger',
    (watched) => listLedger(watched, 'large', { limit: 50, skip: 0, kind: 'call' }),
    COUNTED,
    900,
  ],
  [
    'a kind of ledger rows that there is none of',
    (watched) => listLedger(watched, 'large', { limit: 50, skip: 0, kind: 'plan' }),
    1,
    30,
  ],
  ['a page of the ledger far behind', (watched) => listLedger(watched, 'large', { limit: 50, skip: 30_000 }), 100, 30],
  [
    'the usage of a month',
    (watched) => usageOfMonth(watched, 'large', { month, zone: 'Asia/Kolkata', wallMs: NOW_MS }),
    3_500,
    300,
  ],
  [
    'calls of an agent',
    (watched) => listCalls(watched, 'small1', { agent_id: 'agent of small1' }, 20, { skip: 0 }),
    150,
    300,
  ],
  ['calls of agents with a name', (watched) => searchCalls(watched, 'small1', searchTermsOf('asha'), 10), 150, 300],
  ['calls of a number that only the oldest have', calls({ number: '+911140000001' }), 9_000, 900],
  ['calls of a number that none has', calls({ number: '+910000000000' }), 1_010, 300],
  ['calls of a duration that only the oldest have', calls({ min_duration: 60 }), 9_000, 600],
];

describe.each([
  ['these values', false],
  ['any values', true],
])('in a plan for %s', async (_, forAnyValues) => {
  const { sql: watched, plansOf } = await connectExplained(url, { forAnyValues });

  it.each(LISTS)('%s: what is read does not grow with the rows', async (_, list, maxRows, maxBlocks) => {
    const plans = await plansOf(() => list(watched));
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    expect(plans.length).toBeGreaterThan(0);
    expect(sum(plans.map(rowsRead))).toBeLessThan(maxRows);
    expect(sum(plans.map(blocksRead))).toBeLessThan(maxBlocks);
  });
});
