import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import {
  type DeliverySender,
  type DeliverySenderDeps,
  deleteOldDeliveries,
  type FailedAttempt,
  startDeliverySender,
} from '../../../control/webhooks/delivery-sender.ts';
import { countWaitingDeliveries } from '../../../control/webhooks/delivery-store.ts';
import { createWebhookSecrets } from '../../../control/webhooks/webhook-secrets.ts';
import { systemClock } from '../../../shared/clock.ts';
import { SafeFetchError, type SafeResponse } from '../../../shared/safe-fetch.ts';
import { type CallSpan, callSpanId, setSpanExport } from '../../../shared/telemetry/spans.ts';
import type { Client } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';
import { log, type Tenant } from '../calls/call-fixture.ts';
import { createWebhookFixture, type WebhookFixture } from './webhook-fixture.ts';

/** What becomes of a delivery after an attempt, with receivers that answer as the test says. */

const WRITE_RETRY_DELAY_MS = 1_000;

let fixture: WebhookFixture;
let tenant: Tenant;
let client: Client;
let endpoint: string;
let sender: DeliverySender | null = null;
let sent: string[] = [];
let status = 200;
let failed: FailedAttempt[] = [];
/** How often a failed write was waited for. */
let waits = 0;

beforeAll(async () => {
  fixture = await createWebhookFixture();
});
beforeEach(async () => {
  await fixture.sql`delete from webhook_deliveries`;
  [sent, failed, status, waits] = [[], [], 200, 0];
  tenant = await fixture.tenant();
  client = await fixture.client(tenant);
  const url = 'https://hooks.example/a';
  endpoint = (await client.send('POST', '/webhooks', { url, events: ['user.turn'] })).body.id;
});
afterEach(async () => {
  await sender?.stop();
  sender = null;
});

async function fetch(url: string): Promise<SafeResponse> {
  sent.push(url);
  return { status, headers: {}, body: '', bytes: 0, truncated: false };
}

function start(change: Partial<DeliverySenderDeps> = {}): void {
  const { sql } = fixture;
  const clock: typeof fixture.clock = {
    ...fixture.clock,
    after(delayMs, run) {
      if (delayMs !== WRITE_RETRY_DELAY_MS) return systemClock.after(delayMs, run);
      waits++;
      return systemClock.after(1, run);
    },
  };
  const secrets = createWebhookSecrets({ box: createSecretBox(['a key of the tests']), clock });
  const onFailed = (attempt: FailedAttempt) => void failed.push(attempt);
  sender = startDeliverySender({ sql, clock, log, fetch, secrets, onFailed, ...change });
}

async function deliver(): Promise<void> {
  await fixture.writeEvents(await fixture.queue(tenant), 'user.turn');
}

const deliveries = () => fixture.deliveries(tenant.workspace_id);

/** The database, where so many tries to write an attempt fail: each writes it in a set, then by itself. */
function failing(tries: number): { sql: typeof fixture.sql; left(): number } {
  let left = tries * 2;
  const sql = new Proxy(fixture.sql, {
    apply(target, self, given) {
      const isWrite = Array.isArray(given[0]) && given[0].join('').includes('scheduled_attempts + 1');
      if (isWrite && left-- > 0) return Promise.reject(new Error('the database is away'));
      return Reflect.apply(target, self, given);
    },
  });
  return { sql, left: () => left };
}

it('a delivered one is reported to nobody, and the receiver is asked once', async () => {
  await deliver();
  start();
  await fixture.settled(tenant.workspace_id);
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1, scheduled_attempts: 1 }]);
  expect([sent.length, failed]).toEqual([1, []]);
});

it('the last attempt of the schedule is reported as final, the ones before it are not', async () => {
  await deliver();
  await fixture.sql`update webhook_deliveries set scheduled_attempts = 4`;
  status = 500;
  start();
  await eventually('the fifth attempt', 60_000, async () => failed[0] ?? null);
  await fixture.sql`update webhook_deliveries set next_attempt_at = ${new Date(fixture.clock.wall())}`;
  await eventually('the sixth attempt', 60_000, async () => failed[1] ?? null);
  expect(failed.map(({ is_final, error }) => [is_final, error])).toEqual([
    [false, 'status 500'],
    [true, 'status 500'],
  ]);
  expect(await deliveries()).toMatchObject([{ status: 'failed', next_attempt_at: null, endpoint_id: endpoint }]);
});

