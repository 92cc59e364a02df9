import { CARRIER_NAMES, type CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';

/**
 * Calls per second of each carrier's account, over all processes: one row an account, which holds when the next call may be placed.
 * The rate is the operator's setting, or slower where the carrier refused calls: its first refusal makes it one call a second, every
 * further one halves it, and every minute without one doubles it.
 */
export interface CarrierRate {
  next_at_ms: number;
  /** 0 where nothing was learnt. */
  learnt_interval_ms: number;
  learnt_at_ms: number;
}

/** Calls per second as set by the operator; carriers without an entry have no limit of that kind. */
export type CallsPerSecond = ReadonlyMap<string, number>;

const FIRST_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 10_000;
const DOUBLES_EVERY_MS = 60_000;
/** A hundred calls a second: nothing is learnt any more. */
const MIN_INTERVAL_MS = 10;
/** Refusals of one burst count once. */
const BURST_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Fast accounts may place the calls of this time at once, so that a dispatcher need not wake for each of them. */
const SLICE_MS = 200;

/** The time between two calls as learnt; 0 for none. */
export function learntInterval({ learnt_interval_ms, learnt_at_ms }: CarrierRate, nowMs: number): number {
  const interval = learnt_interval_ms * 0.5 ** (Math.max(0, nowMs - learnt_at_ms) / DOUBLES_EVERY_MS);
  return interval < MIN_INTERVAL_MS ? 0 : interval;
}

/** The rate after one more call was placed; null when it may not be placed yet. */
export function afterPlacing(rate: CarrierRate, perSecond: number | undefined, nowMs: number): CarrierRate | null {
  const interval = Math.max(learntInterval(rate, nowMs), perSecond === undefined ? 0 : 1_000 / perSecond);
  if (rate.next_at_ms > nowMs + Math.max(0, SLICE_MS - interval)) return null;
  return { ...rate, next_at_ms: Math.max(rate.next_at_ms, nowMs) + interval };
}

/** The rate after the carrier refused a call for the number of calls. */
export function afterRefusal(rate: CarrierRate, retryAfterMs: number | null, nowMs: number): CarrierRate {
  const interval = learntInterval(rate, nowMs);
  const isNew = nowMs - rate.learnt_at_ms >= BURST_MS;
  const doubled = Math.min(MAX_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, interval * 2));
  const pauseMs = Math.min(MAX_PAUSE_MS, retryAfterMs ?? FIRST_INTERVAL_MS);
  return {
    next_at_ms: Math.max(rate.next_at_ms, nowMs + pauseMs),
    learnt_interval_ms: isNew || interval === 0 ? doubled : rate.learnt_interval_ms,
    learnt_at_ms: isNew || interval === 0 ? nowMs : rate.learnt_at_ms,
  };
}

/** @throws Error for a carrier that does not exist, or a number that is none. */
export function readCallsPerSecond(setting: string): CallsPerSecond {
  const entries = setting.split(',').filter((entry) => entry.trim() !== '');
  return new Map(
    entries.map((entry) => {
      const [name = '', number = ''] = entry.split('=').map((part) => part.trim());
      const perSecond = Number(number);
      if (!CARRIER_NAMES.includes(name as CarrierName) || !(perSecond > 0)) {
        throw new Error(`CALLS_PER_SECOND has ${entry.trim()}: it wants entries like twilio=1`);
      }
      return [name, perSecond];
    }),
  );
}

interface RateRow {
  provider: CarrierName;
  next_at: Date;
  learnt_interval_ms: number;
  learnt_at: Date;
}

const rateOf = ({ next_at, learnt_interval_ms, learnt_at }: RateRow): CarrierRate => ({
  ...{ next_at_ms: next_at.getTime(), learnt_interval_ms, learnt_at_ms: learnt_at.getTime() },
});

/** Carriers at which calls are limited, each with the number of its calls that are to be dialled again. */
export async function readRates(sql: AnySql): Promise<Map<string, CarrierRate & { slowed: number }>> {
  const rows = await sql<
    (Omit<RateRow, 'next_at' | 'learnt_at'> & { next_at: Date | null; learnt_at: Date | null; slowed: number })[]
  >`
    with slowed as (
      select provider, count(*)::integer as slowed from live_calls
      where status = 'ringing' and dial_state = 'slowed' group by provider
    )
    select provider, next_at, coalesce(learnt_interval_ms, 0) as learnt_interval_ms, learnt_at, coalesce(slowed, 0) as slowed
    from carrier_rates full join slowed using (provider)`;
  return new Map(
    rows.map(({ provider, next_at, learnt_interval_ms, learnt_at, slowed }) => [
      provider,
      { next_at_ms: next_at?.getTime() ?? 0, learnt_interval_ms, learnt_at_ms: learnt_at?.getTime() ?? 0, slowed },
    ]),
  );
}

/** Makes rows for the carriers whose rate is set. */
export async function prepareRates(sql: Sql, perSecond: CallsPerSecond, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  for (const provider of perSecond.keys()) {
    await sql`
      insert into carrier_rates (provider, next_at, learnt_at) values (${provider}, ${now}, ${now})
      on conflict (provider) do nothing`;
  }
}

/** Takes the right to place one call; false when none is due. Holds the account's row until the end of the transaction. */
export async function takeRate(
  tx: Transaction,
  provider: string,
  perSecond: number | undefined,
  nowMs: number,
): Promise<boolean> {
  const rate = await lockRate(tx, provider);
  const next = rate ? afterPlacing(rate, perSecond, nowMs) : null;
  if (!next) return rate === null;
  if (rate && next.next_at_ms !== rate.next_at_ms) await writeRate(tx, provider, next);
  return true;
}

/** Writes that the carrier refused a call for the number of calls. */
export async function learnRate(sql: Sql, provider: string, retryAfterMs: number | null, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  await sql.begin(async (tx) => {
    // Learnt long ago, so that the refusal counts.
    await tx`
      insert into carrier_rates (provider, next_at, learnt_at) values (${provider}, ${now}, 'epoch')
      on conflict (provider) do nothing`;
    const rate = await lockRate(tx, provider);
    if (rate) await writeRate(tx, provider, afterRefusal(rate, retryAfterMs, nowMs));
  });
}

async function lockRate(tx: Transaction, provider: string): Promise<CarrierRate | null> {
  const [row] = await tx<RateRow[]>`select * from carrier_rates where provider = ${provider} for no key update`;
  return row ? rateOf(row) : null;
}

async function writeRate(tx: Transaction, provider: string, rate: CarrierRate): Promise<void> {
  const { next_at_ms, learnt_interval_ms, learnt_at_ms } = rate;
  const row = { next_at: new Date(next_at_ms), learnt_interval_ms, learnt_at: new Date(learnt_at_ms) };
  await tx`update carrier_rates set ${tx(row)} where provider = ${provider}`;
}
