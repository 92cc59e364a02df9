import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { type ClaimRequest, claimDeliveries } from '../../../control/webhooks/claim-deliveries.ts';
import {
  type DeliverySender,
  deleteOldDeliveries,
  type FailedAttempt,
  startDeliverySender,
} from '../../../control/webhooks/delivery-sender.ts';
import { createWebhookSecrets } from '../../../control/webhooks/webhook-secrets.ts';
import { type SafeFetch, SafeFetchError } from '../../../shared/safe-fetch.ts';
import type { Client } from '../../support/control-app.ts';
import { eventually, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log, type Tenant } from '../calls/call-fixture.ts';
import { createWebhookFixture, ok, status, type TestReceiver, type WebhookFixture } from './webhook-fixture.ts';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await createWebhookFixture();
});

interface Scene {
  tenant: Tenant;
  client: Client;
  call: CallRow;
}

async function scene(): Promise<Scene> {
  const tenant = await fixture.tenant();
  return { tenant, client: await fixture.client(tenant), call: await fixture.queue(tenant) };
}

const listen = async ({ client }: Scene, receiver: TestReceiver, events = ['user.turn', 'agent.reply']) =>
  (await client.send('POST', '/webhooks', { url: receiver.url, events })).body as { id: string; secret: string };

const key = createSecretBox(['a key of the tests']);
const secrets = () => createWebhookSecrets({ box: key, clock: fixture.clock });

/** A sender of another process with this network. */
const senderOver = (fetch: SafeFetch): DeliverySender =>
  startDeliverySender({ sql: fixture.sql, clock: fixture.clock, log, fetch, secrets: secrets() });

const claim = (more: Partial<ClaimRequest> = {}) =>
  claimDeliveries(fixture.sql, {
    ...{ nowMs: fixture.clock.wall(), leaseMs: 30_000, limit: 64, perReceiver: 4, perCall: 1 },
    ...{ headroom: new Map(), after: '', window: 200, ...more },
  });

const idsOf = (receiver: TestReceiver) => receiver.received.map(({ headers }) => String(headers['x-svc-delivery']));
const turnsOf = (receiver: TestReceiver) => receiver.received.map(({ event }) => event.data.turn);

