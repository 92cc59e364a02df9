import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyOrder } from '../../../control/payments/apply-order.ts';
import { startTestApi, type UserClient } from '../../support/control-app.ts';
import { movements, type PaymentBench, startPaymentBench } from '../../support/payment-gateways.ts';

/** Buying credits: order, checkout, completion. */

let bench: PaymentBench;
let owner: UserClient;

beforeAll(async () => {
  bench = await startPaymentBench({ isSellerRegistered: true });
});
afterAll(() => bench.close());
beforeEach(async () => {
  owner = await bench.owner();
  Object.assign(bench.razorpay, { faults: [], away: false });
  Object.assign(bench.stripe, { faults: [], away: false });
});

const topup = (body: object, by = owner, headers = {}) => by.send('POST', '/billing/topup', body, headers);
const list = async (by = owner) => (await by.send('GET', '/billing/payments')).body;
const complete = (id: string, body: object, by = owner) => by.send('POST', `/billing/payments/${id}/complete`, body);
/** What the browser sends after Razorpay's checkout. */
const paidWith = (orderId: string, attempt = {}) => {
  const { razorpay_payment_id, razorpay_signature } = bench.razorpay.pay(orderId, attempt);
  return { gateway_payment_id: razorpay_payment_id, gateway_signature: razorpay_signature };
};

describe('POST /billing/topup', () => {
  it('makes a payment with its tax, and what the checkout of Razorpay needs', async () => {
    const { status, body } = await topup({ amount_paise: 100_000 });
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ status: 'created', amount_paise: 100_000, bonus_paise: 0, tax_paise: 18_000, total_paise: 118_000 },
        ...{ currency: 'INR', pack_id: null, invoice_id: null, paid_at: null, created_by: 'The owner', method: '' },
        gateway: {
          name: 'razorpay',
          public_key: 'rzp_test_1',
          script_url: bench.razorpay.checkout_url,
          checkout_url: '',
        },
      },
    ]);
    const { gateway, ...payment } = body;
    expect(bench.razorpay.orders.get(gateway.order_id)).toMatchObject({ amount: 118_000, receipt: payment.id });
    expect(await list()).toEqual([payment]);
  });

  it("sends the browser to Stripe's page for dollars", async () => {
    const dollars = await bench.owner('USD');
    const { status, body } = await topup({ pack_id: 'usd-100' }, dollars);
    expect([status, body]).toMatchObject([
      201,
      { amount_paise: 10_000, bonus_paise: 500, total_paise: 10_000, currency: 'USD', pack_id: 'usd-100' },
    ]);
    const session = bench.stripe.sessions.get(body.gateway.order_id)!;
    expect(body.gateway).toMatchObject({ name: 'stripe', script_url: '', checkout_url: session.url });
    expect(session).toMatchObject({ amount_total: 10_000, currency: 'usd', client_reference_id: body.id });
    expect(session.success_url).toContain(`/?payment=${body.id}&session={CHECKOUT_SESSION_ID}`);
  });

  it.each([
    [{ amount_paise: 9_999 }, 422],
    [{ amount_paise: 50_000_001 }, 422],
    [{ amount_paise: 100_000, pack_id: 'inr-1000' }, 422],
    [{}, 422],
    [{ pack_id: 'usd-100' }, 404],
  ])('refuses %j', async (body, status) => {
    expect((await topup(body)).status).toBe(status);
    expect(await list()).toEqual([]);
  });

  it('says clearly that no gateway is set up', async () => {
    const api = await startTestApi();
    const detail = 'top-ups in INR are not possible: no payment gateway is set up for it';
    expect(await topup({ amount_paise: 100_000 }, await api.asUser('owner'))).toMatchObject({
      status: 409,
      body: { detail },
    });
  });

  it('is a 502 when the gateway refuses or is away, and the payment says what is known', async () => {
    bench.razorpay.faults = ['refused', 'lost before', 'error after'];
    for (const _ of bench.razorpay.faults.slice()) expect((await topup({ amount_paise: 10_000 })).status).toBe(502);
    expect(await list()).toMatchObject([
      { status: 'created', failure_reason: 'the payment gateway did not answer' },
      { status: 'created', failure_reason: 'the payment gateway did not answer' },
      { status: 'failed', failure_reason: 'the payment gateway refused: Currency is not supported' },
    ]);
  });

  it('answers the same for the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await topup({ amount_paise: 10_000 }, owner, key);
    expect((await topup({ amount_paise: 10_000 }, owner, key)).body).toEqual(first.body);
    expect(await list()).toHaveLength(1);
  });

  it('limits unfinished payments', async () => {
    for (let n = 0; n < 20; n++) expect((await topup({ amount_paise: 10_000 })).status).toBe(201);
    expect((await topup({ amount_paise: 10_000 })).status).toBe(409);
  });
});

