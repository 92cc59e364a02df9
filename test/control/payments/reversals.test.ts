import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeCurrency } from '../../../control/billing/change-currency.ts';
import { reconcileReversals } from '../../../control/payments/reconcile-reversals.ts';
import type { UserClient } from '../../support/control-app.ts';
import { buyPack, movements, type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** Money that goes back: refunds and disputes. */

let bench: PaymentBench;
let owner: UserClient;
let count = 0;

beforeAll(async () => {
  bench = await startPaymentBench({ isSellerRegistered: true });
});
afterAll(() => bench.close());
beforeEach(async () => {
  owner = await bench.owner();
  for (const { callbacks } of [bench.razorpay, bench.stripe]) callbacks.events.length = 0;
});

const bought = () => buyPack(bench, owner);
const moved = async () => (await movements(bench, owner.workspace_id)).filter(([kind]) => kind === 'adjustment');
const payment = async () => (await owner.send('GET', '/billing/payments')).body[0];
const notes = () =>
  bench.api.sql`
    select total_paise, tax_paise from invoices
    where workspace_id = ${owner.workspace_id} and document = 'credit_note' order by number`;

/** At 88 rupees a dollar. */
const payInDollars = () =>
  bench.api.sql.begin((tx) =>
    changeCurrency(tx, { workspace_id: owner.workspace_id, to: 'USD', by_name: '', at_ms: Date.now() }),
  );

describe('a payment', () => {
  it('whose currency was changed meanwhile is credited converted', async () => {
    const { body } = await owner.send('POST', '/billing/topup', { amount_paise: 10_000 });
    await payInDollars();
    bench.razorpay.pay(body.gateway.order_id);
    await bench.deliver();
    expect(await movements(bench, owner.workspace_id)).toEqual([['topup', 114, 114, 0]]);
  });
});

describe('a refund', () => {
  it('takes credits and bonus back in proportion, with a credit note, to the last paisa', async () => {
    const id = await bought();
    for (const amount of [196_667, 196_667, 196_666]) bench.razorpay.refund(id, amount);
    await bench.deliver();
    expect(await moved()).toEqual([
      ['adjustment', -174_999, -166_666, -8_333],
      ['adjustment', -175_000, -166_667, -8_333],
      ['adjustment', -175_001, -166_667, -8_334],
    ]);
    const issued = await notes();
    expect(issued.map(({ total_paise }) => total_paise)).toEqual([196_667, 196_667, 196_666]);
    expect(issued.reduce((sum, { tax_paise }) => sum + tax_paise, 0)).toBe(90_000);
    expect(await payment()).toMatchObject({ status: 'paid', refunded_paise: 590_000 });
  });

  it('moves credits once, however often and in whatever order it is reported', async () => {
    const id = await bought();
    bench.razorpay.callbacks.events.length = 0;
    bench.razorpay.refund(id, 590_000);
    const events = bench.razorpay.callbacks.events;
    const reports = [...events].reverse().concat(events, events);
    await Promise.all(reports.map((event) => bench.razorpay.callbacks.deliver(event)));
    expect([await moved(), await notes()]).toMatchObject([
      [['adjustment', -525_000, -500_000, -25_000]],
      { length: 1 },
    ]);
  });

  it('that fails gives back what it took, without a credit note', async () => {
    const id = await bought();
    const { id: refund } = bench.razorpay.refund(id, 590_000, 'pending');
    await bench.deliver();
    expect([await moved(), await notes()]).toMatchObject([{ length: 1 }, { length: 0 }]);
    bench.razorpay.settleRefund(refund, 'failed');
    await bench.deliver();
    expect(await moved()).toEqual([
      ['adjustment', -525_000, -500_000, -25_000],
      ['adjustment', 525_000, 500_000, 25_000],
    ]);
    expect(await payment()).toMatchObject({ refunded_paise: 0 });
  });

  it('may be reported before its payment', async () => {
    const { body } = await owner.send('POST', '/billing/topup', { pack_id: 'inr-5000' });
    const { razorpay_payment_id } = bench.razorpay.pay(body.gateway.order_id);
    bench.razorpay.callbacks.events.length = 0;
    bench.razorpay.refund(razorpay_payment_id, 590_000);
    await bench.deliver();
    expect((await movements(bench, owner.workspace_id)).map(([kind]) => kind)).toEqual([
      'topup',
      'grant',
      'adjustment',
    ]);
  });

  it('of credits that are spent leaves a debt', async () => {
    const id = await bought();
    await bench.api.sql`
      update wallets set paid_paise = 1000, free_paise = 0 where workspace_id = ${owner.workspace_id}`;
    bench.razorpay.refund(id, 590_000);
    await bench.deliver();
    expect((await owner.send('GET', '/billing')).body.credits_paise).toBe(-524_000);
  });

  it('whose report got lost is found in the list of the gateway', async () => {
    const id = await bought();
    bench.razorpay.callbacks.events.length = 0;
    const refund = bench.razorpay.refund(id, 118_000, 'pending');
    bench.razorpay.dispute(id, { id: `disp_${++count}`, status: 'open', amount: 472_000 });
    const unknown = { id: 'rfnd_foreign', payment_id: 'pay_gone', amount: 100, currency: 'INR', status: 'processed' };
    bench.razorpay.refunds.set(unknown.id, { ...refund, ...unknown } as typeof refund);
    await reconcileReversals(bench.deps);
    refund.status = 'processed';
    await reconcileReversals(bench.deps);
    expect((await moved()).map(([, paise]) => paise)).toEqual([-105_000, -420_000]);
    expect(await notes()).toMatchObject([{ total_paise: 118_000 }]);
  });
});

describe('a dispute', () => {
  it('that is decided months later, and whose report got lost, is found in the list of the gateway', async () => {
    const id = await bought();
    const dispute = `disp_${++count}`;
    bench.razorpay.dispute(id, { id: dispute, status: 'open' });
    await bench.deliver();
    bench.razorpay.dispute(id, { id: dispute, status: 'lost' });
    bench.razorpay.callbacks.events.length = 0;
    const clock = { ...bench.deps.clock, wall: () => bench.deps.clock.wall() + 60 * 86_400_000 };
    await reconcileReversals({ ...bench.deps, clock });
    expect(await notes()).toMatchObject([{ total_paise: 590_000 }]);
  });

  it.each([
    ['won', [-525_000, 525_000], 0],
    ['lost', [-525_000], 1],
  ] as const)('that is %s', async (status, paise, issued) => {
    const id = await bought();
    const dispute = `disp_${++count}`;
    for (const each of ['open', 'under_review', status]) bench.razorpay.dispute(id, { id: dispute, status: each });
    await bench.deliver();
    expect((await moved()).map(([, amount]) => amount)).toEqual(paise);
    expect(await notes()).toHaveLength(issued);
  });

  it('that is won after the currency was changed gives back what it took, converted', async () => {
    const id = await bought();
    const dispute = `disp_${++count}`;
    bench.razorpay.dispute(id, { id: dispute, status: 'open' });
    await bench.deliver();
    await payInDollars();
    bench.razorpay.dispute(id, { id: dispute, status: 'won' });
    await bench.deliver();
    expect(await moved()).toEqual([
      ['adjustment', -525_000, -500_000, -25_000],
      ['adjustment', 5_966, 5_682, 284],
    ]);
  });

  it('that only asks takes nothing', async () => {
    const id = await bought();
    bench.razorpay.dispute(id, { id: `disp_${++count}`, status: 'open', phase: 'retrieval' });
    await bench.deliver();
    expect(await moved()).toEqual([]);
  });

  it('at Stripe is read like one at Razorpay', async () => {
    owner = await bench.owner('USD');
    const { body } = await owner.send('POST', '/billing/topup', { amount_paise: 10_000 });
    const intent = bench.stripe.pay(body.gateway.order_id).payment_intent!;
    const id = `du_${++count}`;
    for (const status of ['warning_needs_response', 'needs_response', 'lost'])
      bench.stripe.dispute(intent, { id, status });
    await bench.deliver();
    expect(await moved()).toEqual([['adjustment', -10_000, -10_000, 0]]);
    bench.stripe.dispute(intent, { id, status: 'won' });
    await bench.deliver();
    expect((await owner.send('GET', '/billing/payments')).body).toMatchObject([{ refunded_paise: 0 }]);
  });
});
