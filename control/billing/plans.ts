import { z } from 'zod';
import type { AnySql, Transaction } from '../db/connect.ts';

/** Plans, set by the operator: limits, what is included, and a price per currency. */

const price = z.object({
  price_per_minute_paise: z.int().min(0),
  /** Null: as on the phone. */
  browser_price_per_minute_paise: z.int().min(0).nullable(),
  monthly_fee_paise: z.int().min(0),
});
export type PlanPrice = z.output<typeof price>;

const planFields = z.object({
  id: z.string().regex(/^[a-z0-9_-]{1,32}$/),
  name: z.string().trim().min(1).max(80),
  icon: z.string().max(80),
  prices: z.partialRecord(z.enum(['INR', 'USD']), price),
  included_minutes: z.int().min(0),
  included_numbers: z.int().min(0),
  includes_caller_verification: z.boolean(),
  concurrency_limit: z.int().min(1).max(100),
  /** Null: no limit. */
  member_limit: z.int().min(1).nullable(),
  custom: z.boolean(),
});
export type PlanRow = z.output<typeof planFields>;

/** Defaults of a new plan. */
const NEW = {
  icon: '',
  prices: {},
  included_minutes: 0,
  included_numbers: 0,
  includes_caller_verification: false,
  member_limit: null,
  custom: false,
};

const columns = (sql: AnySql) => sql`
  id, name, icon, prices, included_minutes, included_numbers, includes_caller_verification, concurrency_limit, member_limit,
  custom`;

/** A custom plan that everybody sees, because it says that terms can be agreed. The others were agreed with one customer. */
export const ENTERPRISE_PLAN_ID = 'enterprise';

export async function listPlans(sql: AnySql): Promise<PlanRow[]> {
  return sql<PlanRow[]>`select ${columns(sql)} from plans order by position, id`;
}

/** Changes the given parts of one currency's price; the others stay. */
export interface PlanChange extends Partial<Omit<PlanRow, 'id' | 'prices'>> {
  currency: 'INR' | 'USD';
  price: Partial<PlanPrice>;
}

/** Creates or changes a plan; workspaces on it keep their limit of live calls. @returns the plan before and after, or why it was refused. */
export async function setPlanTerms(
  tx: Transaction,
  id: string,
  change: PlanChange,
  wallMs: number,
): Promise<{ before: PlanRow | null; now: PlanRow } | string> {
  const [before = null] = await tx<PlanRow[]>`select ${columns(tx)} from plans where id = ${id} for update`;
  const { currency, price: given, ...fields } = change;
  const prices = { ...(before?.prices ?? {}) };
  if (Object.keys(given).length > 0) {
    const none = { browser_price_per_minute_paise: null, monthly_fee_paise: 0 };
    prices[currency] = { ...none, ...prices[currency], ...given } as PlanPrice;
  }
  const read = planFields.safeParse({ ...NEW, ...before, ...fields, prices, id });
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const now = read.data;
  const values = { ...now, prices: tx.json(now.prices), updated_at: new Date(wallMs) };
  const names = [...Object.keys(now), 'updated_at'] as (keyof typeof values)[];
  if (before) await tx`update plans set ${tx(values, ...names)} where id = ${id}`;
  else await tx`insert into plans ${tx(values, ...names)}`;
  return { before, now };
}
