import type { AddressInfo } from 'node:net';
import { readControlConfig } from '../../control/config.ts';
import { configuredGateways } from '../../control/payments/configured-gateways.ts';
import { lookAtPayment } from '../../control/payments/look-at-payments.ts';
import { LOOK_LEASE_MS } from '../../control/payments/look-policy.ts';
import type { PaymentDeps, PaymentLogLine } from '../../control/payments/payment-deps.ts';
import { leaseDuePayments } from '../../control/payments/store.ts';
import { type RazorpaySimulator, startRazorpay } from '../../fixtures/simulators/razorpay.ts';
import { type StripeSimulator, startStripe } from '../../fixtures/simulators/stripe.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { startTestApi, type TestApi, type UserClient } from './control-app.ts';
import { registerSeller } from './invoices.ts';

/** The API with both payment gateways, all over real sockets, and a clock that tests move. */
export interface PaymentBench {
  api: TestApi;
  razorpay: RazorpaySimulator;
  stripe: StripeSimulator;
  /** The API's own address. */
  url: string;
  deps: PaymentDeps;
  logged: PaymentLogLine[];
  moveClock(ms: number): void;
  owner(currency?: 'INR' | 'USD'): Promise<UserClient>;
  /** The looks of the background job that are due, as two processes do them. */
  look(): Promise<void>;
  /** Sends callbacks that are due, to the end. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

export const RAZORPAY = { key_id: 'rzp_test_1', key_secret: 'rk', webhook_secrets: ['rw-new', 'rw-old'] };
export const STRIPE = { secret_key: 'sk_test_1', webhook_secrets: ['whsec_new', 'whsec_old'] };

export function gatewaySettings(razorpay: RazorpaySimulator, stripe: StripeSimulator): Record<string, string> {
  return {
    ...{ RAZORPAY_KEY_ID: RAZORPAY.key_id, RAZORPAY_KEY_SECRET: RAZORPAY.key_secret, RAZORPAY_API_URL: razorpay.url },
    ...{ RAZORPAY_WEBHOOK_SECRET: RAZORPAY.webhook_secrets.join(), RAZORPAY_CHECKOUT_URL: razorpay.checkout_url },
    ...{ STRIPE_SECRET_KEY: STRIPE.secret_key, STRIPE_API_URL: stripe.url },
    STRIPE_WEBHOOK_SECRET: STRIPE.webhook_secrets.join(),
  };
}

/** With a seller who is registered for GST, payments in rupees have tax. */
export async function startPaymentBench({ isSellerRegistered = false } = {}): Promise<PaymentBench> {
  let shiftedMs = 0;
  const clock = { ...systemClock, wall: () => Date.now() + shiftedMs };
  const razorpay = await startRazorpay({ ...RAZORPAY, clock });
  const stripe = await startStripe({ ...STRIPE, clock });
  const settings = gatewaySettings(razorpay, stripe);
  const api = await startTestApi({}, settings, { clock });
  if (isSellerRegistered) await registerSeller(api.sql);
  await api.http.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(api.http.server.address() as AddressInfo).port}`;
  razorpay.callbacks.url = `${url}/hooks/payments/razorpay`;
  stripe.callbacks.url = `${url}/hooks/payments/stripe`;
  const needed = { DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: 'x' };
  const logged: PaymentLogLine[] = [];
  const deps: PaymentDeps = {
    ...{ sql: api.sql, clock, log: createLogger('control', 'silent'), returnUrl: 'http://console/' },
    gateways: configuredGateways(readControlConfig({ ...needed, ...settings })),
    writeLog: (line) => logged.push(line),
  };
  return {
    ...{ api, razorpay, stripe, url, deps, logged },
    moveClock(ms) {
      shiftedMs += ms;
    },
    async owner(currency = 'INR') {
      const owner = await api.asUser('owner');
      const country = currency === 'INR' ? 'IN' : 'US';
      await api.sql`
        update workspaces set currency = ${currency}, profile = profile || ${api.sql.json({ country })}
        where id = ${owner.workspace_id}`;
      return owner;
    },
    async look() {
      const at = new Date(clock.wall());
      const until = new Date(clock.wall() + LOOK_LEASE_MS);
      const leases = [0, 1].map(() => leaseDuePayments(api.sql, 20, at, until));
      for (const due of await Promise.all(leases)) await Promise.all(due.map((each) => lookAtPayment(deps, each)));
    },
    async deliver() {
      await razorpay.callbacks.deliverDue();
      await stripe.callbacks.deliverDue();
    },
    async close() {
      await razorpay.close();
      await stripe.close();
    },
  };
}

/** Buys the pack of 5,000 rupees with its bonus of 250, for 5,900 with GST. Returns the gateway's id of the payment. */
export async function buyPack(bench: PaymentBench, owner: UserClient): Promise<string> {
  const { body } = await owner.send('POST', '/billing/topup', { pack_id: 'inr-5000' });
  const { razorpay_payment_id } = bench.razorpay.pay(body.gateway.order_id);
  await bench.deliver();
  return razorpay_payment_id;
}

/** What the ledger has for a workspace's payments: kind, amount, paid and free part, oldest first. */
export async function movements(
  { api }: PaymentBench,
  workspaceId: string,
): Promise<[string, number, number, number][]> {
  const rows = await api.sql<{ kind: string; amount_paise: number; paid_paise: number; free_paise: number }[]>`
    select kind, amount_paise, paid_paise, free_paise from ledger
    where workspace_id = ${workspaceId} and payment_id is not null order by seq`;
  return rows.map(({ kind, amount_paise, paid_paise, free_paise }) => [kind, amount_paise, paid_paise, free_paise]);
}
