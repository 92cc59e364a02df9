import { randomBytes } from 'node:crypto';
import { type RazorpaySimulator, startRazorpay } from '../../fixtures/simulators/razorpay.ts';
import { type StripeSimulator, startStripe } from '../../fixtures/simulators/stripe.ts';
import { type NumberCarriers, startNumberCarriers } from '../support/number-carriers.ts';
import { startProxy } from './slow-proxy.ts';

/** Whom the service trades with: both payment gateways and the carriers that rent numbers, each slow enough to be interrupted. */
export interface MoneyPartners {
  razorpay: RazorpaySimulator;
  stripe: StripeSimulator;
  carriers: NumberCarriers;
  /** Of control. */
  settings: Record<string, string>;
  /** Where callbacks go; `onSent` learns of each until it is answered. */
  sendCallbacksTo(apiUrls: readonly string[], onSent: (apiUrl: string) => (status: number) => void): Promise<void>;
  close(): Promise<void>;
}

const MAX_DELAY_MS = 350;

export async function startMoneyPartners(random: () => number): Promise<MoneyPartners> {
  const razorpayAccount = { key_id: 'rzp_test_1', key_secret: 'rk', webhook_secrets: ['rw'] };
  const stripeAccount = { secret_key: 'sk_test_1', webhook_secrets: ['whsec'] };
  const razorpay = await startRazorpay({ ...razorpayAccount, automatic: true });
  const stripe = await startStripe({ ...stripeAccount, automatic: true });
  const carriers = await startNumberCarriers();
  const closing: (() => Promise<unknown>)[] = [() => razorpay.close(), () => stripe.close(), () => carriers.close()];
  const slow = async (target: string) => {
    const proxy = await startProxy(
      () => ({ url: target }),
      () => random() * MAX_DELAY_MS,
    );
    closing.unshift(proxy.close);
    return proxy.url;
  };
  const { plivo, telnyx, exotel } = carriers.simulators;
  return {
    ...{ razorpay, stripe, carriers },
    settings: {
      ...{ RAZORPAY_KEY_ID: 'rzp_test_1', RAZORPAY_KEY_SECRET: 'rk', RAZORPAY_WEBHOOK_SECRET: 'rw' },
      ...{ RAZORPAY_API_URL: await slow(razorpay.url), RAZORPAY_CHECKOUT_URL: razorpay.checkout_url },
      ...{ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec', STRIPE_API_URL: await slow(stripe.url) },
      ...{ PLIVO_AUTH_ID: 'MA1', PLIVO_AUTH_TOKEN: 'secret', PLIVO_APPLICATION_ID: '77' },
      ...{ PLIVO_API_URL: await slow(plivo.url), TELNYX_API_URL: await slow(telnyx.url) },
      ...{ TELNYX_API_KEY: 'key', TELNYX_CONNECTION_ID: '99', TELNYX_PUBLIC_KEY: randomBytes(32).toString('base64') },
      ...{ EXOTEL_ACCOUNT_SID: 'acme1', EXOTEL_API_KEY: 'key', EXOTEL_API_TOKEN: 'secret', EXOTEL_APP_ID: '4711' },
      ...{ EXOTEL_CALLBACK_KEY: randomBytes(16).toString('hex'), EXOTEL_API_URL: await slow(exotel.url) },
    },
    async sendCallbacksTo(apiUrls, onSent) {
      let sent = 0;
      const proxy = await startProxy(
        () => {
          const url = apiUrls[sent++ % apiUrls.length]!;
          return { url, onAnswered: onSent(url) };
        },
        () => random() * MAX_DELAY_MS,
      );
      closing.unshift(proxy.close);
      razorpay.callbacks.url = `${proxy.url}/hooks/payments/razorpay`;
      stripe.callbacks.url = `${proxy.url}/hooks/payments/stripe`;
    },
    async close() {
      for (const close of closing) await close();
    },
  };
}
