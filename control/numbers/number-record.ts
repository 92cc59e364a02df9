import { z } from 'zod';
import { CARRIER_NAMES } from '../../shared/carriers/registry.ts';
import { numberFees } from '../billing/number-fee.ts';
import type { RateRow } from '../billing/rate-overrides.ts';
import { time } from '../http/times.ts';
import { countryOf, NUMBER_TYPES, typeOf } from './number-type.ts';
import type { ListedNumber } from './store.ts';

/** The API's PhoneNumber. */
export const numberRecord = z
  .object({
    number: z.string().describe('E.164; the number in paths, where the plus is `%2B`'),
    country: z.string().describe('two letters; empty for numbers of no country'),
    type: z
      .enum(NUMBER_TYPES)
      .describe('`series_140` and `series_160` are the Indian series of promotions and of banks'),
    provider: z.enum(CARRIER_NAMES).describe('its carrier'),
    status: z.enum(['active', 'past_due', 'released']).describe('`past_due`: its renewal could not be paid'),
    agent_id: z.string().nullable().describe('who answers it; null: inbound calls are rejected'),
    agent_name: z.string().describe('the name of that agent, or empty'),
    included: z.boolean().describe("covered by the plan's included numbers"),
    monthly_fee_paise: z.int().describe('for 30 days; 0 when included, or entered by the service'),
    currency: z.string().describe('of the fee'),
    caller_verification: z.boolean().describe('a caller-id request is active on it'),
    bought_by: z.string().describe('a name; empty when the service entered it'),
    bought_at: time().describe('when it was bought or entered'),
    paid_until: time().nullable().describe('null when nothing is charged, or the fee is not paid'),
    past_due_since: time().nullable().describe('null unless `past_due`'),
  })
  .meta({ id: 'PhoneNumber' });

export type NumberRecord = z.output<typeof numberRecord>;

/** A number that could be bought. */
export const availableNumber = z
  .object({
    number: z.string().describe('E.164; buy it within an hour, or search again'),
    country: z.string().describe('two letters'),
    type: z.enum(['local', 'mobile', 'toll_free']).describe('as its carrier says'),
    provider: z.enum(CARRIER_NAMES).describe('its carrier'),
    monthly_fee_paise: z.int().describe("for 30 days; nothing while it is one of the plan's included numbers"),
    setup_fee_paise: z.int().describe('once, when it is bought'),
    currency: z.string().describe('of both fees'),
  })
  .meta({ id: 'AvailableNumber' });

export type AvailableNumber = z.output<typeof availableNumber>;

/** Of 30 days, in the smallest unit of the workspace's currency, at the rates of now; 0: nothing is charged for it. */
export function monthlyFeePaise(rates: readonly RateRow[], number: ListedNumber): number {
  if (number.order_id === null || number.included) return 0;
  const { provider, type, price, currency, agreed_fee_paise } = number;
  return numberFees(rates, currency, { provider, type: type ?? '', price })?.monthly_fee_paise ?? agreed_fee_paise;
}

export function recordOf(rates: readonly RateRow[], row: ListedNumber): NumberRecord {
  const { created_at, agent_name, country, type, number, included, status, cycle_end, past_due_since } = row;
  return {
    ...{ number, provider: row.provider, status, agent_id: row.agent_id, included, currency: row.currency },
    ...{ caller_verification: row.caller_verification, bought_by: row.bought_by, bought_at: created_at },
    country: country ?? countryOf(number),
    type: type ?? typeOf(number),
    agent_name: agent_name ?? '',
    monthly_fee_paise: monthlyFeePaise(rates, row),
    paid_until: included || status === 'past_due' ? null : cycle_end,
    past_due_since: status === 'past_due' ? past_due_since : null,
  };
}
