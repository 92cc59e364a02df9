import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { type ClaimRequest, claimDeliveries } from '../../../control/webhooks/claim.ts';
import { createSecrets } from '../../../control/webhooks/secrets.ts';
import { type FailedAttempt, removeOldDeliveries, type Sender, startSender } from '../../../control/webhooks/sender.ts';
import { type SafeFetch, SafeFetchError } from '../../../shared/safe-fetch.ts';
import type { Client } from '../../support/control-app.ts';
import { eventually, until } from '../../support/until.ts';
import { log, type Tenant } from '../calls/call-ground.ts';
import { createWebhookGround, ok, status, type TestReceiver, type WebhookGround } from './webhook-ground.ts';

let ground: WebhookGround;

beforeAll(async () => {
  ground = await createWebhookGround();
});

interface Scene {
  tenant: Tenant;
  client: Client;
  call: CallRow;
}

async function scene(): Promise<Scene> {
  const tenant = await ground.tenant();
  return { tenant, client: await ground.client(tenant), call: await ground.queue(tenant) };
}

const listen = async ({ client }: Scene, receiver: TestReceiver, events = ['user.turn', 'agent.reply']) =>
  (await client.send('POST', '/webhooks', { url: receiver.url, events })).body as { id: string; secret: string };

const key = createSecretBox(['a key of the tests']);
const secrets = () => createSecrets({ box: key, clock: ground.clock });

/** A sender of a process whose network is this. */
const senderOver = (fetch: SafeFetch): Sender =>
  startSender({ sql: ground.sql, clock: ground.clock, log, fetch, secrets: secrets() });

const claim = (claimed: string, more: Partial<ClaimRequest> = {}) =>
  claimDeliveries(ground.sql, {
    ...{ nowMs: ground.clock.wall(), claim: claimed, leaseMs: 30_000, limit: 64, perReceiver: 4 },
    ...{ room: new Map(), after: '', window: 200, ...more },
  });

const idsOf = (receiver: TestReceiver) => receiver.received.map(({ headers }) => String(headers['x-svc-delivery']));
const turnsOf = (receiver: TestReceiver) => receiver.received.map(({ event }) => event.data.turn);

