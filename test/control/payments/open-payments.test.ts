import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { UserClient } from '../../support/control-app.ts';
import { runUntilKilled } from '../../support/killed-program.ts';
import { movements, type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** Payments of which nobody reports: looked up at the gateway, expired, found again after a crash. */

const MINUTE_MS = 60_000;
const PROGRAM = fileURLToPath(new URL('../../support/pay-program.ts', import.meta.url));
let bench: PaymentBench;
let owner: UserClient;

beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  owner = await bench.owner();
  for (const gateway of [bench.razorpay, bench.stripe]) {
    Object.assign(gateway, { faults: [], away: false });
    gateway.callbacks.events.length = 0;
  }
});

const topup = async (by = owner) => (await by.send('POST', '/billing/topup', { amount_paise: 10_000 })).body;
const payment = async (by = owner) => (await by.send('GET', '/billing/payments')).body[0];
const credits = async (by = owner) => (await movements(bench, by.workspace_id)).map(([, paise]) => paise);
async function lookAfter(ms: number): Promise<void> {
  bench.moveClock(ms);
  await bench.look();
}

describe('an open payment', () => {
  it.each(['INR', 'USD'] as const)('in %s is credited by a look when no callback comes', async (currency) => {
    const by = await bench.owner(currency);
    const { gateway } = await topup(by);
    await lookAfter(MINUTE_MS);
    expect(await payment(by)).toMatchObject({ status: 'created' });
    if (currency === 'INR') bench.razorpay.pay(gateway.order_id, { outcome: 'authorized' });
    else bench.stripe.pay(gateway.order_id);
    await lookAfter(MINUTE_MS);
    expect([await payment(by), await credits(by)]).toMatchObject([{ status: 'paid' }, [10_000]]);
  });

  it.each([
    ['expires after 30 minutes', [], 'expired'],
    ['has failed after 30 minutes when an attempt did', ['failed'], 'failed'],
  ] as const)('%s', async (_title, outcomes, status) => {
    const { id, gateway } = await topup();
    for (const outcome of outcomes) bench.razorpay.pay(gateway.order_id, { outcome });
    await lookAfter(29 * MINUTE_MS);
    expect(await payment()).toMatchObject({ status: 'created' });
    await lookAfter(2 * MINUTE_MS);
    expect(await payment()).toMatchObject({ id, status });
    const { razorpay_payment_id, razorpay_signature } = bench.razorpay.pay(gateway.order_id, { outcome: 'failed' });
    const back = { gateway_payment_id: razorpay_payment_id, gateway_signature: razorpay_signature };
    expect((await owner.send('POST', `/billing/payments/${id}/complete`, back)).status).toBe(409);
    bench.razorpay.capture(razorpay_payment_id);
    expect((await owner.send('POST', `/billing/payments/${id}/complete`, back)).body.status).toBe('paid');
    expect(await credits()).toEqual([10_000]);
  });

  it('expires while the gateway is away, and is credited when it is back', async () => {
    const { gateway } = await topup();
    bench.razorpay.pay(gateway.order_id);
    bench.razorpay.away = true;
    await lookAfter(31 * MINUTE_MS);
    expect(await payment()).toMatchObject({ status: 'expired' });
    bench.razorpay.away = false;
    await lookAfter(30 * MINUTE_MS);
    expect([await payment(), await credits()]).toMatchObject([{ status: 'paid' }, [10_000]]);
  });

  it.each([
    ['INR', 'razorpay'],
    ['USD', 'stripe'],
  ] as const)('in %s whose answer got lost is found by our id', async (currency, name) => {
    const by = await bench.owner(currency);
    bench[name].faults = ['lost after'];
    await topup(by);
    await lookAfter(MINUTE_MS);
    const order = [...(name === 'razorpay' ? bench.razorpay.orders : bench.stripe.sessions).keys()].at(-1)!;
    bench[name].pay(order);
    await lookAfter(MINUTE_MS);
    expect([await payment(by), await credits(by)]).toMatchObject([{ status: 'paid', failure_reason: '' }, [10_000]]);
  });

  it('is never looked at again after two weeks', async () => {
    await topup();
    for (let n = 0; n < 30; n++) await lookAfter(12 * 60 * MINUTE_MS);
    const due = await bench.api.sql`
      select next_look_at from payments where workspace_id = ${owner.workspace_id}`;
    expect(due).toMatchObject([{ next_look_at: null }]);
  });
});

describe('a process killed', () => {
  let owners: Record<'created' | 'ordered' | 'asked', UserClient>;
  let before: Record<'created' | 'ordered', { id: string; status: string; failure_reason: string }>;

  /** All at once, because a process takes long to start; then the payment whose order was made is paid, and all are looked at. */
  beforeAll(async () => {
    owners = { created: await bench.owner(), ordered: await bench.owner(), asked: await bench.owner() };
    const { id, gateway } = await topup(owners.asked);
    const { razorpay_payment_id, razorpay_signature } = bench.razorpay.pay(gateway.order_id);
    const reports = [...bench.razorpay.callbacks.events];
    await Promise.all([run('created'), run('ordered'), run('asked', id, razorpay_payment_id, razorpay_signature)]);
    before = { created: await payment(owners.created), ordered: await payment(owners.ordered) };
    expect(await credits(owners.asked)).toEqual([]);
    bench.razorpay.pay(orderOf(before.ordered.id)!.id);
    await Promise.all([lookAfter(31 * MINUTE_MS), ...reports.map((event) => bench.razorpay.callbacks.deliver(event))]);
  });
  const orderOf = (payment_id: string) =>
    [...bench.razorpay.orders.values()].find(({ receipt }) => receipt === payment_id);

  async function run(step: keyof typeof owners, ...rest: string[]): Promise<void> {
    const [database] = await bench.api.sql<{ name: string }[]>`select current_database() as name`;
    const url = inject('postgresUrl').replace(/[^/]*$/, database!.name);
    await runUntilKilled(PROGRAM, url, bench.razorpay.url, owners[step].workspace_id, step, ...rest);
  }

  it('between the answer of the gateway and its own commit credits once all the same', async () => {
    expect(await credits(owners.asked)).toEqual([10_000]);
  });

  it.each([
    ['created', 'expired', []],
    ['ordered', 'paid', [10_000]],
  ] as const)('after it had %s leaves a payment that is settled', async (step, status, credited) => {
    expect(before[step]).toMatchObject({ status: 'created', failure_reason: '' });
    expect(orderOf(before[step].id) !== undefined).toBe(step === 'ordered');
    const by = owners[step];
    expect([await payment(by), await credits(by)]).toMatchObject([{ status }, credited]);
  });
});
