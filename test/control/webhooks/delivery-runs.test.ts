import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../control/db/secret-box.ts';
import { type ClaimRequest, claimDeliveries, runsOf } from '../../../control/webhooks/claim-deliveries.ts';
import { type DeliverySender, startDeliverySender } from '../../../control/webhooks/delivery-sender.ts';
import { createWebhookSecrets } from '../../../control/webhooks/webhook-secrets.ts';
import { type SafeFetch, SafeFetchError, type SafeResponse } from '../../../shared/safe-fetch.ts';
import { eventually, until } from '../../support/until.ts';
import { log, type Tenant } from '../calls/call-fixture.ts';
import { createWebhookFixture, type WebhookFixture } from './webhook-fixture.ts';

/** Events of one call that are leased together and sent one after the other. */

let fixture: WebhookFixture;
let tenant: Tenant;
let endpoint: string;
const senders: DeliverySender[] = [];

beforeAll(async () => {
  fixture = await createWebhookFixture();
});
beforeEach(async () => {
  tenant = await fixture.tenant();
  const client = await fixture.client(tenant);
  const url = 'https://hooks.example/a';
  endpoint = (await client.send('POST', '/webhooks', { url, events: ['user.turn'] })).body.id;
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  await fixture.sql`delete from webhook_deliveries`;
});

type Call = Awaited<ReturnType<WebhookFixture['queue']>>;
const newCall = () => fixture.queue(tenant);
const write = (call: Call, ...turns: number[]) =>
  fixture.writeEvents(call, ...turns.map((turn) => ['user.turn', { turn }] as ['user.turn', { turn: number }]));
const turnOf = (body: string | null): number => JSON.parse(body!).data.turn;
const deliveries = () => fixture.deliveries(tenant.workspace_id);

/** The turns of the claimed runs. */
async function claim(more: Partial<ClaimRequest> = {}): Promise<number[][]> {
  const claimed = await claimDeliveries(fixture.sql, {
    ...{ nowMs: fixture.clock.wall(), leaseMs: 30_000, limit: 64, perReceiver: 4, perCall: 3 },
    ...{ headroom: new Map([[endpoint, 64]]), after: '', window: 200, ...more },
  });
  return runsOf(claimed).map((run) => run.map(({ body }) => turnOf(body)));
}

describe('a claim', () => {
  it('has the first events of each call, and no more of it while they are leased', async () => {
    await write(await newCall(), 1, 2, 3, 4, 5);
    await write(await newCall(), 11, 12);
    expect((await claim()).sort()).toEqual([
      [1, 2, 3],
      [11, 12],
    ]);
    expect(await claim()).toEqual([]);
  });

  it('has one event of each call for a receiver that has only its usual share', async () => {
    await write(await newCall(), 1, 2);
    await write(await newCall(), 11, 12);
    expect((await claim({ headroom: new Map() })).sort()).toEqual([[1], [11]]);
  });

  it('has the first events of all calls before the second ones', async () => {
    await write(await newCall(), 1, 2, 3);
    await write(await newCall(), 11, 12, 13);
    expect((await claim({ headroom: new Map([[endpoint, 5]]), limit: 4 })).sort()).toEqual([
      [1, 2],
      [11, 12],
    ]);
  });

  it('ends a run before an event that is not due, or outside the window', async () => {
    const call = await newCall();
    await write(call, 1, 2, 3);
    await fixture.sql`update webhook_deliveries set next_attempt_at = now() + interval '1 day' where event_seq = (
      select event_seq from webhook_deliveries order by event_seq offset 1 limit 1)`;
    expect(await claim()).toEqual([[1]]);
  });

  it('has nothing of a call whose first event is locked, or was leased a moment ago', async () => {
    await write(await newCall(), 1, 2, 3);
    await fixture.sql.begin(async (tx) => {
      await tx`select from webhook_deliveries order by event_seq limit 1 for update`;
      expect(await claim()).toEqual([]);
    });
    expect(await claim({ headroom: new Map([[endpoint, 1]]) })).toEqual([[1]]);
    expect(await claim()).toEqual([]);
  });

  it('has each retry by itself', async () => {
    await write(await newCall(), 1, 2, 3);
    await fixture.sql`update webhook_deliveries set status = 'retrying', scheduled_attempts = 1 where event_seq = (
      select min(event_seq) from webhook_deliveries)`;
    expect(await claim()).toEqual([[1], [2, 3]]);
  });
});

/** How many claims have leased what was sent. */
const leases = async () => new Set((await deliveries()).map(({ lease_id }) => lease_id)).size;