describe('a crash', () => {
  it('between taking and sending a delivery loses nothing: when the lease is over it is sent', async () => {
    const at = await scene();
    const receiver = await ground.receiver();
    await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
    const [taken] = await claim('of a process that dies');
    expect(taken).toMatchObject({ event_type: 'user.turn', scheduled_attempts: 0 });

    const sender = ground.startSender();
    ground.clock.shift(29_000);
    expect(await claim('of another')).toEqual([]);
    expect(receiver.received).toEqual([]);
    ground.clock.shift(2_000);
    await ground.settled(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([taken!.id]);
    expect(await ground.delivery(at.tenant.workspace_id, taken!.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    });
    await sender.stop();
  });

  it('after sending, before it is written down, sends again with the same id', async () => {
    const at = await scene();
    const receiver = await ground.receiver();
    await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
    let sent = 0;
    let die = () => {};
    const dead = new Promise<void>((resolve) => {
      die = resolve;
    });
    // The receiver got it, and then nothing more was heard of this process until the test is over.
    const dying = senderOver(async () => {
      sent++;
      await dead;
      throw new SafeFetchError('aborted');
    });
    await until(() => sent === 1, 'the first sending');
    ground.clock.shift(31_000);
    const sender = ground.startSender();
    await ground.settled(at.tenant.workspace_id);
    const [delivery] = await ground.deliveries(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([delivery!.id]);
    die();
    await dying.stop();
    expect(await ground.delivery(at.tenant.workspace_id, delivery!.id)).toMatchObject({
      status: 'delivered',
      next_attempt_at: null,
    });
    await sender.stop();
  });

  it('is not needed to leave: what is under way is given back and sent by the next', async () => {
    const at = await scene();
    const receiver = await ground.receiver(() => {});
    await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
    const leaving = ground.startSender();
    await receiver.has(1);
    await leaving.stop();
    const [delivery] = await ground.deliveries(at.tenant.workspace_id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0 });
    receiver.answer = ok;
    const next = ground.startSender();
    await ground.settled(at.tenant.workspace_id);
    expect(idsOf(receiver)).toEqual([delivery!.id, delivery!.id]);
    await next.stop();
  });
});

describe('a delivery settled by somebody else', () => {
  it('keeps what was decided, and the attempt is counted', async () => {
    const at = await scene();
    const receiver = await ground.receiver();
    const { id } = await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
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
    const [delivery] = await ground.deliveries(at.tenant.workspace_id);
    expect(delivery).toMatchObject({
      status: 'failed',
      last_error: 'endpoint deleted',
      attempts: 1,
      next_attempt_at: null,
    });
  });
});

describe('a failed attempt', () => {
  it('is told for the logs of the workspace', async () => {
    const at = await scene();
    const receiver = await ground.receiver();
    const { id } = await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
    const failed: FailedAttempt[] = [];
    const answer = { status: 500, headers: {}, body: '', bytes: 0, truncated: false };
    const sender = startSender({
      ...{ sql: ground.sql, clock: ground.clock, log, secrets: secrets() },
      fetch: async () => answer,
      onFailed: (attempt) => failed.push(attempt),
    });
    await until(() => failed.length > 0, 'the failed attempt');
    await sender.stop();
    const [delivery] = await ground.deliveries(at.tenant.workspace_id);
    expect(failed).toEqual([
      {
        ...{ workspace_id: at.tenant.workspace_id, call_id: at.call.id, agent_id: at.tenant.agent_id },
        ...{ delivery_id: delivery!.id, endpoint_id: id, event_type: 'user.turn', given_up: false },
        ...{ status_code: 500, error: 'status 500', latency_ms: expect.any(Number) },
      },
    ]);
    await ground.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });
});

describe('several processes', () => {
  it('deliver everything once, each call in its order', async () => {
    const at = await scene();
    const calls = [at.call];
    while (calls.length < 6) calls.push(await ground.queue(at.tenant));
    const receivers = [await ground.receiver(), await ground.receiver(), await ground.receiver()];
    for (const receiver of receivers) await listen(at, receiver);
    const senders = [ground.startSender(), ground.startSender(), ground.startSender()];
    for (let turn = 0; turn < 6; turn++) {
      await Promise.all(
        calls.map((call) => ground.tell(call, ['user.turn', { turn }], ['agent.reply', { turn: turn + 0.5 }])),
      );
    }
    await ground.settled(at.tenant.workspace_id);
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
  }, 120_000);

  it('never take the same delivery', async () => {
    const at = await scene();
    const receivers = Array.from({ length: 10 }, () => ground.receiver());
    for (const receiver of await Promise.all(receivers)) await listen(at, receiver);
    const calls = await Promise.all(Array.from({ length: 6 }, () => ground.queue(at.tenant)));
    await Promise.all(calls.map((call) => ground.tell(call, 'user.turn')));
    const taken = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => claim(name, { limit: 20 })))).flat();
    const rest = await claim('f', { perReceiver: 6 });
    const ids = [...taken, ...rest].map(({ id }) => id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
    await ground.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });
});

describe('of one call', () => {
  it('a retry holds up nothing, the first attempt does', async () => {
    const at = await scene();
    const receiver = await ground.receiver((_request, response, { event }) => {
      response.writeHead(event.data.turn === 1 && receiver.received.length < 3 ? 500 : 200).end();
    });
    await listen(at, receiver);
    await ground.tell(at.call, ['user.turn', { turn: 1 }], ['user.turn', { turn: 2 }], ['user.turn', { turn: 3 }]);
    const first = await claim('a');
    expect(first).toHaveLength(1);
    expect(await claim('b')).toEqual([]);
    ground.clock.shift(31_000);
    const sender = ground.startSender();
    await eventually('the two behind it', 20_000, async () => receiver.received.length >= 3 || null);
    expect(turnsOf(receiver)).toEqual([1, 2, 3]);
    ground.clock.shift(10_000);
    await ground.settled(at.tenant.workspace_id);
    expect(turnsOf(receiver)).toEqual([1, 2, 3, 1]);
    await sender.stop();
  });
});

