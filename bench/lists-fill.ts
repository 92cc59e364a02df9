import type { Sql } from '../control/db/connect.ts';

/**
 * Fills a workspace as it looks after three busy months: a million finished calls by twenty agents and in two hundred batches, with
 * transcripts, timelines of a third of the answered ones, contacts, the ledger, deliveries, logs and audit events. In the order of
 * their creation, as in life. Indexes of finished calls are built afterwards, which takes a tenth of the time.
 */

const AGENTS = 20;
const BATCHES = 200;
const CONTACTS_OF_A_BATCH = 300;
const CONTACTS_OF_THE_LARGEST = 10_000;
/** The number of the largest batch. */
export const LARGEST = 150;
const DAYS = 90;
const CALLS_AT_ONCE = 50_000;
/** Different transcripts; each call's summary is its own. */
const TRANSCRIPTS = 2_000;
const WORDS =
  'hello yes please order delivery tomorrow address confirm number account balance loan doctor appointment morning evening payment invoice ' +
  'support battery kilometre insurance claim hospital Tuesday Friday price discount offer premium cancel booking table guests school teacher ' +
  'नमस्ते हाँ ठीक कल सुबह शाम पता भुगतान';

/**
 * @param sql one connection: its time-out for statements is switched off.
 * @param alsoInsert writes finished calls of others, before the indexes are built.
 */
