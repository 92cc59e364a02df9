import { describe, expect, it } from 'vitest';
import {
  balanceText,
  day,
  linesFacts,
  linesPricePaise,
  paidText,
  pastDueText,
  paymentState,
  planFacts,
  planOffers,
  switchTexts,
  topUpError,
} from '../../console/billing/billing-texts.ts';
import { checkoutReturn } from '../../console/billing/checkout.ts';
import { kindIn, ledgerKindText, rangeText, skipIn, withLedgerFilter } from '../../console/billing/ledger-texts.ts';
import { amountError, money, paiseOf } from '../../console/billing/money.ts';
import { daysAround, monthsBetween } from '../../console/billing/usage-texts.ts';
import type { Balance, CallLines, OwnPlan, Payment } from '../../console/generated/api.ts';

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
    expect(money(-100, 'INR', { column: true })).toBe('-₹1.00');
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
    ...{ currency: 'INR', created_at: '', failure_reason: '', tax_paise: 18_000, pack_id: null, method: 'card' },
    ...{ invoice_id: null, created_by: 'Asha', paid_at: null },
  };
  const plan: OwnPlan = {
    ...{ id: 'growth', icon: '', currency: 'INR', browser_price_per_minute_paise: null, included_minutes: 600 },
    ...{ included_numbers: 1, includes_caller_verification: true, member_limit: null, custom: false, current: true },
    ...{ can_switch: false, plan_minutes_cycle_end: null },
    ...{ name: 'Growth', price_per_minute_paise: 475, monthly_fee_paise: 299_900, concurrency_limit: 15 },
    ...{ plan_paid_until: '2026-12-23T00:00:00Z', next_charge_paise: 299_900, plan_past_due_since: null },
    ...{ plan_minutes_left_seconds: 119, plan_minutes_total_seconds: 36_000 },
  };

  it('say how long the credits last', () => {
    const balance: Balance = {
      ...{ credits_paise: 0, price_per_minute_paise: 550, minutes_left: 0, low_balance: true, currency: 'INR' },
      ...{ pending_bonus: null, plan_name: 'Starter', plan_id: 'starter', plan_minutes_left_seconds: 0 },
      ...{ plan_minutes_total_seconds: 0, plan_minutes_cycle_end: null },
    };
    expect(balanceText(balance)).toContain('Not a minute is left');
    expect(balanceText({ ...balance, minutes_left: 1 })).toContain('About 1 minute at ₹5.50');
  });

  it('say what a plan costs, what is left of it and when it is charged', () => {
    const facts = planFacts(plan).join(' ');
    for (const part of ['₹4.75 a minute, 15 calls at once', '₹2,999 for 30 days', '1 of 600 included', 'taken on']) {
      expect(facts).toContain(part);
    }
    const starter = { ...plan, monthly_fee_paise: 0, plan_minutes_total_seconds: 0, next_charge_paise: 0 };
    expect(planFacts(starter).slice(1)).toEqual(['No monthly fee.']);
  });

  it('say what another plan has, and what the switch to it takes', () => {
    const offers = planOffers(plan).join(' ');
    for (const part of ['600 included minutes', '1 phone number', 'caller id', 'Any number of members']) {
      expect(offers).toContain(part);
    }
    const taken = switchTexts(plan, 'Starter').join(' ');
    for (const part of ['₹2,999 are taken from your credits now', '600 included', 'paid for Starter']) {
      expect(taken).toContain(part);
    }
    expect(switchTexts({ ...plan, monthly_fee_paise: 0 }, 'Pro')[0]).toBe(
      'Growth has no monthly fee. It holds at once.',
    );
  });

  it('say what lines cost: the days that are left of their cycle, or 30', () => {
    const lines: CallLines = {
      ...{ extra_lines: 0, price_per_line_paise: 60_000, lines_paid_until: null, next_charge_paise: 0 },
      ...{ lines_past_due_since: null, concurrency_limit: 10, can_add: 90, currency: 'INR' },
    };
    const now = Date.parse('2026-11-28T00:00:00Z');
    expect(linesPricePaise(lines, 2, now)).toBe(120_000);
    const bought = { ...lines, extra_lines: 2, lines_paid_until: '2026-12-13T00:00:00Z', next_charge_paise: 120_000 };
    expect(linesPricePaise(bought, 1, now)).toBe(30_000);
    expect(linesFacts(lines)).toHaveLength(2);
    expect(linesFacts(bought).join(' ')).toContain('₹1,200 will be taken on');
  });

  it('say until when an unpaid plan is tried again', () => {
    expect(pastDueText('2026-11-23T12:00:00Z')).toContain(`until ${day('2026-11-30T12:00:00Z')}`);
  });

  it('say what became of a payment', () => {
    expect(paymentState(payment)).toBe('Paid');
    expect(paymentState({ ...payment, refunded_paise: 5_000 })).toBe('Paid, ₹50 refunded');
    expect(paymentState({ ...payment, status: 'failed', failure_reason: 'declined' })).toBe('Failed: declined');
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

describe('the ledger', () => {
  it('is at the page and the kind that the address names', () => {
    expect([skipIn({ skip: '50' }), skipIn({}), skipIn({ skip: '-1' }), skipIn({ skip: 'x' })]).toEqual([50, 0, 0, 0]);
    expect([kindIn({ kind: 'plan' }), kindIn({ kind: 'other' }), kindIn({})]).toEqual(['plan', null, null]);
    const at = { kind: 'plan', skip: '50' };
    expect(withLedgerFilter('/billing/ledger', at, 'skip', '100')).toBe('/billing/ledger?kind=plan&skip=100');
    expect(withLedgerFilter('/billing/ledger', at, 'kind', 'call')).toBe('/billing/ledger?kind=call');
    expect(withLedgerFilter('/billing/ledger', at, 'kind', '')).toBe('/billing/ledger');
  });

  it('names its kinds, and the rows that it shows', () => {
    expect(ledgerKindText('caller_id')).toBe('Caller ids');
    expect(rangeText(50, 50, 1_234)).toBe('51–100 of 1,234');
    expect(rangeText(0, 50, 10_000, true)).toBe('1–50 of more than 10,000');
  });
});

describe('the usage', () => {
  it('can be chosen for each month since the first', () => {
    expect(monthsBetween('2026-11', '2027-02')).toEqual(['2027-02', '2027-01', '2026-12', '2026-11']);
    expect(monthsBetween('2026-11', '2026-11')).toEqual(['2026-11']);
  });

  it('of a month ends before the first day of the next one', () => {
    expect(daysAround('2026-12')).toEqual({ since: '2026-12-01', until: '2027-01-01' });
  });
});
