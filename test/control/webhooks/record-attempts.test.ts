import { beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries, type OutgoingDelivery } from '../../../control/webhooks/claim-deliveries.ts';
import type { Attempt } from '../../../control/webhooks/delivery-attempt.ts';
import { createAttemptRecorder } from '../../../control/webhooks/record-attempts.ts';
import { createWebhookFixture, type WebhookFixture } from './webhook-fixture.ts';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await createWebhookFixture();
});

const AT = new Date('2026-07-10T10:00:00.123Z');

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  ...{ delivered: true, non_retryable: false, url: 'https://hooks.example/', at: AT, ended_at_ms: AT.getTime() },
  ...{ status_code: 200, error: '', latency_ms: 7, request_headers: { a: 'b' }, response_headers: { c: 'd' } },
  ...{ response_body: 'thank you', ...more },
});
const DELIVERED = { status: 'delivered', next_attempt_at: null } as const;

/** Leased deliveries of as many calls. */
async function leased(count: number): Promise<OutgoingDelivery[]> {
  const tenant = await fixture.tenant();
  const client = await fixture.client(tenant);
  await client.send('POST', '/webhooks', { url: (await fixture.receiver()).url, events: ['user.turn'] });
  for (let nth = 0; nth < count; nth++) await fixture.writeEvents(await fixture.queue(tenant), 'user.turn');
  const claimed = await claimDeliveries(fixture.sql, {
    ...{ nowMs: fixture.clock.wall(), leaseMs: 30_000, limit: 64, perReceiver: count, perCall: 1 },
    ...{ headroom: new Map(), after: '', window: 200 },
  });
  // Other tests' deliveries may be due as well.
  const own = claimed.filter(({ workspace_id }) => workspace_id === tenant.workspace_id);
  expect(own).toHaveLength(count);
  return own;
}

const rowOf = ({ workspace_id, id }: OutgoingDelivery) => fixture.delivery(workspace_id, id);

describe('attempts that end together', () => {
  it('are recorded each with its outcome, once', async () => {
    const [good, bad] = await leased(2);
    const record = createAttemptRecorder(fixture.sql);
    const retry = { status: 'retrying', next_attempt_at: new Date(AT.getTime() + 10_000) } as const;
    const failed = attempt({
      delivered: false,
      status_code: null,
      error: 'timeout',
      response_headers: {},
      response_body: '',
    });
    const both = [
      record({ delivery: good!, attempt: attempt(), planned: DELIVERED }),
      record({ delivery: bad!, attempt: failed, planned: retry }),
    ];
    expect(await Promise.all(both)).toEqual([true, true]);
    const counted = { attempts: 1, scheduled_attempts: 1, leased_until: null, last_attempt_at: AT };
    expect(await rowOf(good!)).toMatchObject({
      ...{ ...DELIVERED, ...counted, last_status_code: 200, last_error: '', last_latency_ms: 7 },
      ...{ request_headers: { a: 'b' }, response_headers: { c: 'd' }, response_body: 'thank you' },
    });
    expect(await rowOf(bad!)).toMatchObject({ ...retry, ...counted, last_status_code: null, last_error: 'timeout' });
  });

  it('do not wait for one whose row is locked, which is recorded afterwards', async () => {
    const [locked, ...others] = await leased(3);
    const record = createAttemptRecorder(fixture.sql);
    let recording: Promise<boolean> | undefined;
    await fixture.sql.begin(async (tx) => {
      await tx`select from webhook_deliveries where id = ${locked!.id} for update`;
      recording = record({ delivery: locked!, attempt: attempt(), planned: DELIVERED });
      const free = others.map((delivery) => record({ delivery, attempt: attempt(), planned: DELIVERED }));
      expect(await Promise.all(free)).toEqual([true, true]);
    });
    expect(await recording).toBe(true);
    expect(await rowOf(locked!)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('are recorded though one of them cannot be', async () => {
    const [first, wrong, last] = await leased(3);
    const record = createAttemptRecorder(fixture.sql);
    const results = await Promise.allSettled([
      record({ delivery: first!, attempt: attempt(), planned: DELIVERED }),
      record({ delivery: wrong!, attempt: attempt({ response_body: '\0' }), planned: DELIVERED }),
      record({ delivery: last!, attempt: attempt(), planned: DELIVERED }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([(await rowOf(first!)).attempts, (await rowOf(wrong!)).attempts, (await rowOf(last!)).attempts]).toEqual([
      1, 0, 1,
    ]);
    await fixture.sql`delete from webhook_deliveries where id = ${wrong!.id}`;
  });

  it('are counted only, where the lease is lost', async () => {
    const [lost, held] = await leased(2);
    await fixture.sql`update webhook_deliveries set lease_id = 'another' where id = ${lost!.id}`;
    const record = createAttemptRecorder(fixture.sql);
    const both = [lost!, held!].map((delivery) => record({ delivery, attempt: attempt(), planned: DELIVERED }));
    expect(await Promise.all(both)).toEqual([false, true]);
    expect(await rowOf(lost!)).toMatchObject({ status: 'pending', attempts: 1, scheduled_attempts: 0 });
    await fixture.sql`delete from webhook_deliveries where id = ${lost!.id}`;
  });
});
