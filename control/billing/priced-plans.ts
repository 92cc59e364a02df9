import type { AnySql } from '../db/connect.ts';
import { listPlans, type PlanRow } from './plans.ts';
import type { Currency } from './rates.ts';
import { type WalletRow, walletOf } from './wallet.ts';
import { priceIn } from './workspace-pricing.ts';

/** A plan priced in a workspace's currency. */
export interface PlanEntry {
  id: string;
  name: string;
  icon: string;
  price_per_minute_paise: number;
  /** Null: as on the phone. */
  browser_price_per_minute_paise: number | null;
  monthly_fee_paise: number;
  included_minutes: number;
  included_numbers: number;
  includes_caller_verification: boolean;
  concurrency_limit: number;
  member_limit: number | null;
  custom: boolean;
  current: boolean;
  can_switch: boolean;
  currency: Currency;
}

export interface OwnPlan extends PlanEntry {
  plan_paid_until: Date | null;
  next_charge_paise: number;
  plan_past_due_since: Date | null;
  plan_minutes_left_seconds: number;
  plan_minutes_total_seconds: number;
  plan_minutes_cycle_end: Date | null;
}

export async function planEntries(sql: AnySql, workspaceId: string): Promise<PlanEntry[]> {
  const { plan_id, currency } = await workspaceOf(sql, workspaceId);
  return (await listPlans(sql)).map((plan) => entryOf(plan, plan_id, currency));
}

export async function ownPlan(sql: AnySql, workspaceId: string): Promise<OwnPlan> {
  const { plan_id, currency } = await workspaceOf(sql, workspaceId);
  const plan = (await listPlans(sql)).find(({ id }) => id === plan_id)!;
  return { ...entryOf(plan, plan_id, currency), ...billingState(await walletOf(sql, workspaceId), plan, currency) };
}

function entryOf(plan: PlanRow, currentId: string, currency: Currency): PlanEntry {
  const { prices, ...terms } = plan;
  const current = plan.id === currentId;
  return { ...terms, ...priceIn(prices, currency), current, can_switch: !current && !plan.custom, currency };
}

function billingState(wallet: WalletRow, { prices }: PlanRow, currency: Currency) {
  const { plan_cycle_end, plan_past_due_since, plan_seconds_left, plan_seconds_total } = wallet;
  return {
    plan_paid_until: plan_past_due_since === null ? plan_cycle_end : null,
    next_charge_paise: plan_cycle_end === null ? 0 : priceIn(prices, currency).monthly_fee_paise,
    plan_past_due_since,
    plan_minutes_left_seconds: plan_seconds_left,
    plan_minutes_total_seconds: plan_seconds_total,
    plan_minutes_cycle_end: plan_cycle_end,
  };
}

async function workspaceOf(sql: AnySql, workspaceId: string): Promise<{ plan_id: string; currency: Currency }> {
  const [row] = await sql<{ plan_id: string; currency: Currency }[]>`
    select plan_id, currency from workspaces where id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  return row;
}
