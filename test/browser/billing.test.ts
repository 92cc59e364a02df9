import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setSeller } from '../../control/billing/invoices/seller.ts';
import { writeLedger } from '../../control/billing/ledger.ts';
import { freePort } from '../../dev/ports.ts';
import { type RazorpaySimulator, startRazorpay } from '../../fixtures/simulators/razorpay.ts';
import { type StripeSimulator, startStripe } from '../../fixtures/simulators/stripe.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { giveCredits } from '../support/credits.ts';
import { createOperatorCommand } from '../support/operator-command.ts';
import { lookAt, openPage } from '../support/page-checks.ts';
import { gatewaySettings, RAZORPAY, STRIPE } from '../support/payment-gateways.ts';

/** Buying credits in a real browser through the simulated gateways; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;
let razorpay: RazorpaySimulator;
let stripe: StripeSimulator;

beforeAll(async () => {
  if (!CHROMIUM) return;
  // Their callbacks come too, before or after what the page reports.
  razorpay = await startRazorpay({ ...RAZORPAY, automatic: true });
  stripe = await startStripe({ ...STRIPE, automatic: true });
  const port = await freePort();
  // The browser has the page at another name of this machine, and its session there only.
  const settings = { ...gatewaySettings(razorpay, stripe), PUBLIC_API_URL: `http://127.0.0.1:${port}` };
  [fixture, browser] = await Promise.all([startConsole({ port, settings }), sharedChromium()]);
  razorpay.callbacks.url = `${fixture.url}/hooks/payments/razorpay`;
  stripe.callbacks.url = `${fixture.url}/hooks/payments/stripe`;
  const seller = { name: 'Antiphon', address: 'Bengaluru', gstin: '29AAGCB7383J1Z4' };
  await fixture.api.sql.begin((tx) => setSeller(tx, seller, Date.now()));
});
afterAll(async () => {
  await razorpay?.close();
  await stripe?.close();
});
// All tests share one address, which may sign in a few times only.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

async function openBilling(currency: 'INR' | 'USD' = 'INR') {
  const user = await fixture.newUser();
  const country = currency === 'INR' ? 'IN' : 'US';
  await fixture.api.sql`
    update workspaces set currency = ${currency}, profile = profile || ${fixture.api.sql.json({ country })}
    where id = ${user.workspace_id}`;
  const opened = await openPage(browser, `${fixture.url}/billing`);
  const { page } = opened;
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Billing' }).waitFor();
  await page.getByRole('heading', { name: 'Add credits' }).waitFor();
  return { ...opened, workspaceId: user.workspace_id };
}

const credits = (page: Page) => page.locator('[aria-labelledby=credits-title] .figure').textContent();
const said = (page: Page, text: string | RegExp) => page.locator('.message').getByText(text).waitFor();

/** Kind and amount of the ledger's rows of top-ups. */
async function boughtBy(workspaceId: string) {
  const rows = await fixture.api.sql<{ kind: string; amount_paise: number }[]>`
    select kind, amount_paise from ledger where workspace_id = ${workspaceId} and payment_id is not null order by seq`;
  return rows.map(({ kind, amount_paise }) => [kind, Number(amount_paise)]);
}