const ACCEPTED: SafeResponse = { status: 200, headers: {}, body: '', bytes: 0, truncated: false };
const REFUSED = { ...ACCEPTED, status: 500 };

/** A sender for which each response comes at once, however loaded the machine is. It leases runs after the first one. */
async function start(answer: (turn: number) => Promise<SafeResponse>, sql = fixture.sql): Promise<number[]> {
  const clock = { ...fixture.clock, now: () => 0 };
  const sent: number[] = [];
  const fetch: SafeFetch = (_url, { body }) => {
    const turn = turnOf(body!);
    sent.push(turn);
    return turn === 0 ? Promise.resolve(ACCEPTED) : answer(turn);
  };
  const secrets = createWebhookSecrets({ box: createSecretBox(['a key of the tests']), clock });
  await write(await newCall(), 0);
  senders.push(startDeliverySender({ sql, clock, log, fetch, secrets, intervalMs: 10 }));
  await fixture.settled(tenant.workspace_id);
  return sent;
}

describe('a run', () => {
  it('is sent in order, each event when the one before it was accepted', async () => {
    let running = 0;
    const sent = await start(async () => {
      expect(running++).toBe(0);
      await new Promise(setImmediate);
      running--;
      return ACCEPTED;
    });
    await write(await newCall(), 1, 2, 3, 4, 5, 6, 7, 8);
    await fixture.settled(tenant.workspace_id);
    expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await leases()).toBe(2);
  });

  it('that fails is released: the next event is attempted when the failure is on record', async () => {
    const statuses: string[] = [];
    const sent = await start(async (turn) => {
      if (turn === 3) statuses.push(...(await deliveries()).slice(1, 3).map(({ status }) => status));
      return turn === 2 ? REFUSED : ACCEPTED;
    });
    await write(await newCall(), 1, 2, 3, 4);
    await eventually('all of them', 60_000, async () => sent.includes(4) || null);
    await fixture.settled(tenant.workspace_id, ['delivered', 'retrying']);
    expect(sent).toEqual([0, 1, 2, 3, 4]);
    expect(statuses).toEqual(['delivered', 'retrying']);
  });

  it('whose process dies is sent by another one from where it is on record', async () => {
    let dead = false;
    let die = (_error: Error) => {};
    const claimsNoMore = new Proxy(fixture.sql, {
      get(target, name) {
        if (name === 'begin' && dead) return () => Promise.reject(new Error('this process is dead'));
        return Reflect.get(target, name);
      },
    });
    const first = await start(async (turn) => {
      if (turn < 3) return ACCEPTED;
      dead = true;
      return new Promise((_, reject) => {
        die = reject;
      });
    }, claimsNoMore);
    await write(await newCall(), 1, 2, 3, 4);
    await eventually('two on record', 60_000, async () => {
      return (dead && (await deliveries()).filter(({ status }) => status === 'delivered').length === 3) || null;
    });
    fixture.clock.shift(31_000);
    const next = await start(async () => ACCEPTED);
    expect([first, next.filter((turn) => turn > 0)]).toEqual([
      [0, 1, 2, 3],
      [3, 4],
    ]);
    die(new SafeFetchError('aborted'));
  });

  it('is released when the process stops, without the one that is being sent', async () => {
    const sent = await start(async (turn) => {
      if (turn === 2) void senders[0]!.stop();
      return ACCEPTED;
    });
    await write(await newCall(), 1, 2, 3, 4);
    await until(() => sent.includes(2), 'the second');
    await senders[0]!.stop();
    expect((await deliveries()).map(({ status, leased_until }) => [status, leased_until])).toEqual([
      ...Array(3).fill(['delivered', null]),
      ...Array(2).fill(['pending', null]),
    ]);
  });

  it('is at most four events ahead of its record', async () => {
    let record = () => {};
    const held = new Promise<void>((resolve) => {
      record = resolve;
    });
    let holds = false;
    const sql = new Proxy(fixture.sql, {
      apply(target, self, given) {
        const isWrite = Array.isArray(given[0]) && given[0].join('').includes('scheduled_attempts + 1');
        if (isWrite && holds) return held.then(() => Reflect.apply(target, self, given));
        return Reflect.apply(target, self, given);
      },
    });
    const sent = await start(async () => ACCEPTED, sql);
    holds = true;
    await write(await newCall(), 1, 2, 3, 4, 5, 6, 7, 8);
    await until(() => sent.includes(4), 'the fourth');
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    expect(sent).toEqual([0, 1, 2, 3, 4]);
    record();
    await fixture.settled(tenant.workspace_id);
    expect(sent).toHaveLength(9);
  });
});
