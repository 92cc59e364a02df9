import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentEvent } from '../../../fixtures/simulators/payment-callbacks.ts';
import { razorpaySignature } from '../../../fixtures/simulators/razorpay-state.ts';
import { stripeSignature } from '../../../fixtures/simulators/stripe-state.ts';
import type { UserClient } from '../../support/control-app.ts';
import { movements, type PaymentBench, RAZORPAY, STRIPE, startPaymentBench } from '../../support/payment-gateways.ts';

/** What gateways report by themselves, over real sockets: late, doubled, reordered, forged. */

const DAY_MS = 86_400_000;
let bench: PaymentBench;
let inr: UserClient;
let usd: UserClient;

beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  inr = await bench.owner();
  usd = await bench.owner('USD');
  Object.assign(bench.razorpay, { faults: [], away: false });
  for (const { callbacks } of [bench.razorpay, bench.stripe]) callbacks.events.length = 0;
});

async function topup(by: UserClient): Promise<{ id: string; order: string }> {
  const { body } = await by.send('POST', '/billing/topup', { amount_paise: 10_000 });
  return { id: body.id, order: body.gateway?.order_id };
}
const payment = async (by: UserClient) => (await by.send('GET', '/billing/payments')).body[0];
const credited = async (by: UserClient) =>
  (await movements(bench, by.workspace_id)).map(([kind, paise]) => [kind, paise]);