describe.skipIf(!CHROMIUM)('the billing page', () => {
  it("pays within the page through Razorpay's checkout, after a failed attempt", async () => {
    const { page, complaints, workspaceId } = await openBilling();
    expect(await credits(page)).toBe('₹250');
    await lookAt(page, 'billing');
    await page.getByLabel('Another amount').check();
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByText('Enter an amount').waitFor();
    await page.getByLabel('Amount in rupees').fill('1,000');
    await page.getByRole('button', { name: 'Pay' }).click();
    const checkout = page.frameLocator('iframe[title="Razorpay Checkout"]');
    // With the tax.
    await checkout.getByRole('heading', { name: 'Pay INR 1180.00' }).waitFor();
    await checkout.getByRole('button', { name: 'Failure' }).click();
    await checkout.getByRole('alert').getByText('declined').waitFor();
    await said(page, /declined/);
    await checkout.getByRole('button', { name: 'Success' }).click();
    await said(page, 'Thank you: ₹1,000 of credits were added.');
    await page.getByText('₹1,250').waitFor();
    expect(await boughtBy(workspaceId)).toEqual([['topup', 100_000]]);

    await page.getByRole('link', { name: 'Payments and invoices' }).click();
    await page.getByText('Paid', { exact: true }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download 20/ }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^\d{4}-\d{2}-\d{6}\.pdf$/);
    await lookAt(page, 'billing-paid');
    expect(complaints).toEqual([]);
  });

  it("pays a pack on Stripe's page, comes back and has the bonus; reloading changes nothing", async () => {
    const { page, complaints, workspaceId } = await openBilling('USD');
    await page.getByLabel('$100', { exact: false }).check();
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('heading', { name: 'Pay USD 100.00' }).waitFor();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await said(page, 'Thank you: $100 of credits and $5 on top were added.');
    expect(new URL(page.url()).search).toBe('');
    const bought = [
      ['topup', 10_000],
      ['grant', 500],
    ];
    expect(await boughtBy(workspaceId)).toEqual(bought);
    await page.reload();
    await page.getByRole('link', { name: 'Payments and invoices' }).click();
    await page.getByText('Paid', { exact: true }).waitFor();
    expect(await boughtBy(workspaceId)).toEqual(bought);
    expect(complaints).toEqual([]);
  });

  it('shows the credits of a payment that the page could not report', async () => {
    const { page, context, complaints, workspaceId } = await openBilling();
    await context.route('**/complete', (route) => route.abort());
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.frameLocator('iframe[title="Razorpay Checkout"]').getByRole('button', { name: 'Success' }).click();
    await said(page, /^The payment is not confirmed yet/);
    // The gateway's own callback has told the service.
    await said(page, 'Thank you: ₹5,000 of credits and ₹250 on top were added.');
    const bought = [
      ['topup', 500_000],
      ['grant', 25_000],
    ];
    expect(await boughtBy(workspaceId)).toEqual(bought);
    expect(complaints).toEqual([]);
  });

  it.each(['INR', 'USD'] as const)('says that nothing was paid when the checkout in %s was left', async (currency) => {
    const { page, complaints, workspaceId } = await openBilling(currency);
    await page.getByRole('button', { name: 'Pay' }).click();
    if (currency === 'INR') {
      await page.frameLocator('iframe[title="Razorpay Checkout"]').getByRole('button', { name: 'Close' }).click();
    } else await page.getByRole('link', { name: 'Back' }).click();
    await said(page, 'Nothing was paid.');
    await page.getByRole('link', { name: 'Payments and invoices' }).click();
    await page.getByText('Not paid yet').waitFor();
    expect(await boughtBy(workspaceId)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('begins one payment for each choice, whatever answers got lost', async () => {
    const { page, context, workspaceId } = await openBilling();
    // Carried out, but the answer does not arrive.
    const lose = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await context.route('**/billing/topup', lose, { times: 1 });
    await page.getByRole('button', { name: 'Pay' }).click();
    await said(page, /cannot be reached/);
    const checkout = page.frameLocator('iframe[title="Razorpay Checkout"]');
    await page.getByRole('button', { name: 'Pay' }).click();
    await checkout.getByRole('button', { name: 'Close' }).click();
    await said(page, 'Nothing was paid.');
    await context.route('**/billing/topup', lose, { times: 1 });
    await page.getByRole('button', { name: 'Pay' }).click();
    await said(page, /cannot be reached/);
    await page.getByLabel('₹1,000', { exact: false }).check();
    await page.getByRole('button', { name: 'Pay' }).click();
    await checkout.getByRole('button', { name: 'Success' }).click();
    await said(page, 'Thank you: ₹1,000 of credits were added.');
    const rows = await fixture.api.sql<{ amount_paise: string }[]>`
      select amount_paise from payments where workspace_id = ${workspaceId} order by created_at, id`;
    expect(rows.map(({ amount_paise }) => Number(amount_paise))).toEqual([500_000, 500_000, 100_000]);
  });

  it("can be used again after the browser's way back from the gateway's page", async () => {
    const { page, context } = await openBilling('USD');
    // The page stays as it was, as one that is taken out of the browser's cache.
    await context.route('**/c/pay/**', (route) => route.fulfill({ status: 204 }));
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('button', { name: 'One moment' }).waitFor();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await said(page, 'Nothing was paid.');
    await page.getByRole('button', { name: 'Pay' }).waitFor();
  });

  it('says why the checkout does not open, and lets an admin look only', async () => {
    const { page, context, workspaceId } = await openBilling();
    razorpay.away = true;
    await page.getByRole('button', { name: 'Pay' }).click();
    await said(page, /did not answer; try again shortly/);
    razorpay.away = false;
    await context.route('**/v1/checkout.js', (route) => route.abort());
    await page.getByRole('button', { name: 'Pay' }).click();
    await said(page, /could not be loaded/);
    await fixture.api.sql`update memberships set role = 'admin' where workspace_id = ${workspaceId}`;
    await page.reload();
    await page.getByText('An owner of the workspace can add credits.').waitFor();
    expect(await page.getByRole('button', { name: 'Pay' }).count()).toBe(0);
  });

  it('shows every plan, switches to one with its price named, and says why it is refused', async () => {
    const { page, complaints, workspaceId } = await openBilling();
    await page.getByRole('link', { name: 'Plan and lines' }).click();
    await page.getByText('Your plan').waitFor();
    await lookAt(page, 'billing-plans');
    await page.getByRole('button', { name: 'Switch to Growth' }).click();
    await page
      .getByRole('dialog')
      .getByText(/are taken from your credits now/)
      .waitFor();
    await page.getByRole('button', { name: 'Switch', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/^Not enough credits: plan Growth costs/)
      .waitFor();
    await giveCredits(fixture.api.sql, workspaceId, 1_000_000);
    await page.getByRole('button', { name: 'Switch', exact: true }).click();
    await page.getByText('Your plan is Growth now.').waitFor();
    await page.locator('article', { hasText: 'Growth' }).getByText('Your plan').waitFor();
    expect(complaints).toEqual([]);
  });

  it('buys call lines at the price it names, and removes them', async () => {
    const { page, complaints, workspaceId } = await openBilling();
    await giveCredits(fixture.api.sql, workspaceId, 1_000_000);
    await page.goto(`${fixture.url}/billing/plan`);
    await page.getByRole('button', { name: 'Buy lines' }).click();
    await page.getByLabel('How many').fill('2');
    await page.getByText('₹1,200 are taken from your credits now').waitFor();
    await page.getByRole('button', { name: 'Buy', exact: true }).click();
    await page.getByText('You have 2 extra lines now.').waitFor();
    await page.getByRole('button', { name: 'Remove lines' }).click();
    await page.getByLabel('How many').fill('3');
    await page.getByText('Enter a number from 1 to 2.').waitFor();
    await page.getByLabel('How many').fill('1');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('You have 1 extra line now.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('redeems a code, or says in place why not', async () => {
    const { page, complaints } = await openBilling();
    await createOperatorCommand(fixture.api.sql).operator('coupon add HELLO', { amount: '50000' });
    await page.getByRole('textbox', { name: 'Code' }).fill('nothing');
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByText('This code is not valid.').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill('hello');
    await page.keyboard.press('Enter');
    await said(page, /of credits were added\./);
    expect(complaints).toEqual([]);
  });

  it('lists the ledger page by page and kind by kind, and the usage of a month', async () => {
    const { page, context, complaints, workspaceId } = await openBilling();
    await fixture.api.sql.begin(async (tx) => {
      for (let each = 0; each < 60; each++) {
        await writeLedger(tx, {
          ...{ workspace_id: workspaceId, kind: 'call', amount_paise: -50 - each, by_name: '', seconds: 60 },
          ...{ note: 'call of Maya with +919811112222, 60 s', at_ms: Date.now(), key: `call:${each}` },
        });
      }
    });
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByText('1–50 of 61').waitFor();
    await lookAt(page, 'billing-ledger');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('51–61 of 61').waitFor();
    await page.getByLabel('What for').selectOption('Free credits');
    await page.getByText('1–1 of 1').waitFor();
    await page.reload();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel('What for').selectOption('Plan');
    await page.getByText('There is nothing of this kind.').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('60', { exact: true }).first().waitFor();
    await lookAt(page, 'billing-usage');
    await context.route('**/api/v1/billing/usage**', (route) => route.fulfill({ status: 503, json: { detail: '' } }));
    await page.reload();
    await page.getByText(/could not read the usage just now/).waitFor();
    expect(complaints).toEqual([]);
  });
});
