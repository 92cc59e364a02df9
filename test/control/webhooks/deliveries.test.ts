import Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { failDeliveriesToAgentUrl } from '../../../control/webhooks/configured-urls.ts';
import type { Client } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';
import type { Tenant } from '../calls/call-fixture.ts';
import {
  createWebhookFixture,
  ok,
  type Respond,
  status,
  type TestReceiver,
  type WebhookFixture,
} from './webhook-fixture.ts';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await createWebhookFixture();
  // Two processes deliver, and nothing may be delivered twice.
  fixture.startSender();
  fixture.startSender();
});

interface Scene {
  tenant: Tenant;
  client: Client;
  call: CallRow;
  receiver: TestReceiver;
  endpoint: { id: string; url: string; secret: string };
}

/** A call, and an endpoint whose receiver responds like this. */
async function scene(answer: Respond = ok, events = ['*', 'error', 'user.turn']): Promise<Scene> {
  const tenant = await fixture.tenant();
  const client = await fixture.client(tenant);
  const call = await fixture.queue(tenant);
  const receiver = await fixture.receiver(answer);
  const endpoint = (await client.send('POST', '/webhooks', { url: receiver.url, events })).body;
  return { tenant, client, call, receiver, endpoint };
}

const only = async ({ tenant }: Scene) => (await fixture.deliveries(tenant.workspace_id))[0]!;
const settled = ({ tenant }: Scene, statuses?: string[]) => fixture.settled(tenant.workspace_id, statuses);
const attempted = (scene: Scene, count: number) =>
  eventually(`attempt ${count}`, 60_000, async () => {
    const delivery = await only(scene);
    return delivery.attempts >= count ? delivery : null;
  });
const read = async ({ client }: Scene, id: string) => (await client.send('GET', `/webhooks/deliveries/${id}`)).body;
const verified = (receiver: TestReceiver, index: number, secret: string) => {
  const { body, headers } = receiver.received[index]!;
  return new Stripe('sk_test').webhooks.constructEvent(body, String(headers['x-svc-signature']), secret);
};

