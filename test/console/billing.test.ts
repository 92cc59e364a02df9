import { describe, expect, it } from 'vitest';
import type { OwnPlan, Payment } from '../../console/billing/billing-records.ts';
import {
  balanceText,
  day,
  paidText,
  pastDueText,
  paymentState,
  planFacts,
  topUpError,
} from '../../console/billing/billing-texts.ts';
import { checkoutReturn } from '../../console/billing/checkout.ts';
import { amountError, money, paiseOf } from '../../console/billing/money.ts';

describe('an amount', () => {
  it.each([
    ['1,000', 100_000],
    ['₹ 1,18,000', 11_800_000],
    ['20.5', 2_050],
    ['20.05', 2_005],
    ['20.055', null],
    ['-5', null],
    ['', null],
    ['abc', null],
  ])('%s is %s of the smallest unit', (text, paise) => {
    expect(paiseOf(text)).toBe(paise);
  });

  it('is written as people of the currency write it', () => {
    expect(money(11_800_000, 'INR')).toBe('₹1,18,000');
    expect(money(2_050, 'USD')).toBe('$20.50');
    expect(money(-25_000, 'INR')).toBe('-₹250');
  });

  it('can be bought within the limits of the currency', () => {
    expect(amountError(10_000, 'INR')).toBeNull();
    expect(amountError(9_999, 'INR')).toBe('Choose an amount from ₹100 to ₹5,00,000.');
    expect(amountError(1_000_001, 'USD')).toBe('Choose an amount from $5 to $10,000.');
    expect(amountError(null, 'USD')).toContain('Enter an amount');
  });
});

describe('the texts of billing', () => {
  const payment: Payment = {
    ...{ id: 'a', status: 'paid', amount_paise: 100_000, bonus_paise: 0, total_paise: 118_000, refunded_paise: 0 },
    ...{ currency: 'INR', created_at: '', failure_reason: '' },
  };
  const plan: OwnPlan = {
    ...{ name: 'Growth', price_per_minute_paise: 475, monthly_fee_paise: 299_900, concurrency_limit: 15 },
    ...{ plan_paid_until: '2026-12-23T00:00:00Z', next_charge_paise: 299_900, plan_past_due_since: null },
    ...{ plan_minutes_left_seconds: 119, plan_minutes_total_seconds: 36_000 },
  };

  it('say how long the credits last', () => {
    const balance = { credits_paise: 0, price_per_minute_paise: 550, minutes_left: 0, low_balance: true };
    expect(balanceText({ ...balance, currency: 'INR', pending_bonus: null })).toContain('Not a minute is left');
    expect(balanceText({ ...balance, minutes_left: 1, currency: 'INR', pending_bonus: null })).toContain(
      'About 1 minute at ₹5.50',
    );
  });

  it('say what a plan costs, what is left of it and when it is charged', () => {
    const facts = planFacts(plan, 'INR').join(' ');
    for (const part of ['₹4.75 a minute, 15 calls at once', '₹2,999 for 30 days', '1 of 600 included', 'taken on']) {
      expect(facts).toContain(part);
    }
    const starter = { ...plan, monthly_fee_paise: 0, plan_minutes_total_seconds: 0, next_charge_paise: 0 };
    expect(planFacts(starter, 'INR').slice(1)).toEqual(['No monthly fee.']);
  });

  it('say until when an unpaid plan is tried again', () => {
    expect(pastDueText('2026-11-23T12:00:00Z')).toContain(`until ${day('2026-11-30T12:00:00Z')}`);
  });

  it('say what became of a payment', () => {
    expect(paymentState(payment)).toBe('paid');
    expect(paymentState({ ...payment, refunded_paise: 5_000 })).toBe('paid, ₹50 refunded');
    expect(paymentState({ ...payment, status: 'failed', failure_reason: 'declined' })).toBe('failed: declined');
    expect(paidText({ ...payment, bonus_paise: 5_000 })).toContain('₹1,000 of credits and ₹50 on top');
  });

  it('say why a top-up could not begin, in the words of the API', () => {
    expect(topUpError({ status: 409, detail: 'top-ups in INR are not possible' })).toBe(
      'Top-ups in INR are not possible.',
    );
    for (const status of [0, 401, 403, 500]) expect(topUpError({ status, detail: '' })).toMatch(/\.$/);
  });
});

it('knows the payment that the browser comes back from', () => {
  const payment_id = 'a'.repeat(32);
  expect(checkoutReturn(`?payment=${payment_id}&session=cs_1`)).toEqual({ payment_id, session: 'cs_1' });
  expect(checkoutReturn(`?payment=${payment_id}`)).toEqual({ payment_id, session: null });
  expect(checkoutReturn('?payment=x&session=cs_1')).toBeNull();
  expect(checkoutReturn('')).toBeNull();
});