export async function fill(
  sql: Sql,
  workspaceId: string,
  agentIds: readonly string[],
  calls: number,
  say: (text: string) => void,
  alsoInsert: () => Promise<void> = async () => {},
) {
  const run = async (what: string, work: () => Promise<unknown>) => {
    const beganMs = performance.now();
    await work();
    say(`${what}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  };
  const id = (ms: string) => sql.unsafe(`lpad(to_hex(${ms}), 12, '0') || '7' || substr(md5(random()::text), 1, 19)`);

  await sql`set statement_timeout = 0`;
  await sql`set maintenance_work_mem = '512MB'`;
  await run('plan', plan);
  await run('timelines', timelines);
  const indexes = await sql<{ name: string; definition: string }[]>`
    select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'finished_calls'::regclass and not i.indisprimary`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  for (let from = 1; from <= calls; from += CALLS_AT_ONCE) {
    await run(`calls ${from}`, () => finishedCalls(from, from + CALLS_AT_ONCE - 1));
  }
  await alsoInsert();
  for (const { name, definition } of indexes) {
    await run(name, () => sql.unsafe(definition));
  }
  await run('contacts', contacts);
  await run('ledger', ledger);
  await run('deliveries', deliveries);
  await run('logs', logs);
  await run('vacuum', vacuum);
  await sql`drop table planned, sentences`;

  /** What each call is, so that the other tables agree with it. */
  async function plan() {
    await sql`
      create unlogged table sentences as
      select nth, (
        select jsonb_agg(jsonb_build_object(
          'role', case line % 2 when 0 then 'agent' else 'user' end, 'at', 1767600000000 + line * 4000, 'interrupted', false,
          'text', (select string_agg(word, ' ') from (
            select (regexp_split_to_array(${WORDS}, ' '))[1 + floor(random() * 50)::integer] as word
            from generate_series(1, 8 + nth * 0 + line * 0)
          ) as words)
        )) from generate_series(1, 10 + nth % 12) as line
      ) as transcript
      from generate_series(0, ${TRANSCRIPTS - 1}) as nth`;
    await sql`create index on sentences (nth)`;
    await sql`
      create unlogged table planned as
      select nth, ${id('ms')} as id, to_timestamp(ms / 1000.0) as created_at, ms,
        (${[...agentIds]}::text[])[1 + floor(power(random(), 2) * ${AGENTS})::integer] as agent_id,
        kind < 0.75 as outbound, kind > 0.97 as web,
        case when outcome < 0.62 then 'completed' when outcome < 0.84 then 'no-answer' when outcome < 0.92 then 'busy'
          when outcome < 0.96 then 'canceled' else 'failed' end as status,
        outcome < 0.62 as connected, random() < 0.12 as machine,
        case when kind < 0.5 then 'ba' || lpad((nth * ${BATCHES} / ${calls + 1})::text, 30, '0') end as batch_id,
        '+9198' || lpad(floor(power(random(), 3) * 300000)::integer::text, 8, '0') as customer,
        '+91114000000' || nth % 5 as own_number,
        least(3600, ceil(exp(3.9 + 0.9 * sqrt(-2 * ln(random() + 1e-9)) * cos(6.283 * random()))))::integer as seconds
      from (
        select nth, random() as kind, random() as outcome,
          ((extract(epoch from now()) * 1000)::bigint - ${DAYS} * 86400000::bigint
            + (${DAYS} * 86400000.0 * nth / ${calls + 1})::bigint) as ms
        from generate_series(1, ${calls}) as nth
      ) as drawn`;
    await sql`create index on planned (nth)`;
    await sql`analyze planned`;
  }

  async function timelines() {
    await sql`
      insert into call_events (
        workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
      )
      select ${workspaceId}, planned.id, seq, 'evt_' || ${id('ms')}, 'media', seq,
        case seq % 2 when 0 then 'llm.first_token' else 'tts.first_audio' end, '', 'info',
        ceil(exp((case seq % 2 when 0 then 5.6 else 6.7 end) + 0.4 * sqrt(-2 * ln(random() + 1e-9)) * cos(6.283 * random()))),
        case seq when 1 then '{"welcome": true}' else '{"parts": {}}' end::jsonb, created_at
      from planned cross join generate_series(1, 9) as seq
      where connected and nth % 5 = 0`;
  }

  async function finishedCalls(from: number, to: number) {
    await sql`
      insert into finished_calls (
        workspace_id, id, finished, agent_id, agent_name, agent_version, batch_id, direction, channel, status, from_number, to_number,
        user_data, started_by, provider, created_at, placed_at, queued_at, ringing_at, started_at, ended_at, completed_at,
        duration_seconds, hangup_by, hangup_reason, answered_by, transcript, summary, avg_first_audio_ms, cost_paise,
        cost_breakdown, currency, provider_call_id
      )
      select ${workspaceId}, id, true, agent_id, 'Asha', 3, batch_id, case when outbound then 'outbound' else 'inbound' end,
        case when web then 'web' else 'phone' end, status, case when web then '' when outbound then own_number else customer end,
        case when web then '' when outbound then customer else own_number end, jsonb_build_object('name', 'Ravi', 'order', nth),
        case when batch_id is null then 'Key one' else 'batch June' end, case when web then '' else 'twilio' end, created_at,
        created_at + interval '2 s', created_at, created_at + interval '2 s',
        case when connected then created_at + interval '9 s' end, created_at + interval '9 s' + seconds * interval '1 s',
        case when connected then created_at + interval '12 s' + seconds * interval '1 s' end, case when connected then seconds else 0 end,
        case when connected then 'caller' else 'carrier' end,
        case when connected then (array['caller hung up', 'agent ended the call', 'caller silent', 'voicemail'])[1 + nth % 4]
          when status = 'failed' then 'carrier failed' else status end,
        case when connected and outbound then case when machine then 'machine' else 'human' end end,
        case when connected then transcript else '[]' end,
        case when connected then 'The caller asked about order ' || md5(nth::text) || ' and was helped.' else '' end,
        case when connected then 900 end, case when connected then seconds * 5 else 0 end,
        case when connected then '{"total_paise": 400, "components": {"llm": 1, "voice": 2}}' else '{}' end::jsonb, 'INR',
        case when web then '' else 'CA' || md5(id) end
      from planned join (select nth as sentence, transcript from sentences) as said on sentence = planned.nth % ${TRANSCRIPTS}
      where planned.nth between ${from} and ${to} order by planned.nth`;
  }

  async function contacts() {
    await sql`
      insert into batches (
        workspace_id, id, agent_id, agent_name, name, status, from_numbers, webhook_url, max_attempts, retry_after_minutes, retry_on,
        total, currency, created_by, created_at, keys
      )
      select ${workspaceId}, 'ba' || lpad(nth::text, 30, '0'), (${[...agentIds]}::text[])[1 + nth % ${AGENTS}], 'Asha', 'Batch ' || nth,
        'completed', '{}', '', 2, 30, '{}', case when nth = ${LARGEST} then ${CONTACTS_OF_THE_LARGEST}::integer else ${CONTACTS_OF_A_BATCH}::integer end, 'INR', 'Key one',
        now() - (${BATCHES} - nth) * interval '10 hours', '{name}'
      from generate_series(0, ${BATCHES - 1}) as nth`;
    await sql`
      insert into batch_contacts (workspace_id, batch_id, row, id, to_number, user_data, status, attempts, updated_at)
      select ${workspaceId}, 'ba' || lpad(batch::text, 30, '0'), row, ${id('(extract(epoch from now()) * 1000)::bigint')},
        '+9198' || lpad((batch * 1000 + row)::text, 8, '0'), '{"name": "Ravi"}', (array['completed', 'no-answer', 'busy', 'failed'])[1 + row % 4],
        1, now()
      from generate_series(0, ${BATCHES - 1}) as batch 
      cross join lateral generate_series(1, case when batch = ${LARGEST} then ${CONTACTS_OF_THE_LARGEST}::integer else ${CONTACTS_OF_A_BATCH}::integer end) as row`;
  }

  async function ledger() {
    await sql`
      insert into ledger (
        workspace_id, seq, id, key, at, kind, amount_paise, paid_paise, free_paise, balance_after_paise, currency, note, call_id, by_name,
        seconds
      )
      select ${workspaceId}, wallets.seq + row_number() over (order by nth), 'led_' || id, 'call:' || id, created_at, 'call', -seconds * 5, -seconds * 5,
        0, 1000000, 'INR', 'call', id, '', seconds
      from planned cross join wallets where workspace_id = ${workspaceId} and connected and nth % 2 = 0`;
    await sql`update wallets set seq = (select max(seq) from ledger where workspace_id = ${workspaceId}) where workspace_id = ${workspaceId}`;
  }

  async function deliveries() {
    await sql`
      insert into webhook_deliveries (
        workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq, status, attempts,
        last_status_code, created_at, next_attempt_at
      )
      select ${workspaceId}, 'whd_' || id, 'evt_' || id, (array['call.completed', 'call.started'])[1 + nth % 2], 'body', 'endpoint',
        'endpoint', 'https://example.com/hook', id, agent_id, 3, case when nth % 50 = 0 then 'failed' else 'delivered' end, 1, 200,
        created_at, null
      from planned where ms > (extract(epoch from now()) - 30 * 86400) * 1000`;
  }

  async function logs() {
    await sql`
      insert into server_logs (workspace_id, id, at, level, message, source, request_id, call_id, method, path, status, duration_ms)
      select ${workspaceId}, id, created_at, (array['info', 'info', 'info', 'warning', 'error'])[1 + nth % 5], 'GET /api/v1/calls: 200',
        (array['api', 'call', 'webhook'])[1 + nth % 3], md5(id), id, 'GET', '/api/v1/calls', 200, 5
      from planned where nth % 2 = 0`;
    await sql`
      insert into audit_events (workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name)
      select ${workspaceId}, id, created_at, (array['agent.updated', 'recording.downloaded', 'member.removed'])[1 + nth % 3], 'user',
        'user' || nth % 7, 'Ravi', 'agent', agent_id, 'Asha'
      from planned where nth % 5 = 0`;
  }

  async function vacuum() {
    // Rows whose commit is not on the disk yet are not known to be visible to everybody, and lists would read each in the table.
    await sql`checkpoint`;
    await sql`
      vacuum analyze finished_calls, call_events, batch_contacts, batches, ledger, webhook_deliveries, server_logs, audit_events`;
  }
}