describe('a delivery', () => {
  it('is a signed POST of the event', async () => {
    const at = await scene();
    await fixture.writeEvents(at.call, ['call.placed', { provider: 'twilio', note: 'नमस्ते 😀' }]);
    await settled(at);
    const { receiver } = at;
    expect(receiver.received).toHaveLength(1);
    const { headers, body, event } = receiver.received[0]!;
    const delivery = await read(at, (await only(at)).id);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
      'x-svc-event': 'call.placed',
      'x-svc-delivery': delivery.id,
      'x-svc-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    expect(event).toMatchObject({ type: 'call.placed', call_id: at.call.id, data: { note: 'नमस्ते 😀' } });
    expect(verified(receiver, 0, at.endpoint.secret)).toEqual(event);
    expect(() => verified(receiver, 0, `${at.endpoint.secret}x`)).toThrow(/signature/);
    expect(delivery).toEqual({
      id: headers['x-svc-delivery'],
      event_id: event.id,
      event_type: 'call.placed',
      endpoint_id: at.endpoint.id,
      url: receiver.url,
      call_id: at.call.id,
      agent_id: at.tenant.agent_id,
      status: 'delivered',
      attempts: 1,
      last_status_code: 200,
      last_error: '',
      last_latency_ms: expect.any(Number),
      last_attempt_at: expect.stringMatching(/\+05:30$/),
      next_attempt_at: null,
      created_at: expect.stringMatching(/\+05:30$/),
      request_headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1.0',
        'x-svc-event': 'call.placed',
        'x-svc-delivery': delivery.id,
        'x-svc-signature': '***',
      },
      request_body: body,
      response_headers: expect.objectContaining({ 'content-length': '9' }),
      response_body: 'thank you',
    });
  });

  it('is attempted six times on schedule, with the same id and body and a new signature', async () => {
    const attemptMs = 1_000;
    const at = await scene((...given) => {
      fixture.clock.shift(attemptMs);
      status(503)(...given);
    });
    await fixture.writeEvents(at.call, 'call.started');
    const waits = [10_000, 60_000, 300_000, 1_800_000, 7_200_000];
    for (const [index, waitMs] of waits.entries()) {
      const delivery = await attempted(at, index + 1);
      expect(delivery).toMatchObject({ status: 'retrying', last_error: 'status 503', last_status_code: 503 });
      const endedMs = delivery.last_attempt_at.getTime() + attemptMs;
      expect(delivery.next_attempt_at.getTime()).toBe(endedMs + waitMs);
      fixture.clock.shift(waitMs);
    }
    expect(await attempted(at, 6)).toMatchObject({
      status: 'failed',
      attempts: 6,
      next_attempt_at: null,
    });
    const { received } = at.receiver;
    expect(received).toHaveLength(6);
    expect(new Set(received.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['x-svc-signature'])).size).toBe(6);
  });

  it('that fails first is delivered by a retry', async () => {
    const at = await scene(status(500));
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    at.receiver.answer = status(204);
    fixture.clock.shift(10_000);
    await settled(at);
    expect(await only(at)).toMatchObject({ status: 'delivered', attempts: 2, last_status_code: 204, last_error: '' });
  });

  it.each<[string, Respond, object]>([
    [
      'a redirect, which is not followed',
      status(302, { location: 'https://hooks.example/elsewhere' }),
      { last_status_code: 302, last_error: 'redirect' },
    ],
    ['another 3xx', status(304), { last_status_code: 304, last_error: 'redirect' }],
    ['a refusal', status(404), { last_status_code: 404, last_error: 'status 404' }],
    ['silence', () => fixture.timeOutAttempts(), { last_status_code: null, last_error: 'timeout' }],
    [
      'an answer that drips without an end',
      (_request, response) => {
        response.writeHead(200);
        let drops = 0;
        const drip = setInterval(() => {
          response.write('.');
          if (++drops === 5) fixture.timeOutAttempts();
        }, 20);
        response.on('close', () => clearInterval(drip));
      },
      { last_status_code: null, last_error: 'timeout' },
    ],
    [
      'a closed connection',
      (request) => request.socket.destroy(),
      { last_status_code: null, last_error: 'connection broken' },
    ],
    [
      'half an answer',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
      { last_status_code: null, last_error: 'connection broken' },
    ],
  ])('is retried after %s', async (_what, answer, outcome) => {
    const at = await scene(answer);
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    // Its retries are in other tests, and would time out their attempts.
    at.receiver.answer = ok;
    expect(await only(at)).toMatchObject({ status: 'retrying', attempts: 1, ...outcome });
    expect(at.receiver.received).toHaveLength(1);
  });

  it('accepts a huge response, and stores its first 4096 bytes', async () => {
    const at = await scene((_request, response) => {
      response.writeHead(200, { 'x-note': 'big' });
      const more = () => {
        while (!response.destroyed && response.write('\0é'.repeat(10_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at);
    const delivery = await read(at, (await only(at)).id);
    expect(delivery).toMatchObject({ status: 'delivered', response_headers: { 'x-note': 'big' } });
    expect(delivery.response_body).toBe('é'.repeat(1_365));
  });

  it('is retried when nothing listens or the certificate is for another name', async () => {
    const at = await scene();
    const url = new URL(at.endpoint.url);
    url.hostname = 'other.example';
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { url: url.href });
    await at.client.send('POST', '/webhooks', { url: 'https://hooks.example:1/' });
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    const errors = (await fixture.deliveries(at.tenant.workspace_id)).map(({ last_error }) => last_error);
    expect(errors.sort()).toEqual(['certificate not valid', 'connection refused']);
    expect(at.receiver.received).toEqual([]);
  });

  it('fails at once when the host resolves to a private address', async () => {
    const at = await scene();
    const url = new URL(at.endpoint.url);
    url.hostname = 'moving.example';
    fixture.names.set('moving.example', ['127.0.0.1']);
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { url: url.href });
    fixture.names.set('moving.example', ['127.0.0.1', '10.0.0.7']);
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at);
    expect(await only(at)).toMatchObject({ status: 'failed', attempts: 1, last_error: 'address not allowed' });
    expect(at.receiver.received).toEqual([]);
  });

  it('is retried when the host does not resolve', async () => {
    const at = await scene();
    fixture.names.set('gone.example', []);
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { url: 'https://gone.example/' });
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    expect(await only(at)).toMatchObject({ last_error: 'host not found', last_status_code: null });
  });
});

