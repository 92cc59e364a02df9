import { fork, type Serializable } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRow } from '../control/calls/call-row.ts';
import { writeEvents } from '../control/calls/events/timeline.ts';
import { insertCall, lockCall } from '../control/calls/store.ts';
import { connectDatabase } from '../control/db/connect.ts';
import { migrate } from '../control/db/migrate.ts';
import { createSecretBox } from '../control/db/secret-box.ts';
import { createWebhooksModule } from '../control/webhooks/webhooks-module.ts';
import { createActiveWorkspace } from '../control/workspaces/create-workspace.ts';
import { startPostgres } from '../dev/postgres.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';
import { selfSignedCertificate } from '../test/support/certificate.ts';
import { processTreeSeconds } from './processes.ts';

/**
 * Measures webhook deliveries over real HTTPS, from the outbox of a real PostgreSQL: the rate to receivers that respond at once, with
 * CPU time of sender and database and statements of each, and the additional delay of a healthy receiver while another one of the same
 * workspace accepts connections but never responds.
 * `node bench/deliveries.ts [seconds of each part]`
 */

const SECONDS = Number(process.argv[2] ?? 10);
const WARM_UP_MS = 2_000;
const ENDPOINTS = 4;
const CALLS = 200;
/** Deliveries that wait when the rate is measured; more would not be sent in that time. */
const MAX_PER_SECOND = 2_500;
const PER_SECOND = 20;
const HOST = '127.0.0.1';

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 12 });
let statements = 0;
sql.options.debug = () => void statements++;
const clock = systemClock;
const log = createLogger('bench', 'silent');
const certificate = selfSignedCertificate(HOST);
const closing: (() => void)[] = [];

/** Starts a receiver; `onEvent` gets every event's id. A dead one never responds. */
async function receiver(received: ((id: string) => void) | 'dead'): Promise<string> {
  const https = createServer(certificate, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (received === 'dead') return;
      received((JSON.parse(Buffer.concat(parts).toString()) as { id: string }).id);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => https.listen(0, HOST, resolve));
  closing.push(() => {
    https.closeAllConnections();
    https.close();
  });
  return `https://${HOST}:${(https.address() as AddressInfo).port}/`;
}

const webhooks = createWebhooksModule({
  sql,
  clock,
  log,
  box: createSecretBox(['a key of the bench']),
  config: { FETCH_ALLOW: '127.0.0.0/8' },
  fetchOptions: { ca: certificate.cert },
});

async function callOf(workspace_id: string): Promise<CallRow> {
  const now = new Date();
  return sql.begin((tx) =>
    insertCall(tx, {
      ...{ workspace_id, id: newId(), agent_id: newId(), agent_name: 'Asha', agent_version: 1, direction: 'inbound' },
      ...{ channel: 'phone', status: 'in-progress', from_number: '', to_number: '', user_data: {}, started_by: '' },
      ...{ provider: '', created_at: now, not_before_at: null, queued_at: now, currency: 'INR' },
    } as Parameters<typeof insertCall>[1]),
  );
}

async function emitEvent(call: CallRow, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    const row = await lockCall(tx, call.workspace_id, call.id);
    const event = { type: 'user.turn', level: 'info', message: 'hello', latency_ms: null, data: {} } as const;
    await writeEvents(
      tx,
      row!,
      Array.from({ length: count }, () => ({ ...event, at_ms: clock.wall() })),
    );
  });
}

async function endpoint(workspaceId: string, url: string): Promise<void> {
  const actor = { kind: 'user', id: 'bench', name: 'bench' } as const;
  await webhooks.endpoints.create(workspaceId, actor, { url, events: ['user.turn'], description: '', active: true });
}

