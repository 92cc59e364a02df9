import { describe, expect, it } from 'vitest';
import { minutesLeft } from '../../../control/billing/balance.ts';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import {
  ceilPaise,
  ceilShare,
  exactAmount,
  thousandths,
  toDecimalPaise,
} from '../../../control/billing/exact-amount.ts';
import { convertPaise, exchangeRatesOf } from '../../../control/billing/exchange-rates.ts';
import { feeRateOf } from '../../../control/billing/fee-rates.ts';
import { amountInWords } from '../../../control/billing/invoices/amount-in-words.ts';
import { secondsPaidFor } from '../../../control/billing/length-cap.ts';
import { numberFees } from '../../../control/billing/number-fee.ts';
import type { RateRow } from '../../../control/billing/rate-overrides.ts';
import { MICRO, STANDARD_RATES } from '../../../control/billing/rates.ts';

const rate = (component: RateRow['component'], rate_paise: number, more: Partial<RateRow> = {}): RateRow => ({
  ...{ component, provider: '', model: '', currency: 'INR', rate_paise, updated_at: new Date(0) },
  ...more,
});

describe('exact amounts', () => {
  it('are rounded up once, at the end', () => {
    const third = exactAmount(MICRO, 20_000, 60);
    expect([ceilPaise(0n), ceilPaise(third), ceilPaise(third * 3n), ceilPaise(third * 3n + 1n)]).toEqual([0, 1, 1, 2]);
    expect(ceilShare(third, 1, 2, third)).toBe(1);
    expect(ceilShare(third * 3n, 1, 2, third * 3n)).toBe(2);
    expect(toDecimalPaise(third)).toBe(0.3333);
    expect(toDecimalPaise(third * 2n)).toBe(0.6667);
  });

  it.each([
    [1.25, 1_250],
    [0, 0],
    [-1, 0],
    [undefined, 0],
    [Number.NaN, 0],
    [2 ** 53, 0],
  ])('of %s count %d thousandths', (quantity, expected) => {
    expect(thousandths(quantity)).toBe(expected);
  });
});

describe('an amount in another currency', () => {
  it.each([
    [8_800, 'USD', 100],
    [44, 'USD', 1],
    [43, 'USD', 0],
    [-44, 'USD', -1],
    [0, 'USD', 0],
    [100, 'INR', 8_800],
    [-1, 'INR', -88],
  ] as const)('%d → %s: %d', (paise, to, expected) => {
    expect(convertPaise(paise, to, 8_800)).toBe(expected);
  });

  it('is at the rates that are set, whole paise and at least one', () => {
    const rows = [rate('exchange_rate', 0.2, { provider: 'USD' }), rate('exchange_rate', 9_000.6, { provider: 'EUR' })];
    expect(exchangeRatesOf(rows)).toEqual({ USD: 1, EUR: 9_001 });
    const others = [rate('exchange_rate', 5, { provider: 'GBP' }), rate('number', 5, { provider: 'USD' })];
    expect(exchangeRatesOf(others)).toEqual({ USD: 8_800, EUR: 10_200 });
  });
});

describe('a fee', () => {
  const key = { component: 'number', provider: 'plivo', model: 'local' } as const;
  const set = (paise: number, more: Partial<RateRow> = {}) => rate('number', paise, { ...key, ...more });

  it('is the rate of its key, rounded up', () => {
    expect(feeRateOf([set(10.2)], key, 'INR')).toBe(11);
    expect(feeRateOf([rate('line', 10, { provider: 'plivo', model: 'local' })], key, 'INR')).toBeNull();
    expect(feeRateOf([set(10, { provider: 'twilio' })], key, 'INR')).toBeNull();
    expect(feeRateOf([set(10, { model: 'mobile' })], key, 'INR')).toBeNull();
    expect(feeRateOf([set(10, { currency: 'USD' })], key, 'INR')).toBeNull();
  });

  it('in dollars is its own rate, or that in rupees', () => {
    expect(feeRateOf([set(8_800), set(70, { currency: 'USD' })], key, 'USD')).toBe(70);
    expect(feeRateOf([set(8_801)], key, 'USD')).toBe(101);
    expect(feeRateOf([], key, 'USD')).toBeNull();
  });
});