describe('a waiting delivery', () => {
  it('goes to the new URL and is signed with the new secret', async () => {
    const at = await scene(status(500));
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    const moved = await fixture.receiver();
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { url: moved.url });
    const { secret } = (await at.client.send('POST', `/webhooks/${at.endpoint.id}/rotate-secret`)).body;
    fixture.clock.shift(10_000);
    await settled(at);
    expect(moved.received).toHaveLength(1);
    expect(verified(moved, 0, secret).type).toBe('call.started');
    expect(() => verified(moved, 0, at.endpoint.secret)).toThrow();
    expect(await only(at)).toMatchObject({ status: 'delivered', url: moved.url });
  });

  it.each([
    ['endpoint inactive', 'PATCH', { active: false }],
    ['endpoint deleted', 'DELETE', undefined],
  ])('fails with "%s"', async (last_error, method, body) => {
    const at = await scene(status(500));
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    await at.client.send(method, `/webhooks/${at.endpoint.id}`, body);
    const { id } = await only(at);
    expect(await read(at, id)).toMatchObject({ status: 'failed', last_error, next_attempt_at: null, attempts: 1 });
    const retried = await at.client.send('POST', `/webhooks/deliveries/${id}/retry`);
    expect(retried.status).toBe(409);
    await fixture.writeEvents(at.call, 'call.ended');
    expect(await fixture.deliveries(at.tenant.workspace_id)).toHaveLength(1);
  });

  it('for an endpoint that was deleted while the event was written fails', async () => {
    const at = await scene();
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at);
    await fixture.sql`
      update webhook_deliveries set status = 'pending', next_attempt_at = ${new Date(fixture.clock.wall())}, receiver = 'we_gone',
        endpoint_id = 'we_gone' where workspace_id = ${at.tenant.workspace_id}`;
    await settled(at);
    expect(await only(at)).toMatchObject({ status: 'failed', last_error: 'endpoint deleted', attempts: 1 });
  });
});

describe("an agent's webhook URL", () => {
  it('is signed with the default secret at the time of sending', async () => {
    const receiver = await fixture.receiver();
    const tenant = await fixture.tenant(5, { webhook_url: receiver.url });
    const client = await fixture.client(tenant);
    const call = await fixture.queue(tenant);
    await fixture.settled(tenant.workspace_id);
    const { secret } = (await client.send('POST', '/webhooks/default-secret/rotate')).body;
    await fixture.writeEvents(call, 'call.started');
    await receiver.has(2);
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['call.queued', 'call.started']);
    expect(verified(receiver, 1, secret).id).toBe(receiver.received[1]!.event.id);
    expect(() => verified(receiver, 0, secret)).toThrow();
  });

  it('that was cleared gets no more deliveries', async () => {
    const receiver = await fixture.receiver(status(500));
    const tenant = await fixture.tenant(5, { webhook_url: receiver.url });
    await fixture.queue(tenant);
    await fixture.settled(tenant.workspace_id, ['retrying']);
    await fixture.sql`update agents set webhook_url = '' where id = ${tenant.agent_id}`;
    fixture.clock.shift(10_000);
    await fixture.settled(tenant.workspace_id);
    const [delivery] = await fixture.deliveries(tenant.workspace_id);
    expect(delivery).toMatchObject({ status: 'failed', last_error: 'endpoint deleted', attempts: 1 });
  });

  it('of a deleted agent gets no more deliveries', async () => {
    const receiver = await fixture.receiver(status(500));
    const tenant = await fixture.tenant(5, { webhook_url: receiver.url });
    await fixture.queue(tenant);
    await fixture.settled(tenant.workspace_id, ['retrying']);
    await failDeliveriesToAgentUrl(fixture.sql, tenant.workspace_id, tenant.agent_id);
    const [delivery] = await fixture.deliveries(tenant.workspace_id);
    expect(delivery).toMatchObject({ status: 'failed', last_error: 'endpoint deleted', next_attempt_at: null });
  });
});

