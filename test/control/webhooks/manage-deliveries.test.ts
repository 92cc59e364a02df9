import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeEvents } from '../../../control/calls/events/timeline.ts';
import { lockCall } from '../../../control/calls/store.ts';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { claimDeliveries } from '../../../control/webhooks/claim-deliveries.ts';
import { planNextAttempt } from '../../../control/webhooks/delivery-retries.ts';
import { deleteDeliveriesBefore, recordScheduledAttempt } from '../../../control/webhooks/delivery-store.ts';
import { SUBSCRIBABLE } from '../../../control/webhooks/event-types.ts';
import { createDeliveryService } from '../../../control/webhooks/manage-deliveries.ts';
import { createEndpointService } from '../../../control/webhooks/manage-endpoints.ts';
import { createWebhookSecrets } from '../../../control/webhooks/webhook-secrets.ts';
import type { EventType } from '../../../shared/events.ts';
import type { SafeResponse } from '../../../shared/safe-fetch.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../calls/call-fixture.ts';

/** What a member does with endpoints and deliveries; receivers answer as the test says, and no sender runs. */

const ACTOR = { kind: 'user', id: 'u', name: 'Asha' } as const;
const URL_A = 'https://hooks.example/a';

let fixture: CallFixture;
let tenant: Tenant;
let status = 200;
let sent: string[] = [];
let endpoints: ReturnType<typeof createEndpointService>;
let deliveries: ReturnType<typeof createDeliveryService>;

beforeAll(async () => {
  fixture = await createCallFixture();
  const { sql, clock } = fixture;
  const secrets = createWebhookSecrets({ box: createSecretBox(['a key of the tests']), clock });
  const fetch = async (url: string): Promise<SafeResponse> => {
    sent.push(url);
    return { status, headers: {}, body: '', bytes: 0, truncated: false };
  };
  endpoints = createEndpointService({ sql, clock, secrets, checkUrl: async () => {} });
  deliveries = createDeliveryService({ sql, clock, fetch, secrets });
});
beforeEach(async () => {
  tenant = await fixture.tenant();
  [status, sent] = [200, []];
});

const newEndpoint = (events = ['user.turn', 'error']) =>
  endpoints.create(tenant.workspace_id, ACTOR, { url: URL_A, description: '', events, active: true } as never);

async function write(...types: EventType[]) {
  const call = await fixture.queue(tenant);
  await fixture.sql.begin(async (tx) => {
    const row = await lockCall(tx, call.workspace_id, call.id);
    const event = { data: {}, level: 'info', message: '', latency_ms: null, at_ms: fixture.clock.wall() } as const;
    await writeEvents(
      tx,
      row!,
      types.map((type) => ({ type, ...event })),
    );
  });
  return call;
}

const list = async (filters = {}, page = { limit: 50, skip: 0 }) => {
  const { items, total } = await deliveries.list(tenant.workspace_id, filters, page);
  return { types: items.map(({ event_type }) => event_type), total };
};

async function delivery(): Promise<string> {
  await newEndpoint();
  await write('user.turn');
  return (await deliveries.list(tenant.workspace_id, {}, { limit: 1, skip: 0 })).items[0]!.id;
}

const read = (id: string) => deliveries.find(tenant.workspace_id, id);
const refusal = (work: Promise<unknown>) => work.catch(({ status, detail }) => `${status} ${detail}`);
const actions = async () => {
  const rows = await fixture.sql`
    select action, data from audit_events where workspace_id = ${tenant.workspace_id} and action like 'delivery.%'
      or workspace_id = ${tenant.workspace_id} and action = 'webhook.tested'`;
  return rows.map(({ action, data }) => [action, data.delivered]);
};