describe('the fees of a number', () => {
  const number = { provider: 'plivo', type: 'local', price: { monthly: 2.5, setup: 1, currency: 'USD' } } as const;
  const set = (paise: number, provider: string, model: string) => rate('number', paise, { provider, model });

  it('are the most particular rate', () => {
    const rates = [set(1, '', ''), set(2, '', 'local'), set(3, 'plivo', ''), set(4, 'plivo', 'local')];
    const fees = [4, 3, 2, 1].map((count) => numberFees(rates.slice(0, count), 'INR', number));
    expect(fees).toEqual([4, 3, 2, 1].map((monthly_fee_paise) => ({ monthly_fee_paise, setup_fee_paise: 0 })));
  });

  it('are else what the carrier takes', () => {
    expect(numberFees([], 'INR', number)).toEqual({ monthly_fee_paise: 22_000, setup_fee_paise: 8_800 });
    expect(numberFees([], 'USD', number)).toEqual({ monthly_fee_paise: 250, setup_fee_paise: 100 });
    const rupees = { ...number, price: { monthly: 2.5, setup: 0, currency: 'INR' } } as const;
    expect(numberFees([], 'INR', rupees)).toEqual({ monthly_fee_paise: 250, setup_fee_paise: 0 });
    expect(numberFees([], 'INR', { ...number, price: null })).toBeNull();
  });
});

describe('rates that the operator sets', () => {
  const set = (rates: RateRow[], currency: 'INR' | 'USD' = 'INR') => effectiveRates(currency, rates);

  it('are those of a model, of all models of a provider, or of the service', () => {
    const rates = set([
      rate('platform', 150),
      rate('telephony', 80),
      rate('telephony', 90, { provider: 'plivo' }),
      rate('transcriber', 40, { provider: 'deepgram', model: 'nova-3' }),
      rate('voice', 30, { provider: 'elevenlabs' }),
      rate('llm_input', 500, { provider: 'openai', model: 'own' }),
      rate('llm_output', 900, { provider: 'openai', model: 'own' }),
    ]);
    expect(rates.platform).toBe(150 * MICRO);
    expect(rates.telephony).toMatchObject({ '*': 80 * MICRO, plivo: 90 * MICRO });
    expect(rates.transcriber.deepgram['nova-3']).toBe(40 * MICRO);
    expect(rates.voice.elevenlabs['*']).toBe(30 * MICRO);
    expect(rates.llm.openai.own).toEqual({ input: 500 * MICRO, output: 900 * MICRO });
  });

  it('of one kind of tokens leave the other as it is', () => {
    const { openai } = set([rate('llm_output', 900, { provider: 'openai', model: 'own' })]).llm;
    expect(openai.own).toEqual({ input: STANDARD_RATES.llm.openai['*'].input, output: 900 * MICRO });
  });

  it('of unknown providers change nothing', () => {
    const rows = (['transcriber', 'voice', 'llm_input', 'llm_output', 'number'] as const).map((component) =>
      rate(component, 5, { provider: 'nobody' }),
    );
    expect(set(rows)).toEqual(set([]));
  });

  it('in dollars are their own, whatever the order, or converted', () => {
    const own = rate('platform', 3, { currency: 'USD' });
    const rupees = rate('platform', 880);
    expect(set([own, rupees], 'USD').platform).toBe(3 * MICRO);
    expect(set([rupees], 'USD').platform).toBe(10 * MICRO);
    expect(set([own, rupees]).platform).toBe(880 * MICRO);
    expect(set([rate('exchange_rate', 4_400, { provider: 'USD' }), rupees], 'USD')).toMatchObject({
      ...{ platform: 20 * MICRO, paise_per_dollar: 4_400 },
    });
  });
});

describe('what credits pay for', () => {
  it.each([
    [5_499, 550, 9],
    [5_500, 550, 10],
    [-1, 550, 0],
    [1, 0, 1_000_000],
    [0, 0, 0],
  ])('%d at %d a minute: %d minutes', (credits, price, minutes) => {
    expect(minutesLeft(credits, price)).toBe(minutes);
  });

  it('without a price is longer than any call, with any credits', () => {
    const wallet = { paid_paise: 0, free_paise: 1, plan_seconds_left: 10, plan_past_due_since: null };
    const free = { total_paise_per_minute: 0, plan_minutes_multiplier: 1 };
    expect(secondsPaidFor(wallet as never, free)).toBe(1_000_000);
    expect(secondsPaidFor({ ...wallet, free_paise: 0 } as never, free)).toBe(10);
    expect(secondsPaidFor({ ...wallet, free_paise: 0, plan_past_due_since: new Date() } as never, free)).toBe(0);
  });
});

describe('an amount in words', () => {
  it.each([
    [1_900, 'INR', 'nineteen'],
    [2_000, 'INR', 'twenty'],
    [2_100, 'INR', 'twenty-one'],
    [9_900, 'INR', 'ninety-nine'],
    [10_000, 'INR', 'one hundred'],
    [10_100, 'INR', 'one hundred one'],
    [100_000, 'INR', 'one thousand'],
    [10_000_000, 'INR', 'one lakh'],
    [1_000_000_000, 'INR', 'one crore'],
    [1_000_000_000, 'USD', 'ten million'],
  ] as const)('%d %s', (paise, currency, words) => {
    expect(amountInWords(paise, currency)).toBe(`${currency === 'INR' ? 'Rupees' : 'US dollars'} ${words} only`);
  });
});
