import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentSaver } from '../control/agents/save-agent.ts';
import { createEngineRegistry } from '../control/calls/engines/engine-registry.ts';
import { ingest } from '../control/calls/events/ingest.ts';
import { handleCarrierStatus } from '../control/calls/lifecycle/carrier-status.ts';
import { createPlacer } from '../control/calls/queue/gather-placements.ts';
import type { Carrier } from '../control/carriers/carrier.ts';
import { carrierUrls } from '../control/carriers/carrier-urls.ts';
import { createTwilio } from '../control/carriers/twilio.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { startDispatcher } from '../control/dispatch/dispatcher.ts';
import { addNumber } from '../control/numbers/connect-number.ts';
import { createActiveWorkspace } from '../control/workspaces/create-workspace.ts';
import { startPostgres } from '../dev/postgres.ts';
import { agentConfigSchema } from '../shared/agent.ts';
import type { DeliveredEvent } from '../shared/bus/event-consumer.ts';
import type { CallEvent } from '../shared/bus/messages.ts';
import { pause, systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';
import { toolHeaders } from '../test/support/tool-headers.ts';
import { processTreeSeconds } from './processes.ts';

/**
 * Measures the throughput of the call queue, of timeline writes and of calls that end and are charged, in one process over one
 * PostgreSQL, with the CPU time of both and the statements of each item.
 * The carrier accepts at once and soon reports `busy`, so that only the service's own work is measured. Timeline events and ends
 * begin with the events as the bus delivers them, decoded, and are done with their acknowledgement. A call that ends has a
 * timeline and a transcript; it is charged, completed with `call.completed`, moved and counted.
 * `node bench/queue.ts [seconds of each part] [events]`: with `events` timeline events and ends only. CLIENTS (32),
 * EVENTS (500) of a batch.
 */

const SECONDS = Number(process.argv[2] ?? 10);
const ONLY_EVENTS = process.argv[3] === 'events';
const WARM_UP_SECONDS = 8;
const WORKSPACES = 10;
const SLOTS = 20;
const CLIENTS = Number(process.env.CLIENTS ?? 32);
const WAITING = 100_000;
/** From the carrier's acceptance to its report that the line is busy. */
const REPORTS_AFTER_MS = 20;
const EVENTS_OF_A_BATCH = Number(process.env.EVENTS ?? 500);
const CALLS_OF_A_BATCH = 50;
/** Calls that are live when the ends are measured; more would not end in that time. */
const MAX_ENDS_PER_SECOND = 1_500;
/** Turns of a call before its end. */
const TURNS = 6;

interface Figures {
  per_second: number;
  /** Share of all cores, 0 to 1. */
  busy: number;
  /** PostgreSQL's share of the CPU time of both. */
  database_share: number;
  /** CPU time of both per item, in milliseconds. */
  cpu_ms: number;
  /** Statements per item, `begin` and `commit` included. */
  statements: number;
}

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 12 });
let statements = 0;
sql.options.debug = () => void statements++;
const clock = systemClock;
const log = createLogger('bench', 'error');
const actor = { kind: 'user', id: 'bench', name: 'bench' } as const;

interface Caller {
  workspace_id: string;
  agent_id: string;
  number: string;
}

async function makeCaller(nth: number): Promise<Caller> {
  const { workspace_id } = await createActiveWorkspace(sql, clock.wall(), `Bench ${nth}`, 'bench');
  await sql`insert into wallets (workspace_id, opened_at) values (${workspace_id}, now()) on conflict do nothing`;
  await sql`update wallets set paid_paise = 1000000000 where workspace_id = ${workspace_id}`;
  await sql`update workspaces set concurrency_limit = ${SLOTS} where id = ${workspace_id}`;
  const config = agentConfigSchema.parse({
    ...{ name: 'Asha', welcome_message: 'Hello {name}', system_prompt: 'You are Asha. Help with {order}. '.repeat(40) },
  });
  const saver = createAgentSaver({ sql, clock, toolHeaders, onAgentDeleted: async () => {} });
  const agent_id = (await saver.create({ workspace_id, actor, config })).id;
  const number = `+9111${40_000_000 + nth}`;
  await addNumber(sql, clock.wall(), { workspace_id, number, provider: 'twilio', agent_id });
  return { workspace_id, agent_id, number };
}