describe('a manual retry', () => {
  const retry = ({ client }: Scene, id: string) => client.send('POST', `/webhooks/deliveries/${id}/retry`);

  it('delivers a waiting one, and its schedule ends', async () => {
    const at = await scene(status(500));
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    at.receiver.answer = ok;
    const answer = await retry(at, (await only(at)).id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'delivered', attempts: 2, next_attempt_at: null });
    expect((await only(at)).next_attempt_at).toBeNull();
  });

  it('that fails changes neither status nor schedule, and is not one of the six', async () => {
    const at = await scene(status(500));
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at, ['retrying']);
    const before = await only(at);
    at.receiver.answer = status(418);
    expect((await retry(at, before.id)).body).toMatchObject({ status: 'retrying', attempts: 2, last_status_code: 418 });
    const { next_attempt_at, scheduled_attempts } = before;
    expect(await only(at)).toMatchObject({ next_attempt_at, scheduled_attempts });
  });

  it('leaves a failed one failed or delivers it, and leaves a delivered one', async () => {
    const at = await scene();
    fixture.names.set('inward.example', ['10.0.0.8']);
    await fixture.sql`update webhook_endpoints set url = 'https://inward.example/' where id = ${at.endpoint.id}`;
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at);
    const { id } = await only(at);
    expect((await retry(at, id)).body).toMatchObject({
      status: 'failed',
      attempts: 2,
      last_error: 'address not allowed',
    });
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { url: at.receiver.url });
    expect((await retry(at, id)).body).toMatchObject({ status: 'delivered', attempts: 3, last_error: '' });
    at.receiver.answer = status(500);
    expect((await retry(at, id)).body).toMatchObject({ status: 'delivered', attempts: 4, last_status_code: 500 });
    expect(at.receiver.received.map(({ headers }) => headers['x-svc-delivery'])).toEqual([id, id]);
  });

  it("of an unknown delivery, or another workspace's, is refused", async () => {
    const at = await scene();
    await fixture.writeEvents(at.call, 'call.started');
    await settled(at);
    const { id } = await only(at);
    const other = await fixture.client(await fixture.tenant());
    for (const [client, path] of [
      [at.client, `/webhooks/deliveries/whd_${'0'.repeat(32)}`],
      [at.client, `/webhooks/deliveries/${id.slice(4)}`],
      [other, `/webhooks/deliveries/${id}`],
    ] as const) {
      expect(await client.send('GET', path)).toMatchObject({ status: 404, body: { detail: 'delivery not found' } });
      expect((await client.send('POST', `${path}/retry`)).status).toBe(404);
    }
    expect(at.receiver.received).toHaveLength(1);
  });
});