const ONCE = [['topup', 10_000]];
const post = (gateway: string, text: string, headers: Record<string, string>) =>
  fetch(`${bench.url}/hooks/payments/${gateway}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  }).then(({ status }) => status);
const seconds = () => Math.floor(bench.deps.clock.wall() / 1000);
const eventsOf = (gateway: 'razorpay' | 'stripe') => bench[gateway].callbacks.events;
/** The event's body, with its type. */
const typeOf = ({ text }: PaymentEvent) => JSON.parse(text).event ?? JSON.parse(text).type;

describe('one payment', () => {
  it('is credited once by 50 completions and callbacks of Razorpay at the same time', async () => {
    const { id, order } = await topup(inr);
    const { razorpay_payment_id, razorpay_signature } = bench.razorpay.pay(order);
    const back = { gateway_payment_id: razorpay_payment_id, gateway_signature: razorpay_signature };
    const complete = async () => (await inr.send('POST', `/billing/payments/${id}/complete`, back)).status;
    const events = eventsOf('razorpay');
    const reports = Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0 ? complete() : bench.razorpay.callbacks.deliver(events[n % events.length]!),
    );
    expect(new Set(await Promise.all(reports))).toEqual(new Set([200]));
    expect(await credited(inr)).toEqual(ONCE);
    const invoices = await bench.api.sql`select id from invoices where workspace_id = ${inr.workspace_id}`;
    expect(invoices).toHaveLength(1);
  });

  it('is credited once by 50 completions and callbacks of Stripe at the same time', async () => {
    const { id, order } = await topup(usd);
    bench.stripe.pay(order);
    const complete = async () =>
      (await usd.send('POST', `/billing/payments/${id}/complete`, { gateway_payment_id: order })).status;
    const [event] = eventsOf('stripe');
    const reports = Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0 ? complete() : bench.stripe.callbacks.deliver(event!),
    );
    expect(new Set(await Promise.all(reports))).toEqual(new Set([200]));
    expect(await credited(usd)).toEqual(ONCE);
  });

  it('is credited by callbacks alone, in any order, and stays paid', async () => {
    const { order } = await topup(inr);
    bench.razorpay.pay(order, { outcome: 'failed' });
    bench.razorpay.pay(order);
    for (const event of [...eventsOf('razorpay')].reverse()) {
      expect(await bench.razorpay.callbacks.deliver(event)).toBe(200);
      expect(await payment(inr)).toMatchObject({ status: 'paid', failure_reason: '' });
    }
    expect(await credited(inr)).toEqual(ONCE);
  });

  it('stays open after a failed attempt, and says why it failed', async () => {
    const { order } = await topup(inr);
    bench.razorpay.pay(order, { outcome: 'failed' });
    await bench.deliver();
    const failure_reason = 'Payment was unsuccessful as the bank declined it';
    expect(await payment(inr)).toMatchObject({ status: 'created', failure_reason });
  });

  it.each([0, 1])('is credited when its money arrives three days after it failed (event %i)', async (which) => {
    const { order } = await topup(inr);
    const { razorpay_payment_id } = bench.razorpay.pay(order, { outcome: 'failed' });
    await bench.deliver();
    bench.moveClock(3 * DAY_MS);
    await bench.look();
    expect(await payment(inr)).toMatchObject({ status: 'failed' });
    eventsOf('razorpay').length = 0;
    bench.razorpay.capture(razorpay_payment_id);
    await bench.razorpay.callbacks.deliver(eventsOf('razorpay')[which]!);
    expect([await payment(inr), await credited(inr)]).toMatchObject([{ status: 'paid' }, ONCE]);
  });

  it('is found by the gateway when the callback knows an order that was never answered', async () => {
    bench.razorpay.faults = ['lost after'];
    await topup(inr);
    const order = [...bench.razorpay.orders.keys()].at(-1)!;
    bench.razorpay.pay(order);
    bench.razorpay.away = true;
    const captured = eventsOf('razorpay').find((event) => typeOf(event) === 'payment.captured')!;
    expect(await bench.razorpay.callbacks.deliver(captured)).toBe(502);
    bench.razorpay.away = false;
    expect(await bench.razorpay.callbacks.deliver(captured)).toBe(200);
    expect(await credited(inr)).toEqual(ONCE);
  });

  it('that came on top of a paid order is credited as a payment of its own', async () => {
    const { order } = await topup(inr);
    const late = bench.razorpay.pay(order, { outcome: 'failed' });
    bench.razorpay.pay(order);
    bench.razorpay.capture(late.razorpay_payment_id);
    await bench.deliver();
    for (const event of eventsOf('razorpay')) await bench.razorpay.callbacks.deliver(event);
    expect(await credited(inr)).toEqual([...ONCE, ...ONCE]);
    expect((await inr.send('GET', '/billing/payments')).body).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
  });

  it.each([
    ['succeeded', { status: 'paid', failure_reason: '' }, ONCE],
    ['failed', { status: 'failed', failure_reason: 'the payment failed' }, []],
  ] as const)('by a delayed method of Stripe waits until it has %s', async (outcome, end, moved) => {
    const { order } = await topup(usd);
    bench.stripe.pay(order, 'delayed');
    await bench.deliver();
    bench.moveClock(2 * DAY_MS);
    await bench.look();
    expect(await payment(usd)).toMatchObject({ status: 'created' });
    bench.stripe.settle(order, outcome);
    await bench.deliver();
    expect([await payment(usd), await credited(usd)]).toMatchObject([end, moved]);
  });

  it('of an expired session of Stripe is over', async () => {
    const { order } = await topup(usd);
    bench.stripe.expire(order);
    await bench.deliver();
    expect(await payment(usd)).toMatchObject({ status: 'expired', failure_reason: '' });
  });
});

describe('a callback', () => {
  it('with a wrong, missing or foreign signature moves nothing', async () => {
    const [{ order }, { order: session }] = [await topup(inr), await topup(usd)];
    bench.razorpay.pay(order);
    bench.stripe.pay(session);
    const body = eventsOf('razorpay').at(-1)!.text;
    const event = eventsOf('stripe').at(-1)!.text;
    const razorpay = (signature: string, text = body) => post('razorpay', text, { 'x-razorpay-signature': signature });
    const stripe = (signature: string, text = event) => post('stripe', text, { 'stripe-signature': signature });
    const right = razorpaySignature(RAZORPAY.webhook_secrets[0]!, body);
    const at = seconds();
    const rightStripe = stripeSignature(STRIPE.webhook_secrets, at, event);
    const statuses = [
      await razorpay(''),
      await razorpay('0'.repeat(64)),
      await razorpay(`${right}0`),
      await razorpay(razorpaySignature(RAZORPAY.key_secret, body)),
      await razorpay(razorpaySignature(STRIPE.webhook_secrets[0]!, body)),
      await razorpay(right, body.replace('10000', '10001')),
      await post('razorpay', body, {}),
      await stripe(''),
      await stripe(`t=${seconds()}`),
      await stripe(rightStripe.replace(/^t=\d+/, `t=${at - 1}`)),
      await stripe(stripeSignature(['whsec_other'], seconds(), event)),
      await stripe(stripeSignature(STRIPE.webhook_secrets, seconds() - 301, event)),
      await stripe(stripeSignature(STRIPE.webhook_secrets, seconds() + 400, event)),
      await stripe(rightStripe, `${event} `),
      await post('razorpay', '{not json', { 'x-razorpay-signature': right }),
    ];
    expect(statuses).toEqual(statuses.map(() => 400));
    expect([await credited(inr), await credited(usd)]).toEqual([[], []]);
  });

  it('is refused when Razorpay made it more than 16 days ago', async () => {
    const { order } = await topup(inr);
    bench.razorpay.pay(order);
    bench.moveClock(17 * DAY_MS);
    const event = eventsOf('razorpay').at(-1)!;
    expect(await bench.razorpay.callbacks.deliver(event)).toBe(400);
    expect(await credited(inr)).toEqual([]);
  });

  it('may carry the signature of the secret that is being replaced', async () => {
    const { order } = await topup(inr);
    bench.razorpay.pay(order);
    const { text } = eventsOf('razorpay').at(-1)!;
    expect(await post('razorpay', text, { 'x-razorpay-signature': razorpaySignature('rw-old', text) })).toBe(200);
    const { order: session } = await topup(usd);
    bench.stripe.pay(session);
    const event = eventsOf('stripe').at(-1)!.text;
    const signature = stripeSignature(['whsec_old'], seconds(), event);
    expect(await post('stripe', event, { 'stripe-signature': signature })).toBe(200);
    expect([await credited(inr), await credited(usd)]).toEqual([ONCE, ONCE]);
  });

  it('of another product, of an unknown kind or without an order changes nothing', async () => {
    const order = bench.razorpay.createOrder({ amount: 10_000, currency: 'INR', receipt: 'somebody else', notes: {} });
    bench.razorpay.pay(order.id);
    const entity = { id: 'pay_1', status: 'captured', amount: 10_000, currency: 'INR', order_id: null };
    bench.razorpay.callbacks.push('e1', {
      event: 'payment.captured',
      created_at: seconds(),
      payload: { payment: { entity } },
    });
    bench.razorpay.callbacks.push('e2', { event: 'subscription.charged', created_at: seconds(), payload: {} });
    bench.stripe.callbacks.push('e3', { type: 'customer.created', data: { object: { id: 'cus_1' } } });
    bench.stripe.callbacks.push('e4', { type: 'checkout.session.completed' });
    const [before] = await bench.api.sql`select count(*) as rows from ledger`;
    await bench.deliver();
    expect([...eventsOf('razorpay'), ...eventsOf('stripe')].map(({ over }) => over)).not.toContain(false);
    expect((await bench.api.sql`select count(*) as rows from ledger`)[0]).toEqual(before);
  });

  it('of a gateway that does not exist is a 404', async () => {
    expect(await post('paypal', '{}', {})).toBe(404);
  });
});