describe('a retry', () => {
  it('that succeeds ends the schedule', async () => {
    const id = await delivery();
    const after = await deliveries.retry(tenant.workspace_id, id, ACTOR);
    expect(after).toMatchObject({ status: 'delivered', attempts: 1, next_attempt_at: null, last_status_code: 200 });
    expect([sent, await actions()]).toEqual([[URL_A], [['delivery.retried', true]]]);
  });

  it('that fails leaves the schedule as it is', async () => {
    const id = await delivery();
    const before = await read(id);
    status = 500;
    expect(await deliveries.retry(tenant.workspace_id, id, ACTOR)).toMatchObject({
      ...{ status: 'pending', attempts: 1, next_attempt_at: before.next_attempt_at, last_error: 'status 500' },
    });
    expect(await actions()).toEqual([['delivery.retried', false]]);
  });

  it.each(['pending', 'retrying', 'delivered', 'failed'] as const)('is allowed in the status %s', async (before) => {
    const id = await delivery();
    const next_attempt_at = before === 'pending' || before === 'retrying' ? new Date(Date.now() + 60_000) : null;
    await fixture.sql`
      update webhook_deliveries set status = ${before}, next_attempt_at = ${next_attempt_at}
      where workspace_id = ${tenant.workspace_id}`;
    status = 500;
    const failed = await deliveries.retry(tenant.workspace_id, id, ACTOR);
    expect(failed).toMatchObject({ status: before, attempts: 1, next_attempt_at, last_error: 'status 500' });
    status = 200;
    const succeeded = await deliveries.retry(tenant.workspace_id, id, ACTOR);
    expect(succeeded).toMatchObject({ status: 'delivered', attempts: 2, next_attempt_at: null, last_error: '' });
  });

  it.each([
    ['deleted', '409 the endpoint of this delivery was deleted'],
    ['inactive', '409 the endpoint of this delivery is inactive'],
  ])('is refused when the endpoint is %s', async (how, expected) => {
    const id = await delivery();
    const [{ id: endpoint } = { id: '' }] = await endpoints.list(tenant.workspace_id);
    if (how === 'deleted') await endpoints.remove(tenant.workspace_id, endpoint, ACTOR);
    else await endpoints.update(tenant.workspace_id, endpoint, { active: false }, ACTOR);
    expect(await refusal(deliveries.retry(tenant.workspace_id, id, ACTOR))).toBe(expected);
    expect(await read(id)).toMatchObject({ status: 'failed', last_error: `endpoint ${how}`, next_attempt_at: null });
    expect(sent).toEqual([]);
  });

  it('is refused for a delivery that is not there, or whose body is gone', async () => {
    const id = await delivery();
    expect(await refusal(deliveries.retry(tenant.workspace_id, 'whd_x', ACTOR))).toBe('404 delivery not found');
    expect(await refusal(read('whd_x'))).toBe('404 delivery not found');
    await fixture.sql`delete from webhook_bodies where workspace_id = ${tenant.workspace_id}`;
    expect(await refusal(deliveries.retry(tenant.workspace_id, id, ACTOR))).toBe('404 delivery not found');
  });
});

describe('an endpoint with waiting deliveries', () => {
  const endpointOf = async () => (await endpoints.list(tenant.workspace_id))[0]!.id;

  it('that is changed in another way keeps them waiting', async () => {
    const id = await delivery();
    const endpoint = await endpointOf();
    await endpoints.update(tenant.workspace_id, endpoint, { active: true, description: 'b' }, ACTOR);
    expect((await read(id)).status).toBe('pending');
  });

  it('that was inactive before has none that fail by becoming active', async () => {
    await newEndpoint();
    const endpoint = await endpointOf();
    await endpoints.update(tenant.workspace_id, endpoint, { active: false }, ACTOR);
    await endpoints.update(tenant.workspace_id, endpoint, { active: true }, ACTOR);
    await write('user.turn');
    expect((await list({ status: ['pending'] })).total).toBe(1);
  });
});

describe('a ping', () => {
  it.each([
    [200, 'delivered'],
    [500, 'failed'],
  ] as const)('answered with %d is %s', async (answer, expected) => {
    const { id } = await newEndpoint();
    status = answer;
    const sentOff = await deliveries.ping(tenant.workspace_id, id, ACTOR);
    expect(sentOff).toMatchObject({ event_type: 'ping', status: expected, attempts: 1, last_status_code: answer });
    expect(await read(sentOff.id)).toEqual(sentOff);
    expect(await actions()).toEqual([['webhook.tested', answer === 200]]);
  });

  it('needs an endpoint', async () => {
    expect(await refusal(deliveries.ping(tenant.workspace_id, 'we_x', ACTOR))).toBe('404 webhook endpoint not found');
  });
});

