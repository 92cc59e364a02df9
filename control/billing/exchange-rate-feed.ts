import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { isSuccess, NoResponseError, sendRestRequest } from '../http/rest-request.ts';
import { type ExchangeRates, exchangeRates } from './exchange-rates.ts';
import { setRate } from './rate-overrides.ts';

const INTERVAL_MS = 6 * 3_600_000;
const MAX_BYTES = 64 * 1024;
/** A larger step is a fault of the feed until the operator has set the rate. */
const MAX_CHANGE = 0.1;

export interface ExchangeRateFeedOptions {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Answers what a dollar costs: `{"base": "USD", "rates": {"INR": 88.5, "EUR": 0.86}}`, as many public sources do. */
  url: string;
}

/** Sets the exchange rates from a feed every six hours. A rate that differs by more than a tenth from the one in force is not taken. */
export function startExchangeRateFeed(options: ExchangeRateFeedOptions): PollingJob {
  const { clock, log } = options;
  return startPollingJob({
    ...{ name: 'exchange rates', intervalMs: INTERVAL_MS, clock, log },
    run: () => takeExchangeRates(options),
  });
}

/** @throws Error when the feed does not answer, or with something else. */
export async function takeExchangeRates({ sql, clock, log, url }: ExchangeRateFeedOptions): Promise<void> {
  const { status, text } = await sendRestRequest({ method: 'GET', url, headers: {}, maxBytes: MAX_BYTES });
  const offered = isSuccess(status) ? readRates(text) : null;
  if (!offered) throw new NoResponseError(`the feed of exchange rates answered ${status} without rates of dollars`);
  const inForce = await exchangeRates(sql);
  for (const [currency, paise] of Object.entries(offered)) {
    const before = inForce[currency as keyof ExchangeRates];
    if (paise === before) continue;
    if (Math.abs(paise - before) > before * MAX_CHANGE) {
      log.error({ currency, before, offered: paise }, 'exchange rate not taken: it differs by more than a tenth');
      continue;
    }
    const key = { component: 'exchange_rate' as const, provider: currency, model: '', currency: 'INR' as const };
    await sql.begin((tx) => setRate(tx, { ...key, rate_paise: paise, updated_at: new Date(clock.wall()) }));
    log.info({ currency, before, paise }, 'exchange rate taken');
  }
}

/** Whole paise of a dollar and, where it is there, a euro; null: the text is something else. */
function readRates(text: string): Partial<ExchangeRates> | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  const { base, rates } = (answer ?? {}) as { base?: unknown; rates?: { INR?: unknown; EUR?: unknown } };
  const { INR, EUR } = rates ?? {};
  if (base !== 'USD' || !isRate(INR)) return null;
  return { USD: Math.round(INR * 100), ...(isRate(EUR) ? { EUR: Math.round((INR / EUR) * 100) } : {}) };
}

const isRate = (value: unknown): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value);
