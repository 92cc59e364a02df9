import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewOrder } from '../../../control/payments/gateway.ts';
import { razorpay } from '../../../control/payments/razorpay.ts';
import { stripe } from '../../../control/payments/stripe.ts';
import { createPaymentCallbacks } from '../../../fixtures/simulators/payment-callbacks.ts';
import { type RazorpaySimulator, startRazorpay } from '../../../fixtures/simulators/razorpay.ts';
import { type StripeSimulator, startStripe } from '../../../fixtures/simulators/stripe.ts';
import { RAZORPAY, STRIPE } from '../../support/payment-gateways.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** Adapters and simulators against published signatures and Stripe's own client. */

const now_ms = 1_700_000_000_000;
const headers = (all: Record<string, string>) => (name: string) => all[name] ?? '';

let simulators: { razorpay: RazorpaySimulator; stripe: StripeSimulator };
let client: Stripe;

beforeAll(async () => {
  simulators = { razorpay: await startRazorpay(RAZORPAY), stripe: await startStripe(STRIPE) };
  const { hostname: host, port } = new URL(simulators.stripe.url);
  client = new Stripe(STRIPE.secret_key, { host, port, protocol: 'http', maxNetworkRetries: 0 });
});
afterAll(() => Promise.all([simulators.razorpay.close(), simulators.stripe.close()]));

const gateways = {
  razorpay: (webhook_secrets = RAZORPAY.webhook_secrets, key_secret = RAZORPAY.key_secret) => {
    const { url: api_url, checkout_url } = simulators.razorpay;
    return razorpay({ key_id: RAZORPAY.key_id, key_secret, webhook_secrets, api_url, checkout_url });
  },
  stripe: (webhook_secrets = STRIPE.webhook_secrets) => {
    const api_url = simulators.stripe.url;
    return stripe({ secret_key: STRIPE.secret_key, publishable_key: '', webhook_secrets, api_url });
  },
};

describe('the signature', () => {
  it("of Razorpay's checkout is that of its documentation", () => {
    const gateway = gateways.razorpay([], 'test_secret_123');
    const gateway_signature = '8996b210a7bd76beb7c2aec0311df2ed3688818c2b09938b64133bd40a125bb1';
    const completion = { gateway_payment_id: 'pay_TEST00000001', gateway_signature };
    expect(gateway.verifyCompletion('order_TEST00000001', completion)).toBe(true);
    expect(gateway.verifyCompletion('order_TEST00000002', completion)).toBe(false);
  });

  it("of Razorpay's callback is that of its documentation", () => {
    const raw = '{"entity":"event","event":"payment.captured"}';
    const signature = 'c0a001608994ad76baf83ec52fb3290edfabca1d36bfb6f65efff5c53a6a342e';
    const header = headers({ 'x-razorpay-signature': signature });
    // It says no time.
    expect(gateways.razorpay(['whsec_local']).readCallback({ raw, header, now_ms })).toBe('too old');
    expect(gateways.razorpay(['other']).readCallback({ raw, header, now_ms })).toBe('wrong signature');
  });

  it("of Stripe's callback is that of its documentation, and of Stripe's own client", () => {
    const raw = '{"id":"evt_1","type":"checkout.session.completed"}';
    const v1 = '1f813c7685cb9ec7864b2a016f2dc2a01f2496be69fbece43cd455468a340367';
    const header = headers({ 'stripe-signature': `t=1700000000,v1=${v1}` });
    const gateway = gateways.stripe(['whsec_local']);
    expect(gateway.readCallback({ raw, header, now_ms })).toEqual({ about: 'nothing' });
    const made = Stripe.webhooks.generateTestHeaderString({
      payload: raw,
      secret: 'whsec_local',
      timestamp: now_ms / 1000,
    });
    const callback = { raw, header: headers({ 'stripe-signature': made }), now_ms };
    expect(gateway.readCallback(callback)).toEqual({ about: 'nothing' });
    expect(gateways.stripe(['whsec_other']).readCallback(callback)).toBe('wrong signature');
  });
});

