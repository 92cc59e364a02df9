import type { AnySql } from '../db/connect.ts';
import { exchangeRates } from './exchange-rates.ts';
import { ENTERPRISE_PLAN_ID, listPlans, type PlanRow } from './plans.ts';
import type { Currency } from './rates.ts';
import { type WalletRow, walletOf } from './wallet.ts';
import { type PricedWorkspace, priceFor } from './workspace-pricing.ts';

/** After a change of the plan, the next one is possible when this is over. */
const PAUSE_BETWEEN_CHANGES_MS = 60_000;

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

/** A workspace as its plans are priced for it. */
interface Subscriber extends PricedWorkspace {
  plan_id: string;
  plan_changed_at: Date | null;
}

/** The plans that a workspace may see: without those that were agreed with others. */
export async function planEntries(sql: AnySql, workspaceId: string, nowMs: number): Promise<PlanEntry[]> {
  const subscriber = await subscriberOf(sql, workspaceId);
  const { USD } = await exchangeRates(sql);
  const isForAll = ({ id, custom }: PlanRow) => !custom || id === ENTERPRISE_PLAN_ID;
  const plans = (await listPlans(sql)).filter((plan) => isForAll(plan) || plan.id === subscriber.plan_id);
  return plans.map((plan) => entryOf(plan, subscriber, USD, nowMs));
}

export async function ownPlan(sql: AnySql, workspaceId: string, nowMs: number): Promise<OwnPlan> {
  const subscriber = await subscriberOf(sql, workspaceId);
  const plan = (await listPlans(sql)).find(({ id }) => id === subscriber.plan_id)!;
  const entry = entryOf(plan, subscriber, (await exchangeRates(sql)).USD, nowMs);
  return { ...entry, ...billingState(await walletOf(sql, workspaceId), entry) };
}

function entryOf(
  { prices, ...terms }: PlanRow,
  subscriber: Subscriber,
  paisePerDollar: number,
  nowMs: number,
): PlanEntry {
  const { plan_id, plan_changed_at, currency } = subscriber;
  const current = terms.id === plan_id;
  const changedJustNow = plan_changed_at !== null && nowMs - plan_changed_at.getTime() < PAUSE_BETWEEN_CHANGES_MS;
  const can_switch = !current && !terms.custom && !changedJustNow;
  return { ...terms, ...priceFor(prices, subscriber, paisePerDollar), current, can_switch, currency };
}

function billingState(wallet: WalletRow, { monthly_fee_paise }: PlanEntry) {
  const { plan_cycle_end, plan_past_due_since, plan_seconds_left, plan_seconds_total } = wallet;
  return {
    plan_paid_until: plan_past_due_since === null ? plan_cycle_end : null,
    next_charge_paise: plan_cycle_end === null ? 0 : monthly_fee_paise,
    plan_past_due_since,
    plan_minutes_left_seconds: plan_seconds_left,
    plan_minutes_total_seconds: plan_seconds_total,
    plan_minutes_cycle_end: plan_cycle_end,
  };
}

async function subscriberOf(sql: AnySql, workspaceId: string): Promise<Subscriber> {
  const [row] = await sql<Subscriber[]>`
    select plan_id, plan_changed_at, currency, own_price_per_minute_paise, own_browser_price_per_minute_paise
    from workspaces where id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  return row;
}
