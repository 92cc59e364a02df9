import type { AnySql, Transaction } from '../db/connect.ts';

/** Rates set by the operator, which replace those of `rates.ts`, fees, which have no default, and exchange rates. */

export const RATE_COMPONENTS = [
  'transcriber',
  'llm_input',
  'llm_output',
  'realtime_text_input',
  'realtime_text_output',
  'realtime_audio_input',
  'realtime_audio_output',
  'realtime_cached_text_input',
  'realtime_cached_audio_input',
  'voice',
  'telephony',
  'platform',
  'number',
  'caller_id',
  'line',
  'exchange_rate',
] as const;
export type RateComponent = (typeof RATE_COMPONENTS)[number];

export interface RateKey {
  component: RateComponent;
  /** Empty where the rate does not depend on one; the model `*` stands for every model without a row of its own. */
  provider: string;
  model: string;
  currency: 'INR' | 'USD';
}

export interface RateRow extends RateKey {
  /** In the unit of the component, as in `rates.ts`; of fees: 30 days of one; of exchange rates: one unit. Fractions are allowed. */
  rate_paise: number;
  updated_at: Date;
}

const columns = (sql: AnySql) => sql`component, provider, model, currency, rate_paise, updated_at`;

export async function listRates(sql: AnySql): Promise<RateRow[]> {
  return sql<RateRow[]>`select ${columns(sql)} from rates order by component, provider, model, currency`;
}

/** The same as a column of JSON, for a statement that reads other tables too: its times are texts. */
export const ratesAsJson = (sql: AnySql) => sql`(
    select coalesce(json_agg(rate order by component, provider, model, currency), '[]')
    from (select ${columns(sql)} from rates) as rate
  )`;

/** Returns the previous rate, or null. */
export async function setRate(tx: Transaction, rate: RateRow): Promise<RateRow | null> {
  const before = await findRate(tx, rate);
  const { component, provider, model, currency, rate_paise, updated_at } = rate;
  await tx`
    insert into rates (component, provider, model, currency, rate_paise, updated_at)
    values (${component}, ${provider}, ${model}, ${currency}, ${rate_paise}, ${updated_at})
    on conflict (component, provider, model, currency)
    do update set rate_paise = excluded.rate_paise, updated_at = excluded.updated_at`;
  return before;
}

/** Returns the removed rate, or null. */
export async function removeRate(tx: Transaction, { component, provider, model, currency }: RateKey) {
  const [row] = await tx<RateRow[]>`
    delete from rates where component = ${component} and provider = ${provider} and model = ${model}
      and currency = ${currency} returning ${columns(tx)}`;
  return row ?? null;
}

export async function findRate(sql: AnySql, key: RateKey): Promise<RateRow | null> {
  const { component, provider, model, currency } = key;
  const [row] = await sql<RateRow[]>`
    select ${columns(sql)} from rates where component = ${component} and provider = ${provider}
      and model = ${model} and currency = ${currency}`;
  return row ?? null;
}
