import { z } from 'zod';
import { CARRIER_NAMES } from '../../shared/carriers/registry.ts';
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
    paid_until: time().nullable().describe('null when nothing is charged'),
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

export function recordOf({ created_at, agent_name, country, type, ...row }: ListedNumber): NumberRecord {
  return {
    ...row,
    country: country ?? countryOf(row.number),
    type: type ?? typeOf(row.number),
    agent_name: agent_name ?? '',
    bought_at: created_at,
  };
}
