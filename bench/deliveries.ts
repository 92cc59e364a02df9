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
import { selfSignedCertificate } from '../test/support/certificate.ts';
import { percentiles } from './percentiles.ts';
import { processTreeSeconds } from './processes.ts';

/**
 * Measures webhook deliveries over real HTTPS to receivers in this process, from the outbox of a real PostgreSQL: the rate, and
 * the additional delay of a healthy receiver while another one of the same workspace accepts connections but never responds.
 * `node bench/deliveries.ts [seconds of each part]`
 */

const SECONDS = Number(process.argv[2] ?? 10);
const EVENTS_AT_ONCE = 50;
const ENDPOINTS = 4;
const PER_SECOND = 20;
const HOST = '127.0.0.1';

const home = mkdtempSync(join(tmpdir(), 'antiphon-bench-'));
const server = await startPostgres({ dataDir: join(home, 'postgres') });
const sql = connectDatabase({ url: server.url, name: 'bench', max: 12 });
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

async function deliveriesPerSecond() {
  const { workspace_id } = await createActiveWorkspace(sql, clock.wall(), 'Many', 'bench');
  let received = 0;
  for (let nth = 0; nth < ENDPOINTS; nth++) await endpoint(workspace_id, await receiver(() => received++));
  const call = await callOf(workspace_id);
  for (let emitted = 0; emitted < SECONDS * 400; emitted += EVENTS_AT_ONCE * ENDPOINTS)
    await emitEvent(call, EVENTS_AT_ONCE);
  const before = { database: processTreeSeconds(server.pid), own: process.cpuUsage(), ms: performance.now(), received };
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const seconds = (performance.now() - before.ms) / 1_000;
  const { user, system } = process.cpuUsage(before.own);
  const own = (user + system) / 1e6;
  const database = processTreeSeconds(server.pid) - before.database;
  const done = received - before.received;
  return {
    per_second: Math.round(done / seconds),
    cpu_ms: Math.round(((own + database) * 1e5) / Math.max(1, done)) / 100,
    database_share: Math.round((database / (own + database)) * 100) / 100,
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
  const many = await deliveriesPerSecond();
  console.table({ [`${ENDPOINTS} receivers, as fast as it goes`]: many });
  console.table({ alone, 'beside a receiver that never answers': beside });
  const result = {
    measured:
      'outbox to HTTPS receivers on this machine; one control process, PostgreSQL and the receivers share its cores',
    cores: cpus().length,
    seconds_of_each: SECONDS,
    receivers: ENDPOINTS,
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