describe('a ping', () => {
  it('is sent once and returns its delivery', async () => {
    const at = await scene();
    await at.client.send('PATCH', `/webhooks/${at.endpoint.id}`, { active: false });
    const answer = await at.client.send('POST', `/webhooks/${at.endpoint.id}/test`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      event_id: `evt_${'0'.repeat(32)}`,
      event_type: 'ping',
      endpoint_id: at.endpoint.id,
      call_id: '',
      agent_id: '',
      status: 'delivered',
      attempts: 1,
      last_status_code: 200,
      next_attempt_at: null,
      response_body: 'thank you',
    });
    const { event, headers } = at.receiver.received[0]!;
    expect(verified(at.receiver, 0, at.endpoint.secret)).toEqual({
      ...{ id: `evt_${'0'.repeat(32)}`, type: 'ping', call_id: '', agent_id: '' },
      created_at: expect.stringMatching(/\.\d{3}\+00:00$/),
      workspace_id: at.tenant.workspace_id,
      data: { message: 'a test of this endpoint', level: 'info', latency_ms: null },
    });
    expect(headers['x-svc-delivery']).toBe(answer.body.id);
    expect(JSON.parse(answer.body.request_body)).toEqual(event);
  });

  it('that fails is not retried', async () => {
    const at = await scene(status(500));
    const answer = await at.client.send('POST', `/webhooks/${at.endpoint.id}/test`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'failed', last_status_code: 500, attempts: 1 } });
    expect((await only(at)).next_attempt_at).toBeNull();
    fixture.names.set('deep.example', ['192.168.1.9']);
    await fixture.sql`update webhook_endpoints set url = 'https://deep.example/' where id = ${at.endpoint.id}`;
    const inside = await at.client.send('POST', `/webhooks/${at.endpoint.id}/test`);
    expect(inside.body).toMatchObject({ status: 'failed', last_error: 'address not allowed', last_status_code: null });
  });
});

describe('the list', () => {
  it('is filtered, paged and newest first', async () => {
    const at = await scene();
    const other = await fixture.queue(at.tenant);
    await fixture.writeEvents(at.call, 'call.placed', 'call.started', 'user.turn');
    await fixture.writeEvents(other, 'error');
    await settled(at);
    at.receiver.answer = status(500);
    await fixture.writeEvents(other, 'call.ended');
    await settled(at, ['delivered', 'retrying']);
    const list = async (query: string) => {
      const { body } = await at.client.send('GET', `/webhooks/deliveries?${query}`);
      return body.items.map(({ event_type }: { event_type: string }) => event_type).sort();
    };
    expect(await list('')).toHaveLength(6);
    expect(await list('status=retrying')).toEqual(['call.ended']);
    expect(await list('status=retrying,delivered,failed')).toHaveLength(6);
    expect(await list('event_type=error,user.turn')).toEqual(['error', 'user.turn']);
    expect(await list(`call_id=${other.id}`)).toEqual(['call.ended', 'call.queued', 'error']);
    expect(await list(`endpoint_id=${at.endpoint.id}&event_type=call.placed`)).toEqual(['call.placed']);
    expect(await list('endpoint_id=agent')).toEqual([]);
    const rows = await fixture.deliveries(at.tenant.workspace_id);
    const ended = rows.find(({ event_type }) => event_type === 'call.ended')!.created_at.toISOString();
    expect(await list(`since=${ended}`)).toEqual(['call.ended']);
    expect(await list(`until=${ended}`)).toHaveLength(5);

    const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
    const whole = (await at.client.send('GET', '/webhooks/deliveries')).body;
    expect(whole.total).toBe(6);
    expect(ids(whole)).toEqual(ids(whole).toSorted().reverse());
    const page = (await at.client.send('GET', '/webhooks/deliveries?limit=2&skip=3')).body;
    expect(page.total).toBe(6);
    expect(ids(page)).toEqual(ids(whole).slice(3, 5));
    expect(whole.items[0]).not.toHaveProperty('request_body');
  });

  it.each([
    ['status=sent', 'enum'],
    ['event_type=call.dequeued', 'enum'],
    ['since=yesterday', 'value_error'],
    ['limit=201', 'less_than_equal'],
  ])('refuses %s', async (query, type) => {
    const client = await fixture.client(await fixture.tenant());
    const answer = await client.send('GET', `/webhooks/deliveries?${query}`);
    expect([answer.status, answer.body.detail]).toMatchObject([422, [{ type }]]);
  });
});