describe('receivers', () => {
  it('get no more than four at once, and take their turns', async () => {
    const at = await scene();
    const many = await Promise.all(Array.from({ length: 5 }, () => ground.receiver()));
    const ids: string[] = [];
    for (const receiver of many) ids.push((await listen(at, receiver)).id);
    ids.sort();
    const calls = await Promise.all(Array.from({ length: 9 }, () => ground.queue(at.tenant)));
    await Promise.all(calls.map((call) => ground.tell(call, 'user.turn')));
    const counts = (rows: { receiver: string }[]) =>
      ids.map((id) => rows.filter(({ receiver }) => receiver === id).length);
    expect(counts(await claim('a', { limit: 10 }))).toEqual([4, 4, 2, 0, 0]);
    expect(counts(await claim('b', { limit: 10, after: ids[2]! }))).toEqual([0, 0, 0, 4, 4]);
    const room = new Map([
      [ids[0]!, 0],
      [ids[1]!, 1],
    ]);
    expect(counts(await claim('c', { room }))).toEqual([0, 1, 4, 4, 4]);
    await ground.sql`delete from webhook_deliveries where workspace_id = ${at.tenant.workspace_id}`;
  });

  it('a slow one with a thousand deliveries does not hold up another', async () => {
    const at = await scene();
    const waiting: (() => void)[] = [];
    let patient = true;
    const slow = await ground.receiver((_request, response) => {
      if (patient) waiting.push(() => response.end());
      else response.end();
    });
    const fast = await ground.receiver();
    await listen(at, slow);
    await listen(at, fast);
    const calls = [at.call];
    while (calls.length < 10) calls.push(await ground.queue(at.tenant));
    for (const call of calls) {
      const turns = Array.from(
        { length: 100 },
        (_, turn) => ['user.turn', { turn }] as ['user.turn', { turn: number }],
      );
      await ground.tell(call, ...turns);
    }
    const sender = ground.startSender();
    // The slow one answers nobody until the fast one has everything.
    await eventually('all of the fast one', 150_000, async () => fast.received.length >= 1_000 || null);
    expect(new Set(idsOf(fast)).size).toBe(1_000);
    expect(slow.received.length).toBeLessThan(1_000);
    patient = false;
    for (const answer of waiting) answer();
    await eventually('all of the slow one', 150_000, async () => new Set(idsOf(slow)).size === 1_000 || null);
    await ground.settled(at.tenant.workspace_id);
    await sender.stop();
  }, 320_000);
});

describe('deliveries of 30 days ago', () => {
  it('are removed with their bodies', async () => {
    const at = await scene();
    const receiver = await ground.receiver(status(500));
    await listen(at, receiver);
    await ground.tell(at.call, 'user.turn');
    const dayMs = 24 * 3_600_000;
    const left = async () => {
      const { workspace_id } = at.tenant;
      const [row] = await ground.sql`
        select (select count(*) from webhook_deliveries where workspace_id = ${workspace_id})::integer as deliveries,
          (select count(*) from webhook_bodies where workspace_id = ${workspace_id})::integer as bodies`;
      return { ...row };
    };
    await removeOldDeliveries(ground.sql, Date.now() + 29 * dayMs);
    expect(await left()).toEqual({ deliveries: 1, bodies: 1 });
    await removeOldDeliveries(ground.sql, Date.now() + 31 * dayMs);
    expect(await left()).toEqual({ deliveries: 0, bodies: 0 });
  });
});
