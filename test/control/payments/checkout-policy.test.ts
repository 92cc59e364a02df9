import { expect, it } from 'vitest';
import { startTestApi } from '../../support/control-app.ts';
import { RAZORPAY, STRIPE } from '../../support/payment-gateways.ts';

/** The policies of both documents of the console with these settings of gateways, one directive each. */
async function policiesWith(settings: Record<string, string>) {
  const api = await startTestApi({}, { CONSOLE_DIR: '/nowhere', ...settings });
  const policyOf = async (url: string) => {
    const { headers } = await api.http.inject({ method: 'GET', url });
    return String(headers['content-security-policy']).split('; ');
  };
  const [console, billing, below] = await Promise.all(['/', '/billing', '/billing/plans'].map(policyOf));
  expect(below).toEqual(billing);
  return { console: console!, billing: billing! };
}

it("lets Razorpay's checkout load what it needs, where one pays and nowhere else", async () => {
  const { console, billing: policy } = await policiesWith({
    ...{ RAZORPAY_KEY_ID: RAZORPAY.key_id, RAZORPAY_KEY_SECRET: RAZORPAY.key_secret },
    RAZORPAY_WEBHOOK_SECRET: RAZORPAY.webhook_secrets.join(),
  });
  expect(policy).toContain("script-src 'self' https://*.razorpay.com");
  expect(policy).toContain('frame-src https://*.razorpay.com');
  expect(policy).toContain("img-src 'self' data: https://*.razorpay.com");
  expect(policy.find((each) => each.startsWith('connect-src'))).toContain(' https://*.razorpay.com');
  // Its script adds style elements to the page.
  expect(policy).toContain("style-src 'self' 'unsafe-inline'");
  expect(console.join()).not.toMatch(/razorpay|unsafe/);
});

it("needs nothing for Stripe's own page, and nothing without a gateway", async () => {
  const stripe = { STRIPE_SECRET_KEY: STRIPE.secret_key, STRIPE_WEBHOOK_SECRET: STRIPE.webhook_secrets.join() };
  for (const settings of [stripe, {}]) {
    const { console, billing } = await policiesWith(settings);
    expect(billing).toEqual(console);
    expect(billing).toContain("style-src 'self'");
    expect(billing.join()).not.toContain('frame-src');
  }
});