describe('the list', () => {
  it('is filtered, and counted where a page is full', async () => {
    await newEndpoint();
    const call = await write('user.turn', 'error', 'user.turn');
    await write('error');
    expect(await list()).toEqual({ types: ['error', 'user.turn', 'error', 'user.turn'], total: 4 });
    expect(await list({ event_type: ['error'] })).toMatchObject({ total: 2 });
    expect(await list({ call_id: call.id })).toMatchObject({ total: 3 });
    expect(await list({ status: ['delivered'] })).toMatchObject({ total: 0 });
    expect(await list({ status: ['pending', 'delivered'] })).toMatchObject({ total: 4 });
    expect(await list({ status: ['retrying'] })).toMatchObject({ total: 0 });
    expect(await list({}, { limit: 4, skip: 0 })).toMatchObject({ total: 4 });
    expect(await list({}, { limit: 1, skip: 0 })).toEqual({ types: ['error'], total: 4 });
    expect(await list({}, { limit: 2, skip: 3 })).toEqual({ types: ['user.turn'], total: 4 });
  });

  it('has deliveries that were delivered, when they are asked for', async () => {
    await deliveries.retry(tenant.workspace_id, await delivery(), ACTOR);
    await write('error');
    expect(await list({ status: ['delivered'] })).toEqual({ types: ['user.turn'], total: 1 });
    expect(await list({ status: ['pending'] })).toEqual({ types: ['error'], total: 1 });
  });

  it('is of a time, whose end is not part of it', async () => {
    const at = new Date((await read(await delivery())).created_at);
    const later = new Date(at.getTime() + 1);
    expect([
      await list({ since: at, until: later }),
      await list({ since: later }),
      await list({ until: at }),
    ]).toMatchObject([...[{ total: 1 }, { total: 0 }, { total: 0 }]]);
    expect(await list({ since: new Date(-1), until: new Date(8.64e15) })).toMatchObject({ total: 1 });
  });
});

it('an attempt after the lease was lost is counted, and changes nothing else', async () => {
  const id = await delivery();
  const claim = { leaseMs: 1_000, limit: 9, perReceiver: 4, perCall: 1, headroom: new Map(), after: '', window: 200 };
  const claimed = await claimDeliveries(fixture.sql, { ...claim, nowMs: fixture.clock.wall() });
  const own = claimed.find((each) => each.id === id)!;
  const at = new Date();
  const attempt = {
    ...{ delivered: false, non_retryable: false, url: URL_A, at, ended_at_ms: at.getTime(), status_code: 500 },
    ...{ error: 'status 500', latency_ms: 1, request_headers: {}, response_headers: {}, response_body: '' },
  };
  const planned = planNextAttempt(attempt, 0, at.getTime());
  expect(await recordScheduledAttempt(fixture.sql, { ...own, lease_id: 'lost' }, attempt, planned)).toBe(false);
  expect(await read(id)).toMatchObject({ status: 'pending', attempts: 1, last_error: '' });
  expect(await recordScheduledAttempt(fixture.sql, own, attempt, planned)).toBe(true);
  expect(await read(id)).toMatchObject({ status: 'retrying', attempts: 2, last_error: 'status 500' });
});

it('deleting says how many rows of deliveries or bodies there were', async () => {
  await newEndpoint();
  await write('user.turn', 'error');
  const [row] = await fixture.sql`
    select count(*)::integer as count from webhook_deliveries where workspace_id = ${tenant.workspace_id}`;
  expect(row!.count).toBe(2);
  const before = new Date(fixture.clock.wall() + 60_000);
  await fixture.sql`delete from webhook_bodies`;
  expect(await deleteDeliveriesBefore(fixture.sql, before, 1)).toBe(1);
});

it('the life of a call is part of what can be subscribed to', () => {
  const lifecycle = SUBSCRIBABLE.filter((each) => each.lifecycle).map(({ type }) => type);
  expect(lifecycle).toEqual(['call.queued', 'call.placed', 'call.started', 'call.ended', 'call.completed']);
  expect(SUBSCRIBABLE).toHaveLength(25);
});
