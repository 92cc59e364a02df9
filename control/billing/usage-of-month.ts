import { boundsOf } from '../db/bucket-bounds.ts';
import type { AnySql } from '../db/connect.ts';
import { readTime, timeIn } from '../http/times.ts';
import { isUsage } from './fold-usage.ts';
import type { Currency } from './rates.ts';
import { walletOf } from './wallet.ts';
import { pricingOf } from './workspace-pricing.ts';

/** A workspace's usage in a calendar month of a time zone: calls, prompts and tests, without fees of plans, numbers and lines. */

export interface DayOfUsage {
  /** `YYYY-MM-DD` */
  day: string;
  /** Connected calls that were not waived; they count on the day they ended. */
  calls: number;
  minutes: number;
  spent_paise: number;
}

export interface MonthOfUsage {
  /** `YYYY-MM` */
  month: string;
  total_minutes: number;
  total_calls: number;
  spent_paise: number;
  /** Every day of the month that has begun, oldest first. */
  daily: DayOfUsage[];
  /** The month in which the workspace was created. */
  first_month: string;
  currency: Currency;
}

interface DayRow {
  /** Position among the days, from 1. */
  day: number;
  calls: number;
  seconds: number;
  spent_paise: number;
}

export async function usageOfMonth(
  sql: AnySql,
  workspaceId: string,
  { month, zone, wallMs }: { month?: string | undefined; zone: string; wallMs: number },
): Promise<MonthOfUsage> {
  const today = timeIn(zone, wallMs).slice(0, 10);
  const requested = month ?? today.slice(0, 7);
  const days = daysOf(requested).filter((day) => day <= today);
  const rows = await rowsOf(sql, workspaceId, days, requested, zone);
  const { opened_at } = await walletOf(sql, workspaceId);
  const { currency } = await pricingOf(sql, workspaceId);
  const sum = (field: 'calls' | 'seconds' | 'spent_paise') => rows.reduce((total, row) => total + row[field], 0);
  return {
    month: requested,
    total_minutes: minutesOf(sum('seconds')),
    total_calls: sum('calls'),
    spent_paise: sum('spent_paise'),
    daily: days.map((day, index) => {
      const row = rows.find((each) => each.day === index + 1);
      return {
        day,
        calls: row?.calls ?? 0,
        minutes: minutesOf(row?.seconds ?? 0),
        spent_paise: row?.spent_paise ?? 0,
      };
    }),
    first_month: timeIn(zone, opened_at.getTime()).slice(0, 7),
    currency,
  };
}

async function rowsOf(
  sql: AnySql,
  workspaceId: string,
  days: readonly string[],
  month: string,
  zone: string,
): Promise<DayRow[]> {
  if (days.length === 0) return [];
  const starts = days.map((day) => readTime(day, zone)!);
  const inMonth = (at: 'at' | 'quarter') => sql`
    ${sql(at)} >= ${starts[0]!} and ${sql(at)} < ${readTime(nextMonth(month), zone)!}`;
  return sql<DayRow[]>`
    with newest as materialized (
      select at, kind, seconds, amount_paise from ledger
      where workspace_id = ${workspaceId}
        and seq > coalesce((select seq from ledger_usage_progress where workspace_id = ${workspaceId}), 0)
      order by seq
    )
    select width_bucket(at, ${boundsOf(sql, starts)}) as day, sum(calls)::integer as calls, sum(seconds)::bigint as seconds,
      -sum(amount_paise)::bigint as spent_paise
    from (
      select quarter as at, calls, seconds, amount_paise from ledger_usage
      where workspace_id = ${workspaceId} and ${inMonth('quarter')}
      union all
      select at, (seconds is not null)::integer, coalesce(seconds, 0), amount_paise from newest
      where ${isUsage(sql)} and ${inMonth('at')}
    ) as charges
    group by 1 order by 1`;
}

/** With two decimals. */
const minutesOf = (seconds: number) => Math.round((seconds * 100) / 60) / 100;

function daysOf(month: string): string[] {
  const count = new Date(Date.parse(`${nextMonth(month)}T00:00:00Z`) - 1).getUTCDate();
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
}

/** The first day of it. */
function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
}