describe("Stripe's own client", () => {
  const parameters: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 2_000, product_data: { name: 'Credits' } } },
    ],
    success_url: 'https://example.com/?s={CHECKOUT_SESSION_ID}',
    metadata: { order: 'o1' },
  };

  it('finds sessions, keys and events of the simulator as it expects them', async () => {
    const session = await client.checkout.sessions.create(parameters, { idempotencyKey: 'k1' });
    expect(session).toMatchObject({ status: 'open', amount_total: 2_000, metadata: { order: 'o1' } });
    expect((await client.checkout.sessions.create(parameters, { idempotencyKey: 'k1' })).id).toBe(session.id);
    const other = client.checkout.sessions.create({ ...parameters, mode: 'setup' }, { idempotencyKey: 'k1' });
    await expect(other).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
    const { payment_intent } = simulators.stripe.pay(session.id);
    const found = await client.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
    expect(found).toMatchObject({
      payment_status: 'paid',
      payment_intent: { id: payment_intent, status: 'succeeded' },
    });
    expect((await client.checkout.sessions.list({ payment_intent: payment_intent! })).data).toHaveLength(1);
    const { text } = simulators.stripe.callbacks.events.at(-1)!;
    const header = Stripe.webhooks.generateTestHeaderString({ payload: text, secret: 'whsec_new' });
    expect(Stripe.webhooks.constructEvent(text, header, 'whsec_new').type).toBe('checkout.session.completed');
  });

  it('gets an error 500 again for the same key', async () => {
    simulators.stripe.faults = ['error after'];
    const create = () => client.checkout.sessions.create(parameters, { idempotencyKey: 'k2' });
    for (const _ of [1, 2]) await expect(create()).rejects.toMatchObject({ statusCode: 500 });
    await expect(client.checkout.sessions.create({ ...parameters, expires_at: 1 })).rejects.toMatchObject({
      statusCode: 400,
    });
  });
});

describe('the lists of the account', () => {
  it('are read to the end', async () => {
    const orders = Array.from({ length: 130 }, () =>
      simulators.razorpay.createOrder({ amount: 10_000, currency: 'INR', receipt: null, notes: {} }),
    );
    const paid = orders.map(({ id }) => simulators.razorpay.pay(id).razorpay_payment_id);
    const failed = simulators.razorpay.createOrder({ amount: 10_000, currency: 'INR', receipt: null, notes: {} });
    simulators.razorpay.pay(failed.id, { outcome: 'failed' });
    const listed = await gateways.razorpay().listPayments(Date.now() - 60_000, Date.now() + 60_000);
    expect(listed.map(({ id }) => id).sort()).toEqual(paid.sort());
    expect(listed).toContainEqual(expect.objectContaining({ order_id: orders[0]!.id, amount_paise: 10_000 }));
  });
});

describe('the callbacks of a simulated gateway', () => {
  it('are sent again with growing pauses for a day, and then never more', async () => {
    const clock = createVirtualClock();
    const callbacks = createPaymentCallbacks({
      ...{ clock, automatic: false, firstPauseMs: 60_000, giveUpAfterMs: 86_400_000, headersOf: () => ({}) },
    });
    callbacks.url = 'http://127.0.0.1:9';
    callbacks.push('e1', {});
    const sentAt: number[] = [];
    for (let minute = 0; minute < 26 * 60; minute++) {
      const before = callbacks.events[0]!.attempts;
      await callbacks.deliverDue();
      if (callbacks.events[0]!.attempts > before) sentAt.push(minute);
      await clock.advance(60_000);
    }
    expect(sentAt).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023]);
    expect(callbacks.disabled).toBe(true);
  });
});

describe('an answer that is not readable', () => {
  const order: NewOrder = {
    ...{ payment_id: 'a'.repeat(32), total_paise: 100, currency: 'INR', description: 'Prepaid credits' },
    ...{ created_at: new Date(now_ms), expires_at: new Date(now_ms + 60_000), return_url: 'http://console/' },
  };

  it.each(['<html>', '', '{}'])('leaves open whether there is an order: %s', async (body) => {
    const [gateway, close] = await answering(body);
    expect(await gateway.createOrder(order)).toEqual({ outcome: 'unknown', reason: 'its answer is not readable' });
    await close();
  });

  it('is no empty list', async () => {
    const [gateway, close] = await answering('<html>');
    await expect(gateway.listReversals(now_ms, now_ms + 1)).rejects.toThrow('its answer is not readable');
    await close();
  });

  async function answering(body: string): Promise<[ReturnType<typeof razorpay>, () => Promise<unknown>]> {
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => new Promise((done) => server.close(done).closeAllConnections());
    return [razorpay({ ...RAZORPAY, api_url, checkout_url: `${api_url}/checkout.js` }), close];
  }
});