async function measured(work: (untilMs: number) => Promise<number>): Promise<Figures> {
  const before = {
    database: processTreeSeconds(server.pid),
    own: process.cpuUsage(),
    ms: performance.now(),
    statements,
  };
  const done = await work(before.ms + SECONDS * 1_000);
  const seconds = (performance.now() - before.ms) / 1_000;
  const { user, system } = process.cpuUsage(before.own);
  const own = (user + system) / 1_000_000;
  const database = processTreeSeconds(server.pid) - before.database;
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    per_second: Math.round(done / seconds),
    busy: rounded((own + database) / seconds / cpus().length),
    database_share: rounded(database / (own + database)),
    cpu_ms: rounded(((own + database) * 1_000) / Math.max(1, done)),
    statements: rounded((statements - before.statements) / Math.max(1, done)),
  };
}

/** Runs the work concurrently until the time is over; resolves with the number of items. */
async function concurrently(times: number, untilMs: number, work: (nth: number) => Promise<number>): Promise<number> {
  let done = 0;
  const worker = async (nth: number) => {
    for (let turn = nth; performance.now() < untilMs; turn += times) {
      const items = await work(turn);
      done += items;
    }
  };
  await Promise.all(Array.from({ length: times }, (_, nth) => worker(nth)));
  return done;
}

const placeCall = createPlacer({ sql, clock });

/** Places one call, as the API does. */
async function place({ workspace_id, agent_id }: Caller): Promise<1> {
  const user_data = { name: 'Ravi', order: 42 };
  await placeCall({ workspace_id, agent_id, to_number: '+919811112222', user_data, actor });
  return 1;
}

/** Starts a dispatcher with a carrier whose calls end soon. */
function dispatch(): { dialled(): number; stop(): Promise<void> } {
  let dialled = 0;
  const reports = new Set<Promise<void>>();
  const carrier: Carrier = {
    ...createTwilio({ account_sid: 'AC1', auth_token: 'bench', api_url: 'http://127.0.0.1:1' }),
    async dial({ status_url }) {
      dialled++;
      const provider_call_id = `CA${newId()}`;
      const status = { provider_call_id, provider_request_id: '', from_number: '', to_number: '' };
      const callId = new URL(status_url).searchParams.get('call_id')!;
      const deps = { sql, clock, log, settleLater: () => {} };
      const busy = { ...status, status: 'busy', carrier_status: 'busy' } as const;
      const report: Promise<void> = pause(clock, REPORTS_AFTER_MS)
        .then(() => handleCarrierStatus(deps, 'twilio', callId, busy))
        .finally(() => reports.delete(report));
      reports.add(report);
      return { accepted: true, provider_call_id, provider_request_id: '' };
    },
  };
  const { stop } = startDispatcher({
    ...{ sql, clock, log, carriers: new Map([['twilio', carrier] as const]) },
    addresses: carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2'),
    ...{ streamUrl: () => '', engines: createEngineRegistry('', clock) },
  });
  return {
    dialled: () => dialled,
    async stop() {
      await stop();
      await Promise.all(reports);
    },
  };
}

/** Inserts queued calls of a batch without a free slot. */
async function fill({ workspace_id, agent_id, number }: Caller): Promise<void> {
  for (let part = 0; part < 20; part++) {
    await sql`
      insert into calls (
        workspace_id, id, agent_id, agent_name, agent_version, batch_id, direction, channel, status, from_number, to_number,
        started_by, provider, created_at, queued_at, currency
      )
      select ${workspace_id}, md5(${newId()} || at), ${agent_id}, 'Asha', 1, 'paused', 'outbound', 'phone', 'queued',
        ${number}, '+919811112222', 'bench', 'twilio', moment, moment, 'INR'
      from generate_series(1, ${WAITING / 20}) as at
      cross join lateral (select now() - interval '1 hour' + at * interval '10 ms' as moment)`;
  }
  await sql`vacuum analyze calls`;
}