describe('a crash', () => {
  it('between claiming and sending loses nothing: the delivery is sent after the lease', async () => {
    const at = await scene();
    const receiver = await fixture.receiver();
    await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    const [taken] = await claim({ leaseMs: 30_000 });
    expect(taken).toMatchObject({ event_type: 'user.turn', scheduled_attempts: 0 });

    const sender = fixture.startSender();
    fixture.clock.shift(29_999);
    expect(await claim()).toEqual([]);
    expect(receiver.received).toEqual([]);
    fixture.clock.shift(1);
    await fixture.settled(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([taken!.id]);
    expect(await fixture.delivery(at.tenant.workspace_id, taken!.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    });
    await sender.stop();
  });

  it('between sending and recording sends again with the same id', async () => {
    const at = await scene();
    const receiver = await fixture.receiver();
    await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    let sent = 0;
    let die = () => {};
    const dead = new Promise<void>((resolve) => {
      die = resolve;
    });
    // The receiver got it, and then the process stalls until the test ends.
    const dying = senderOver(async () => {
      sent++;
      await dead;
      throw new SafeFetchError('aborted');
    });
    await until(() => sent === 1, 'the first sending');
    fixture.clock.shift(31_000);
    const sender = fixture.startSender();
    await fixture.settled(at.tenant.workspace_id);
    const [delivery] = await fixture.deliveries(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([delivery!.id]);
    die();
    await dying.stop();
    expect(await fixture.delivery(at.tenant.workspace_id, delivery!.id)).toMatchObject({
      status: 'delivered',
      next_attempt_at: null,
    });
    await sender.stop();
  });

  it('is not needed to stop: running deliveries are released and sent by the next process', async () => {
    const at = await scene();
    const receiver = await fixture.receiver(() => {});
    await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    const leaving = fixture.startSender();
    await receiver.has(1);
    await leaving.stop();
    const [delivery] = await fixture.deliveries(at.tenant.workspace_id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0 });
    receiver.answer = ok;
    const next = fixture.startSender();
    await fixture.settled(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([delivery!.id, delivery!.id]);
    await next.stop();
  });
});

describe('a delivery settled by another process', () => {
  it('keeps its status, and the attempt is counted', async () => {
    const at = await scene();
    const receiver = await fixture.receiver();
    const { id } = await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    let answer = () => {};
    let asked = false;
    const sender = senderOver(async () => {
      asked = true;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { status: 500, headers: {}, body: '', bytes: 0, truncated: false };
    });
    await until(() => asked, 'the attempt');
    await at.client.send('DELETE', `/webhooks/${id}`);
    answer();
    await sender.stop();
    const [delivery] = await fixture.deliveries(at.tenant.workspace_id);
    expect(delivery).toMatchObject({
      status: 'failed',
      last_error: 'endpoint deleted',
      attempts: 1,
      next_attempt_at: null,
    });
  });
});

describe('a failed attempt', () => {
  it('is reported for the logs of the workspace', async () => {
    const at = await scene();
    const receiver = await fixture.receiver();
    const { id } = await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    const failed: FailedAttempt[] = [];
    const answer = { status: 500, headers: {}, body: '', bytes: 0, truncated: false };
    const sender = startDeliverySender({
      ...{ sql: fixture.sql, clock: fixture.clock, log, secrets: secrets() },
      fetch: async () => answer,
      onFailed: (attempt) => failed.push(attempt),
    });
    await until(() => failed.length > 0, 'the failed attempt');
    await sender.stop();
    const [delivery] = await fixture.deliveries(at.tenant.workspace_id);
    expect(failed).toEqual([
      {
        ...{ workspace_id: at.tenant.workspace_id, call_id: at.call.id, agent_id: at.tenant.agent_id },
        ...{ delivery_id: delivery!.id, endpoint_id: id, event_type: 'user.turn', is_final: false },
        ...{ status_code: 500, error: 'status 500', latency_ms: expect.any(Number) },
      },
    ]);
    await fixture.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });
});

describe('several processes', () => {
  it('deliver everything once, each call in its order', async () => {
    const at = await scene();
    const calls = [at.call];
    while (calls.length < 6) calls.push(await fixture.queue(at.tenant));
    const receivers = [await fixture.receiver(), await fixture.receiver(), await fixture.receiver()];
    for (const receiver of receivers) await listen(at, receiver);
    const senders = [fixture.startSender(), fixture.startSender(), fixture.startSender()];
    for (let turn = 0; turn < 6; turn++) {
      await Promise.all(
        calls.map((call) => fixture.writeEvents(call, ['user.turn', { turn }], ['agent.reply', { turn: turn + 0.5 }])),
      );
    }
    await fixture.settled(at.tenant.workspace_id);
    await Promise.all(senders.map((sender) => sender.stop()));
    for (const receiver of receivers) {
      expect(receiver.received).toHaveLength(6 * 12);
      expect(new Set(idsOf(receiver)).size).toBe(6 * 12);
      for (const call of calls) {
        const turns = receiver.received
          .filter(({ event }) => event.call_id === call.id)
          .map(({ event }) => event.data.turn);
        expect(turns).toEqual(Array.from({ length: 12 }, (_, index) => index / 2));
      }
    }
  });

  it('never claim the same delivery', async () => {
    const at = await scene();
    const receivers = Array.from({ length: 10 }, () => fixture.receiver());
    for (const receiver of await Promise.all(receivers)) await listen(at, receiver);
    const calls = await Promise.all(Array.from({ length: 6 }, () => fixture.queue(at.tenant)));
    await Promise.all(calls.map((call) => fixture.writeEvents(call, 'user.turn')));
    const taken = (await Promise.all(Array.from({ length: 5 }, () => claim({ limit: 20 })))).flat();
    const rest = await claim({ perReceiver: 6 });
    const ids = [...taken, ...rest].map(({ id }) => id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
    await fixture.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });
});

describe('of one call', () => {
  it('a retry does not block later events, the first attempt does', async () => {
    const at = await scene();
    const receiver = await fixture.receiver((_request, response, { event }) => {
      response.writeHead(event.data.turn === 1 && receiver.received.length < 3 ? 500 : 200).end();
    });
    await listen(at, receiver);
    await fixture.writeEvents(
      at.call,
      ['user.turn', { turn: 1 }],
      ['user.turn', { turn: 2 }],
      ['user.turn', { turn: 3 }],
    );
    const first = await claim();
    expect(first).toHaveLength(1);
    expect(await claim()).toEqual([]);
    fixture.clock.shift(31_000);
    const sender = fixture.startSender();
    await eventually('the two behind it', 60_000, async () => receiver.received.length >= 3 || null);
    expect(turnsOf(receiver)).toEqual([1, 2, 3]);
    fixture.clock.shift(10_000);
    await fixture.settled(at.tenant.workspace_id);
    expect(turnsOf(receiver)).toEqual([1, 2, 3, 1]);
    await sender.stop();
  });
});

describe('receivers', () => {
  it('get at most four at once, in turn', async () => {
    const at = await scene();
    const many = await Promise.all(Array.from({ length: 5 }, () => fixture.receiver()));
    const ids: string[] = [];
    for (const receiver of many) ids.push((await listen(at, receiver)).id);
    ids.sort();
    const calls = await Promise.all(Array.from({ length: 9 }, () => fixture.queue(at.tenant)));
    await Promise.all(calls.map((call) => fixture.writeEvents(call, 'user.turn')));
    const counts = (rows: { receiver: string }[]) =>
      ids.map((id) => rows.filter(({ receiver }) => receiver === id).length);
    expect(counts(await claim({ limit: 10 }))).toEqual([4, 4, 2, 0, 0]);
    expect(counts(await claim({ limit: 10, after: ids[2]! }))).toEqual([0, 0, 0, 4, 4]);
    const headroom = new Map([
      [ids[0]!, 0],
      [ids[1]!, 1],
    ]);
    expect(counts(await claim({ headroom }))).toEqual([0, 1, 4, 4, 4]);
    await fixture.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });

  it('a slow one with hundreds of deliveries does not delay another', async () => {
    // More than a claim looks at, and than are sent at once.
    const ALL = 300;
    const at = await scene();
    const waiting: (() => void)[] = [];
    let patient = true;
    const slow = await fixture.receiver((_request, response) => {
      if (patient) waiting.push(() => response.end());
      else response.end();
    });
    const fast = await fixture.receiver();
    await listen(at, slow);
    await listen(at, fast);
    const calls = [at.call];
    while (calls.length < 10) calls.push(await fixture.queue(at.tenant));
    for (const call of calls) {
      const turns = Array.from({ length: 30 }, (_, turn) => ['user.turn', { turn }] as ['user.turn', { turn: number }]);
      await fixture.writeEvents(call, ...turns);
    }
    const sender = fixture.startSender();
    // The slow one responds only after the fast one has everything.
    await eventually('all of the fast one', 150_000, async () => fast.received.length >= ALL || null);
    expect(new Set(idsOf(fast)).size).toBe(ALL);
    expect(slow.received.length).toBeLessThan(ALL);
    patient = false;
    for (const answer of waiting) answer();
    await eventually('all of the slow one', 150_000, async () => new Set(idsOf(slow)).size === ALL || null);
    await fixture.settled(at.tenant.workspace_id);
    await sender.stop();
  });
});

describe('deliveries older than 30 days', () => {
  it('are deleted with their bodies', async () => {
    const at = await scene();
    const receiver = await fixture.receiver(status(500));
    await listen(at, receiver);
    await fixture.writeEvents(at.call, 'user.turn');
    const dayMs = 24 * 3_600_000;
    const left = async () => {
      const { workspace_id } = at.tenant;
      const [row] = await fixture.sql`
        select (select count(*) from webhook_deliveries where workspace_id = ${workspace_id})::integer as deliveries,
          (select count(*) from webhook_bodies where workspace_id = ${workspace_id})::integer as bodies`;
      return { ...row };
    };
    await deleteOldDeliveries(fixture.sql, Date.now() + 29 * dayMs);
    expect(await left()).toEqual({ deliveries: 1, bodies: 1 });
    await deleteOldDeliveries(fixture.sql, Date.now() + 31 * dayMs);
    expect(await left()).toEqual({ deliveries: 0, bodies: 0 });
  });
});

it('claims when something is written, seldom while retries wait, and not at all from an empty outbox', async () => {
  const at = await scene();
  const receiver = await fixture.receiver();
  await listen(at, receiver);
  const clock = createVirtualClock(fixture.clock.wall());
  const claims: Promise<unknown>[] = [];
  const begin = (work: never) => {
    claims.push(fixture.sql.begin(work));
    return claims.at(-1);
  };
  const sql = new Proxy(fixture.sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  });
  const fetch: SafeFetch = () => Promise.reject(new SafeFetchError('connection refused'));
  const sender = startDeliverySender({ sql, clock, log, fetch, secrets: secrets() });
  const polls = async (count: number) => {
    for (; count > 0; count--) {
      await clock.advance(200);
      // The next poll and the next cleanup.
      await until(() => clock.pending() === 2);
    }
  };
  await polls(50);
  expect(claims).toHaveLength(1);
  await fixture.writeEvents(at.call, 'user.turn');
  await clock.advance(10);
  await eventually('the failed attempt', 60_000, async () => {
    const [waiting] = await fixture.sql`select from webhook_deliveries where status = 'retrying'`;
    return waiting ?? null;
  });
  await polls(1);
  const before = claims.length;
  await polls(25);
  expect(claims.length - before).toBe(5);
  await sender.stop();
});