describe('a completed checkout', () => {
  it('credits the pack with its bonus and a waiting coupon, with an invoice, once', async () => {
    await bench.api.sql`
      insert into coupons (id, code, kind, currency, percent, max_paise, min_topup_paise, once_per_workspace, enabled, created_at)
      values (md5(random()::text), 'MORE', 'topup_bonus', 'INR', 10, 30000, 100000, true, true, now())
      on conflict do nothing`;
    await owner.send('POST', '/billing/coupons/redeem', { code: 'more' });
    const { body } = await topup({ pack_id: 'inr-5000' });
    const back = paidWith(body.gateway.order_id);
    const done = await complete(body.id, back);
    expect([done.status, done.body]).toMatchObject([
      200,
      { status: 'paid', bonus_paise: 55_000, method: 'upi', failure_reason: '', total_paise: 590_000 },
    ]);
    expect(await movements(bench, owner.workspace_id)).toEqual([
      ['topup', 500_000, 500_000, 0],
      ['grant', 25_000, 0, 25_000],
      ['grant', 30_000, 0, 30_000],
    ]);
    const [invoice] = await bench.api.sql`select * from invoices where id = ${done.body.invoice_id}`;
    expect(invoice).toMatchObject({ payment_id: body.id, amount_paise: 500_000, tax_paise: 90_000, kind: 'topup' });
    expect((await complete(body.id, back)).body).toEqual(done.body);
    expect((await owner.send('GET', '/billing')).body.pending_bonus).toBeNull();
  });

  it('leaves a coupon waiting when the top-up is too small for it', async () => {
    await owner.send('POST', '/billing/coupons/redeem', { code: 'MORE' });
    const { body } = await topup({ amount_paise: 99_999 });
    expect((await complete(body.id, paidWith(body.gateway.order_id))).body).toMatchObject({ bonus_paise: 0 });
    expect((await owner.send('GET', '/billing')).body.pending_bonus).toMatchObject({ code: 'MORE' });
  });

  it('leaves a coupon waiting when the same order is paid a second time', async () => {
    const { body } = await topup({ pack_id: 'inr-5000' });
    await complete(body.id, paidWith(body.gateway.order_id));
    await owner.send('POST', '/billing/coupons/redeem', { code: 'MORE' });
    const second = { id: 'pay_second', status: 'captured', amount_paise: 590_000, currency: 'INR' } as const;
    const payments = [{ ...second, method: 'upi', failure_reason: '' }];
    await applyOrder(bench.deps, 'razorpay', { id: body.gateway.order_id, reference: '', state: 'open', payments });
    expect((await list()).map(({ bonus_paise }: { bonus_paise: number }) => bonus_paise)).toEqual([0, 25_000]);
    expect((await owner.send('GET', '/billing')).body.pending_bonus).toMatchObject({ code: 'MORE' });
  });

  it("is credited from Stripe's session, whatever the browser says of it", async () => {
    const dollars = await bench.owner('USD');
    const { body } = await topup({ amount_paise: 2_000 }, dollars);
    const back = { gateway_payment_id: body.gateway.order_id };
    expect((await complete(body.id, back, dollars)).body).toMatchObject({ status: 'created' });
    const { payment_intent } = bench.stripe.pay(body.gateway.order_id);
    expect((await complete(body.id, { gateway_payment_id: payment_intent }, dollars)).status).toBe(400);
    expect((await complete(body.id, back, dollars)).body).toMatchObject({ status: 'paid', method: 'card' });
    expect(await movements(bench, dollars.workspace_id)).toEqual([['topup', 2_000, 2_000, 0]]);
  });

  it('is a 400 with a signature that is not of this order', async () => {
    const [mine, other] = [(await topup({ amount_paise: 10_000 })).body, (await topup({ amount_paise: 10_000 })).body];
    const forged = { gateway_payment_id: 'pay_1', gateway_signature: '00'.repeat(32) };
    const foreign = paidWith(other.gateway.order_id);
    for (const back of [forged, foreign, { ...foreign, gateway_signature: '' }]) {
      expect((await complete(mine.id, back)).status).toBe(400);
    }
    expect(await movements(bench, owner.workspace_id)).toEqual([]);
  });

  it('is a 502 while the gateway is away, and a 404 in another workspace', async () => {
    const { body } = await topup({ amount_paise: 10_000 });
    const back = paidWith(body.gateway.order_id);
    bench.razorpay.away = true;
    expect((await complete(body.id, back)).status).toBe(502);
    bench.razorpay.away = false;
    expect((await complete(body.id, back, await bench.owner())).status).toBe(404);
    expect((await complete(body.id, back)).body.status).toBe('paid');
  });

  it('captures money that the account would only have authorized', async () => {
    const { body } = await topup({ amount_paise: 10_000 });
    const done = await complete(body.id, paidWith(body.gateway.order_id, { outcome: 'authorized' }));
    expect(done.body.status).toBe('paid');
  });

  it.each([{ amount: 100 }, { currency: 'USD' }])('credits nothing when %j was paid', async (attempt) => {
    const { body } = await topup({ amount_paise: 10_000 });
    const done = await complete(body.id, paidWith(body.gateway.order_id, attempt));
    const failure_reason = 'the amount that was paid is not the amount of the order';
    expect(done.body).toMatchObject({ status: 'created', failure_reason });
    expect(await movements(bench, owner.workspace_id)).toEqual([]);
  });
});