/** The outbox has more than is sent in the time, of many calls: the events of one call are sent one after the other. */
async function deliveriesPerSecond() {
  const { workspace_id } = await createActiveWorkspace(sql, clock.wall(), 'Many', 'bench');
  const receivers = fork(new URL('./delivery-receivers.ts', import.meta.url));
  closing.push(() => void (receivers.connected && receivers.disconnect()));
  const asked = <Reply>(message: Serializable) =>
    new Promise<Reply>((resolve) => {
      receivers.once('message', (reply) => resolve(reply as Reply));
      receivers.send(message);
    });
  for (const url of await asked<string[]>({ certificate, receivers: ENDPOINTS })) await endpoint(workspace_id, url);
  const calls = await Promise.all(Array.from({ length: CALLS }, () => callOf(workspace_id)));
  const events = Math.ceil((SECONDS * MAX_PER_SECOND) / ENDPOINTS / CALLS);
  for (const call of calls) await emitEvent(call, events);
  await sql`vacuum analyze webhook_deliveries, webhook_bodies`;
  webhooks.start();
  // The first deliveries open connections and prepare statements.
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  const before = {
    ...{ database: processTreeSeconds(server.pid), own: process.cpuUsage(), ms: performance.now(), statements },
    ...{ receiving: processTreeSeconds(receivers.pid!), received: await asked<number>('count') },
  };
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const received = await asked<number>('count');
  const seconds = (performance.now() - before.ms) / 1_000;
  const { user, system } = process.cpuUsage(before.own);
  const own = (user + system) / 1e6;
  const database = processTreeSeconds(server.pid) - before.database;
  const receiving = processTreeSeconds(receivers.pid!) - before.receiving;
  const done = received - before.received;
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    per_second: Math.round(done / seconds),
    cpu_ms: rounded(((own + database) * 1_000) / Math.max(1, done)),
    receivers_cpu_ms: rounded((receiving * 1_000) / Math.max(1, done)),
    database_share: rounded(database / (own + database)),
    statements: rounded((statements - before.statements) / Math.max(1, done)),
    busy: rounded((own + database + receiving) / seconds / cpus().length),
  };
}

/** Delays from the commit of an event to its arrival, at a low rate. */
async function latencies(dead: boolean): Promise<number[]> {
  const { workspace_id } = await createActiveWorkspace(sql, clock.wall(), dead ? 'Beside' : 'Alone', 'bench');
  const arrivals: number[] = [];
  await endpoint(workspace_id, await receiver(() => arrivals.push(performance.now())));
  if (dead) await endpoint(workspace_id, await receiver('dead'));
  const call = await callOf(workspace_id);
  const committedAtMs: number[] = [];
  const startMs = performance.now();
  for (let nth = 0; performance.now() - startMs < SECONDS * 1_000; nth++) {
    const waitMs = startMs + (nth * 1_000) / PER_SECOND - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    await emitEvent(call, 1);
    committedAtMs.push(performance.now());
  }
  const untilMs = performance.now() + 15_000;
  while (arrivals.length < committedAtMs.length && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (arrivals.length < committedAtMs.length)
    throw new Error(`${committedAtMs.length - arrivals.length} deliveries did not arrive`);
  return committedAtMs.map((ms, index) => Math.max(0, arrivals[index]! - ms));
}

try {
  await migrate(sql);
  webhooks.start();
  await latencies(false);
  const [alone, beside] = [percentiles(await latencies(false)), percentiles(await latencies(true))];
  await webhooks.stop();
  const many = await deliveriesPerSecond();
  console.table({ [`${ENDPOINTS} receivers, as fast as it goes`]: many });
  console.table({ alone, 'beside a receiver that never answers': beside });
  const result = {
    measured:
      'outbox to HTTPS receivers on this machine; one sender, PostgreSQL and the receivers share its cores; cpu_ms is of sender and PostgreSQL',
    cores: cpus().length,
    seconds_of_each: SECONDS,
    receivers: ENDPOINTS,
    calls: CALLS,
    many,
    events_per_second: PER_SECOND,
    alone_ms: alone,
    beside_a_dead_one_ms: beside,
    p99_ratio: Math.round((beside.p99 / alone.p99) * 100) / 100,
  };
  console.log(`p99 beside a dead receiver: ${result.p99_ratio} of that alone`);
  writeFileSync(new URL('./results/deliveries.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await webhooks.stop();
  for (const close of closing) close();
  await sql.end({ timeout: 5 });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