it('the outcome is written when the database is back, and nothing is sent twice', async () => {
  await deliver();
  const { sql, left } = failing(2);
  start({ sql });
  await fixture.settled(tenant.workspace_id);
  expect([sent.length, left(), waits]).toEqual([1, -1, 2]);
});

it('an outcome that cannot be written three times is left to the next lease', async () => {
  await deliver();
  const { sql, left } = failing(3);
  start({ sql });
  await eventually('three failed writes', 60_000, async () => (left() === 0 ? true : null));
  await sender!.stop();
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }]);
  expect([sent.length, left()]).toEqual([1, 0]);
  fixture.clock.shift(31_000);
  start();
  await fixture.settled(tenant.workspace_id);
  expect(sent).toHaveLength(2);
});

it('a delivery whose body is gone fails without being sent', async () => {
  await deliver();
  await fixture.sql`delete from webhook_bodies`;
  start();
  await fixture.settled(tenant.workspace_id);
  expect(await deliveries()).toMatchObject([{ status: 'failed', last_error: 'endpoint deleted', attempts: 0 }]);
  expect(sent).toEqual([]);
});

it('what waits is counted, with the time of the oldest', async () => {
  expect(await countWaitingDeliveries(fixture.sql, 10)).toEqual({ waiting: 0, oldest_at_ms: null });
  for (let count = 0; count < 3; count++) await deliver();
  const [first] = await fixture.sql`select created_at from webhook_deliveries order by id limit 1`;
  const oldest_at_ms = first!.created_at.getTime();
  expect(await countWaitingDeliveries(fixture.sql, 10)).toEqual({ waiting: 3, oldest_at_ms });
  expect((await countWaitingDeliveries(fixture.sql, 2)).waiting).toBe(2);
});

it('one poll takes all that waits, in several claims', async () => {
  const url = 'https://hooks.example/b';
  for (let more = 0; more < 16; more++) await client.send('POST', '/webhooks', { url, events: ['user.turn'] });
  for (let call = 0; call < 4; call++) await deliver();
  // No receiver answers, and nothing else makes the sender look again.
  const fetch: DeliverySenderDeps['fetch'] = (_url, { signal }) => {
    sent.push(url);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new SafeFetchError('aborted'))));
  };
  start({ fetch, intervalMs: 3_600_000 });
  await eventually('all of them', 60_000, async () => (sent.length === 4 * 17 ? true : null));
  await sender!.stop();
  expect((await deliveries()).map(({ lease_id, attempts }) => [lease_id, attempts])).toEqual(Array(68).fill(['', 0]));
});

it('a sender deletes old deliveries when it starts', async () => {
  await deliver();
  await fixture.sql`update webhook_deliveries set created_at = now() - interval '31 days', status = 'failed', next_attempt_at = null`;
  start();
  await eventually('none', 60_000, async () => ((await deliveries()).length === 0 ? true : null));
});

it('what is older than 30 days is deleted, in parts, until the process stops', async () => {
  await deliver();
  const nowMs = fixture.clock.wall();
  const ago = (days: number) => new Date(nowMs - days * 86_400_000);
  await fixture.sql`
    insert into webhook_bodies (workspace_id, id, body, created_at)
    select ${tenant.workspace_id}, 'old ' || number, '{}', ${ago(31)} from generate_series(1, 2500) number`;
  expect(await deleteOldDeliveries(fixture.sql, nowMs, () => true)).toBe(0);
  expect(await deleteOldDeliveries(fixture.sql, nowMs)).toBe(2_500);
  expect(await deleteOldDeliveries(fixture.sql, nowMs)).toBe(0);
  expect(await deliveries()).toHaveLength(1);
});

it("an attempt is a span of its call's trace, with the receiver's host and without its path", async () => {
  const spans: CallSpan[] = [];
  setSpanExport((span) => spans.push(span));
  await deliver();
  status = 500;
  start();
  await eventually('the attempt', 60_000, async () => failed[0] ?? null);
  setSpanExport(null);
  const { call_id } = failed[0]!;
  expect(spans).toMatchObject([
    {
      ...{ call_id, parent_id: callSpanId(call_id), name: 'POST', kind: 'client', error_type: '500' },
      attributes: { 'server.address': 'hooks.example', 'http.response.status_code': 500 },
    },
  ]);
  expect(JSON.stringify(spans)).not.toContain('hooks.example/a');
});
