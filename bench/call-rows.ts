import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingest } from '../control/calls/events/ingest.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { createActiveWorkspace } from '../control/workspaces/create-workspace.ts';
import { startPostgres } from '../dev/postgres.ts';
import type { DeliveredEvent } from '../shared/bus/event-consumer.ts';
import type { CallEvent } from '../shared/bus/messages.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';

/**
 * Measures the bytes that a call leaves in PostgreSQL: calls of 20 turns are played through the ingest, completed, and delivered to one
 * endpoint that subscribes to the life of calls and one that subscribes to all that is said. Nothing is timed.
 * `node bench/call-rows.ts [calls]`
 */

const CALLS = Number(process.argv[2] ?? 500);
const TURNS = 20;
const CALLS_AT_ONCE = 50;
/** What is said is drawn from these words, with a seed: phrases that come again and again would be compressed as no conversation is. */
const WORDS =
  'good morning afternoon I we you they wanted would could should please tell ask whether my your order parcel number has left the warehouse ' +
  'courier message address street tomorrow yesterday evening noon before after within days weeks price refund amount card account paid ' +
  'invoice delivery delayed because weather traffic sorry certainly thank again let me look that up for one moment it was placed on monday ' +
  'tuesday friday and comes with details name spelling letters digits first second last open closed office branch doctor appointment slot';
const MAX_WORDS = 24;

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 4 });
const clock = systemClock;
const log = createLogger('bench', 'error');

