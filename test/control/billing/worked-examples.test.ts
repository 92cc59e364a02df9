import { describe, expect, it } from 'vitest';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import { secondsPaidFor } from '../../../control/billing/length-cap.ts';
import { priceCall } from '../../../control/billing/price-call.ts';
import type { Pricing } from '../../../control/billing/price-estimate.ts';
import { startTestApi } from '../../support/control-app.ts';

/** The figures and formulas of the billing rules, calculated by hand. The price of a call has its table in price-call.test.ts. */

const GROWTH: Pricing = {
  ...{ currency: 'INR', price_per_minute_paise: 475, browser_price_per_minute_paise: 475 },
  rates: effectiveRates('INR', []),
};

/** A call of a minute on own providers whose model costs so many paise, in a browser: the platform is 100 paise more. */
const minuteOf = (paise: number) =>
  priceCall({
    ...{ channel: 'web', carrier: '', duration_seconds: 60, failed: false, plan_seconds: 36_000 },
    pricing: { ...GROWTH, rates: effectiveRates('INR', [modelRate(paise)]) },
    provider_usage: [
      { component: 'llm', provider: 'custom', model: 'own', llm_input_tokens: 1_000_000, llm_output_tokens: 0 },
    ],
  });
const modelRate = (rate_paise: number) => ({
  ...({ component: 'llm_input', provider: 'custom', model: 'own', currency: 'INR' } as const),
  ...{ rate_paise, updated_at: new Date(0) },
});

describe('an included minute', () => {
  it.each([
    ['is used by a minute that costs up to 2.50', 150, 1, 60],
    ['is used in part more by one that costs 2.51', 151, 1.004, 61],
    ['is used twice by one that costs 5.00', 400, 2, 120],
  ] as const)('%s', (_title, modelPaise, multiplier, allowance_seconds_used) => {
    const { cost_paise, cost_breakdown } = minuteOf(modelPaise);
    expect([cost_paise, cost_breakdown.plan_minutes]).toMatchObject([0, { multiplier, allowance_seconds_used }]);
  });
});

describe('the length of a call', () => {
  it.each([
    ['10.00 at 5.50 a minute are 109 seconds', 1_000, 0, 550, 1, 109],
    ['a minute included at twice its use is half a minute', 0, 60, 550, 2, 30],
    ['both add up', 1_000, 60, 550, 2, 139],
    ['a debt is nothing', -1_000, 60, 550, 1, 60],
    ['nine paise at 5.50 are no second', 9, 0, 550, 1, 0],
  ] as const)('%s', (_title, credits, plan_seconds_left, total_paise_per_minute, plan_minutes_multiplier, seconds) => {
    const wallet = { paid_paise: credits, free_paise: 0, plan_seconds_left, plan_past_due_since: null };
    expect(secondsPaidFor(wallet as never, { total_paise_per_minute, plan_minutes_multiplier })).toBe(seconds);
  });
});

describe('the default plans', () => {
  it('are those of the table', async () => {
    const api = await startTestApi();
    const { body } = await (await api.asUser('owner')).send('GET', '/billing/plans');
    const columns = [
      'monthly_fee_paise',
      'included_minutes',
      'price_per_minute_paise',
      'browser_price_per_minute_paise',
    ];
    const limits = ['included_numbers', 'includes_caller_verification', 'concurrency_limit', 'member_limit'];
    const rows = (body as Record<string, unknown>[]).map((plan) => [
      plan.id,
      ...[...columns, ...limits].map((name) => plan[name]),
    ]);
    expect(rows.slice(0, 3)).toEqual([
      ['starter', 0, 0, 550, 400, 0, false, 5, 5],
      ['growth', 299_900, 600, 475, 475, 1, false, 15, 20],
      ['scale', 999_900, 2_500, 400, 400, 2, true, 40, null],
    ]);
    const enterprise = {
      id: 'enterprise',
      custom: true,
      price_per_minute_paise: 300,
      concurrency_limit: 100,
      member_limit: null,
    };
    expect(body[3]).toMatchObject(enterprise);
  });
});