async function insertLiveCalls({ workspace_id, agent_id, number }: Caller, calls: number): Promise<string[]> {
  const ids = Array.from({ length: calls }, () => newId());
  await sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number, to_number, started_by,
      provider, created_at, queued_at, started_at, currency, engine_id, media_nonce, heartbeat_at
    )
    select ${workspace_id}, id, ${agent_id}, 'Asha', 1, 'inbound', 'phone', 'in-progress', '+919811112222', ${number}, '',
      'twilio', now(), now(), now(), 'INR', 'bench', id, now()
    from unnest(${ids}::text[]) as id`;
  return ids;
}

/** Inserts live calls, and generates the engine's events of their turns. */
async function liveCalls(caller: Caller, calls: number) {
  const ids = await insertLiveCalls(caller, calls);
  const seqs = new Map(ids.map((id) => [id, 0]));
  const turn: Partial<CallEvent>[] = [
    {
      type: 'user.turn',
      transcript: [{ role: 'user', text: 'When do you open?', at_ms: Date.now(), interrupted: false }],
    },
    { type: 'llm.first_token', latency_ms: 210 },
    { type: 'tts.first_audio', latency_ms: 430 },
    { type: 'agent.reply', transcript: [{ role: 'agent', text: 'At nine.', at_ms: Date.now(), interrupted: false }] },
  ];
  let next = 0;
  return function batch(): DeliveredEvent[] {
    const callIds = Array.from({ length: CALLS_OF_A_BATCH }, () => ids[next++ % ids.length]!);
    return callIds.flatMap((call_id) =>
      turn.slice(0, EVENTS_OF_A_BATCH / CALLS_OF_A_BATCH).map((event): DeliveredEvent => {
        const seq = seqs.get(call_id)! + 1;
        seqs.set(call_id, seq);
        return deliveredEvent(call_id, seq, { data_json: '{"words":4}', ...event });
      }),
    );
  };
}

/** Inserts live calls of all workspaces, and generates their ends, those of different workspaces side by side. */
async function endingCalls(callers: readonly Caller[], calls: number) {
  const ofEach = await Promise.all(callers.map((caller) => insertLiveCalls(caller, calls / callers.length)));
  for (const ids of ofEach) await insertTurns(ids);
  await sql`vacuum analyze live_calls, call_events`;
  const ids = ofEach[0]!.flatMap((_, nth) => ofEach.map((of) => of[nth]!));
  const usage = { stt_seconds: 93, tts_characters: 900, llm_input_tokens: 9_000, llm_output_tokens: 400, llm_calls: 9 };
  const provider_usage_json = JSON.stringify([
    { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: 93 },
    { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', llm_input_tokens: 9_000, llm_output_tokens: 400 },
    { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 900 },
  ]);
  const by = { hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
  const ending = { ...by, duration_seconds: 93, recorded: true, provider_usage_json };
  const ended = { type: 'call.ended', data_json: JSON.stringify({ usage }), ending };
  return () => ids.splice(0, CALLS_OF_A_BATCH).map((id) => deliveredEvent(id, TURNS * 2 + 1, ended));
}

/** Gives live calls the timeline and the transcript of a short conversation. */
async function insertTurns(ids: readonly string[]): Promise<void> {
  const lines = Array.from({ length: TURNS }, (_, nth) => [
    { role: 'user', text: `When do you open on day ${nth}?`, at: Date.now(), interrupted: false },
    { role: 'agent', text: 'At nine in the morning, as on all days.', at: Date.now(), interrupted: false },
  ]).flat();
  await sql`
    insert into call_events (workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at)
    select workspace_id, live_calls.id, seq, 'evt_' || live_calls.id || seq, 'media', seq,
      case seq % 2 when 1 then 'user.turn' else 'tts.first_audio' end, 'bench', 'info', 300 + seq, '{"words":4}', now()
    from live_calls cross join generate_series(1, ${TURNS * 2}) as seq where live_calls.id = any(${[...ids]})`;
  await sql`
    update live_calls set event_seq = ${TURNS * 2}, media_seq = ${TURNS * 2}, transcript = ${sql.json(lines)}
    where id = any(${[...ids]})`;
}

function deliveredEvent(call_id: string, seq: number, event: Partial<CallEvent>): DeliveredEvent {
  const plain = { call_id, seq, engine_id: 'bench', at_ms: Date.now(), level: 'info', message: 'bench' } as const;
  const whole = { ...plain, type: '', data_json: '{}', transcript: [], ...event };
  const acknowledgement = { ack() {}, nak: () => notWritten(), term: () => notWritten() };
  return { event: whole, raw: Buffer.alloc(0), call_id, position: seq, redelivered: false, ...acknowledgement };
}

function notWritten(): never {
  throw new Error('an event of the bench was not written');
}

try {
  await migrate(sql);
  const callers = await Promise.all(Array.from({ length: WORKSPACES }, (_, nth) => makeCaller(nth)));
  const callerOf = (nth: number) => callers[nth % WORKSPACES]!;
  // Warm-up: compiles code and prepares statements on every connection.
  const warmUpMs = (ONLY_EVENTS ? 1 : WARM_UP_SECONDS) * 1_000;
  await concurrently(CLIENTS, performance.now() + warmUpMs, (nth) => place(callerOf(nth)));
  const empty = () => sql`update calls set status = 'canceled' where status = 'queued' and batch_id is null`;
  await empty();

  const rows: [string, Figures][] = [];
  const add = async (what: string, work: (untilMs: number) => Promise<number>) =>
    void rows.push([what, await measured(work)]);
  if (!ONLY_EVENTS) {
    await add('placed', (until) => concurrently(CLIENTS, until, (nth) => place(callerOf(nth))));
    const drain = async (until: number) => {
      const { dialled, stop } = dispatch();
      while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
      const done = dialled();
      await stop();
      return done;
    };
    const both = async (until: number) => {
      const { dialled, stop } = dispatch();
      await concurrently(2, until, (nth) => place(callerOf(nth)));
      const done = dialled();
      await stop();
      return done;
    };
    await add('taken from the queue and dialled', drain);
    await empty();
    await add('placed and dialled at once', both);
    await empty();
    await fill(callers[0]!);
    await add('placed, 100,000 waiting', (until) => concurrently(CLIENTS, until, () => place(callers[0]!)));
    await empty();
    await add('placed and dialled at once, 100,000 waiting', both);
  }

  const batch = await liveCalls(callers[1]!, 500);
  await ingest({ sql, clock, log }, batch());
  await add('timeline events written', (until) =>
    concurrently(1, until, async () => {
      await ingest({ sql, clock, log }, batch());
      return EVENTS_OF_A_BATCH;
    }),
  );

  const ends = await endingCalls(callers, SECONDS * MAX_ENDS_PER_SECOND);
  await ingest({ sql, clock, log }, ends());
  await add('calls ended and charged', (until) =>
    concurrently(1, until, async () => {
      const batch = ends();
      await ingest({ sql, clock, log }, batch);
      return batch.length;
    }),
  );

  const table = rows.map(([what, figures]) => ({ what, ...figures }));
  console.table(table);
  const result = {
    measured: 'one control process and PostgreSQL on this machine; a carrier that accepts at once and is soon busy',
    cores: cpus().length,
    seconds_of_each: SECONDS,
    workspaces: WORKSPACES,
    slots_of_each: SLOTS,
    clients: CLIENTS,
    events_of_a_batch: EVENTS_OF_A_BATCH,
    calls_of_a_batch: CALLS_OF_A_BATCH,
    rows: table,
  };
  if (!ONLY_EVENTS)
    writeFileSync(new URL('./results/queue.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await sql.end({ timeout: 5 });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