const usage = {
  stt_seconds: 193,
  tts_characters: 2_400,
  llm_input_tokens: 39_000,
  llm_output_tokens: 900,
  llm_calls: 21,
};
const provider_usage_json = JSON.stringify([
  { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: 193 },
  { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', llm_input_tokens: 39_000, llm_output_tokens: 900 },
  { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 2_400 },
]);

/** Numbers from 0 to 1, the same in each run (a linear congruential generator, Numerical Recipes' constants). */
let state = 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const words = WORDS.split(' ');
const sentence = () =>
  Array.from({ length: 1 + Math.floor(random() * MAX_WORDS) }, () => words[Math.floor(random() * words.length)]).join(
    ' ',
  );

/** All events of one call, as the bus delivers them. */
function eventsOf(call_id: string): DeliveredEvent[] {
  let at_ms = Date.now();
  const said = (role: 'user' | 'agent'): Partial<CallEvent> => {
    const text = sentence();
    const type = role === 'user' ? 'user.turn' : 'agent.reply';
    return { type, message: text, transcript: [{ role, text, at_ms, interrupted: false }] };
  };
  const turns = Array.from({ length: TURNS }, (): Partial<CallEvent>[] => [
    said('user'),
    { type: 'llm.first_token', message: 'gpt-4.1-mini', latency_ms: 412, data_json: '{"model_ms":398}' },
    { type: 'tts.first_audio', latency_ms: 811, data_json: '{"parts":{"end_of_turn_ms":210,"first_audio_ms":180}}' },
    said('agent'),
  ]).flat();
  const by = { hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
  const ending = { ...by, duration_seconds: 193, avg_first_audio_ms: 811, recorded: true, provider_usage_json };
  const end: Partial<CallEvent> = { type: 'call.ended', data_json: JSON.stringify({ usage }), ending };
  return [...turns, end].map((event, index) => {
    at_ms += 2_400;
    const plain = { call_id, seq: index + 1, engine_id: 'bench', at_ms, level: 'info', message: 'bench' } as const;
    const whole = { ...plain, type: '', data_json: '{}', transcript: [], ...event };
    const acknowledgement = { ack() {}, nak: () => notWritten(), term: () => notWritten() };
    return { event: whole, raw: Buffer.alloc(0), call_id, position: index + 1, redelivered: false, ...acknowledgement };
  });
}

function notWritten(): never {
  throw new Error('an event of the bench was not written');
}

async function insertLiveCalls(workspace_id: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await sql`
    insert into live_calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
      provider, created_at, queued_at, started_at, currency, engine_id, media_nonce, user_data
    )
    select ${workspace_id}, id, ${newId()}, 'Asha', 1, 'inbound', 'phone', 'in-progress', '+919811112222', '+911140000001', '',
      'twilio', now(), now(), now(), 'INR', 'bench', id, '{"name": "Ravi", "order": 4711}'
    from unnest(${ids}::text[]) as id`;
  return ids;
}

async function subscribe(workspace_id: string, events: string[]): Promise<void> {
  const row = {
    workspace_id,
    id: `we_${newId()}`,
    url: 'https://receiver.example/hook',
    description: '',
    events,
    active: true,
  };
  const secret = { secret: Buffer.from('x'), secret_hint: '', created_at: new Date(), created_by: 'bench' };
  await sql`insert into webhook_endpoints ${sql({ ...row, ...secret } as never)}`;
}

/** Bytes of a table and of what is stored beside its rows, without indexes, and its rows, for each call. */
async function sizeOf(table: string) {
  await sql.unsafe(`vacuum full ${table}`);
  const [row] = await sql<{ bytes: number; index_bytes: number; rows: number }[]>`
    select sum(pg_table_size(relid))::float8 as bytes, sum(pg_indexes_size(relid))::float8 as index_bytes,
      (select count(*)::float8 from ${sql(table)}) as rows
    from (
      select relid from pg_partition_tree(${table}::regclass) where isleaf
      union select ${table}::regclass
    ) as part`;
  const perCall = (value: number) => Math.round((value / CALLS) * 10) / 10;
  return { table, rows: perCall(row!.rows), bytes: perCall(row!.bytes), index_bytes: perCall(row!.index_bytes) };
}

/** The largest columns as they are stored, on average for each call. */
async function columnsOf() {
  const size = (what: string, from: string) => sql<{ what: string; bytes: number }[]>`
    select ${what} as what, round(sum(pg_column_size(${sql.unsafe(what.split('.').at(-1)!)}))::numeric / ${CALLS})::integer as bytes
    from ${sql.unsafe(from)}`;
  const ofCall = ['transcript', 'cost_breakdown', 'usage', 'provider_usage', 'user_data', 'extracted', 'summary'];
  const rows = await Promise.all([
    ...ofCall.map((column) => size(`finished_calls.${column}`, 'finished_calls')),
    size('call.completed.data', `call_events where type = 'call.completed'`),
    size('call.ended.data', `call_events where type = 'call.ended'`),
    size('said.message', `call_events where type in ('user.turn', 'agent.reply')`),
    size('call.completed.body', `webhook_bodies where body like '%"type":"call.completed"%'`),
    size('other.body', `webhook_bodies where body not like '%"type":"call.completed"%'`),
  ]);
  return rows.flat();
}

try {
  await migrate(sql);
  const { workspace_id } = await createActiveWorkspace(sql, clock.wall(), 'Bench', 'bench');
  await sql`insert into wallets (workspace_id, opened_at) values (${workspace_id}, now()) on conflict do nothing`;
  await sql`update wallets set paid_paise = 1000000000 where workspace_id = ${workspace_id}`;
  await subscribe(workspace_id, ['*']);
  await subscribe(workspace_id, ['user.turn', 'agent.reply']);
  for (let done = 0; done < CALLS; done += CALLS_AT_ONCE) {
    const ids = await insertLiveCalls(workspace_id, Math.min(CALLS_AT_ONCE, CALLS - done));
    const timelines = ids.map(eventsOf);
    for (let at = 0; at < timelines[0]!.length; at += 10) {
      await ingest(
        { sql, clock, log },
        timelines.flatMap((events) => events.slice(at, at + 10)),
      );
    }
  }
  const tables = ['finished_calls', 'call_events', 'webhook_bodies', 'webhook_deliveries', 'ledger'];
  const sizes: Awaited<ReturnType<typeof sizeOf>>[] = [];
  for (const table of tables) sizes.push(await sizeOf(table));
  const columns = await columnsOf();
  console.table(sizes);
  console.table(columns);
} finally {
  await sql.end({ timeout: 5 });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
