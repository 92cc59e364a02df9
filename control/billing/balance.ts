import type { AnySql, Sql } from '../db/connect.ts';
import { moneyText } from './money-text.ts';
import type { Currency } from './rates.ts';
import { type PendingBonus, pendingBonus } from './redemptions.ts';
import { planSecondsOf, walletOf } from './wallet.ts';
import { pricingOf } from './workspace-pricing.ts';

/** Fewer minutes left are a low balance. */
const LOW_BALANCE_MINUTES = 10;

export interface Balance {
  credits_paise: number;
  price_per_minute_paise: number;
  minutes_left: number;
  low_balance: boolean;
  currency: Currency;
  plan_name: string;
  plan_id: string;
  pending_bonus: PendingBonus | null;
  plan_minutes_left_seconds: number;
  plan_minutes_total_seconds: number;
  plan_minutes_cycle_end: Date | null;
}

export async function balanceOf(sql: Sql, workspaceId: string): Promise<Balance> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const wallet = await walletOf(tx, workspaceId);
    const { currency, price_per_minute_paise } = await pricingOf(tx, workspaceId);
    const [plan] = await tx<{ plan_id: string; plan_name: string }[]>`
      select p.id as plan_id, p.name as plan_name from workspaces w join plans p on p.id = w.plan_id
      where w.id = ${workspaceId}`;
    const credits_paise = wallet.paid_paise + wallet.free_paise;
    const minutes_left = minutesLeft(credits_paise, price_per_minute_paise);
    return {
      credits_paise,
      price_per_minute_paise,
      minutes_left,
      low_balance: minutes_left < LOW_BALANCE_MINUTES,
      currency,
      ...plan!,
      pending_bonus: await pendingBonus(tx, workspaceId),
      plan_minutes_left_seconds: wallet.plan_seconds_left,
      plan_minutes_total_seconds: wallet.plan_seconds_total,
      plan_minutes_cycle_end: wallet.plan_cycle_end,
    };
  });
}

/** What the alerts about credits say. */
export async function creditsForAlert(sql: AnySql, workspaceId: string) {
  const wallet = await walletOf(sql, workspaceId);
  const { currency, price_per_minute_paise } = await pricingOf(sql, workspaceId);
  const credits_paise = wallet.paid_paise + wallet.free_paise;
  return {
    credits_paise,
    balance: moneyText(credits_paise, currency),
    minutes_left: minutesLeft(credits_paise, price_per_minute_paise),
    plan_minutes_left: Math.floor(planSecondsOf(wallet) / 60),
  };
}

/** Minutes that the credits pay for at the plan's price, without included minutes. At a price of 0, any credits last a million minutes. */
export function minutesLeft(creditsPaise: number, pricePaise: number): number {
  const credits = Math.max(0, creditsPaise);
  if (pricePaise === 0) return credits > 0 ? 1_000_000 : 0;
  return Math.floor(credits / pricePaise);
}
