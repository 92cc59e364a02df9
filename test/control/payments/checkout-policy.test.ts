import { expect, it } from 'vitest';
import { startTestApi } from '../../support/control-app.ts';
import { RAZORPAY, STRIPE } from '../../support/payment-gateways.ts';

/** The page's policy with these settings of gateways, one directive each. */
async function policyWith(settings: Record<string, string>): Promise<string[]> {
  const api = await startTestApi({}, { CONSOLE_DIR: '/nowhere', ...settings });
  const { headers } = await api.http.inject({ method: 'GET', url: '/' });
  return String(headers['content-security-policy']).split('; ');
}

it("lets Razorpay's checkout load what it needs from Razorpay's hosts", async () => {
  const policy = await policyWith({
    ...{ RAZORPAY_KEY_ID: RAZORPAY.key_id, RAZORPAY_KEY_SECRET: RAZORPAY.key_secret },
    RAZORPAY_WEBHOOK_SECRET: RAZORPAY.webhook_secrets.join(),
  });
  expect(policy).toContain("script-src 'self' https://*.razorpay.com");
  expect(policy).toContain('frame-src https://*.razorpay.com');
  expect(policy).toContain("img-src 'self' data: https://*.razorpay.com");
  expect(policy.find((each) => each.startsWith('connect-src'))).toContain(' https://*.razorpay.com');
  expect(policy).toContain("style-src 'self'");
});

it("needs nothing for Stripe's own page, and nothing without a gateway", async () => {
  const stripe = { STRIPE_SECRET_KEY: STRIPE.secret_key, STRIPE_WEBHOOK_SECRET: STRIPE.webhook_secrets.join() };
  for (const settings of [stripe, {}]) {
    const policy = await policyWith(settings);
    expect(policy).toContain("script-src 'self'");
    expect(policy.join()).not.toContain('frame-src');
  }
});
