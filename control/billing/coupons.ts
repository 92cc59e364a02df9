import { z } from 'zod';
import { newId } from '../../shared/ids.ts';
import type { AnySql, Transaction } from '../db/connect.ts';

/** Codes that give credits at once, or a bonus on the next top-up. */

const couponFields = z
  .object({
    code: z.string().regex(/^[A-Z0-9-]{3,40}$/, 'a code has 3 to 40 letters, digits and hyphens'),
    kind: z.enum(['credit', 'topup_bonus']),
    currency: z.enum(['INR', 'USD']),
    amount_paise: z.int().min(1).nullable(),
    percent: z.int().min(1).max(1_000).nullable(),
    max_paise: z.int().min(1).nullable(),
    min_topup_paise: z.int().min(0),
    valid_from: z.date().nullable(),
    valid_until: z.date().nullable(),
    max_redemptions: z.int().min(1).nullable(),
    once_per_workspace: z.boolean(),
  })
  .superRefine((coupon, context) => {
    const broken = (message: string) => context.addIssue({ code: 'custom', message });
    const isCredit = coupon.kind === 'credit';
    if (isCredit !== (coupon.amount_paise !== null)) broken('a credit, and only that, has an amount');
    if (isCredit === (coupon.percent !== null)) broken('a topup_bonus, and only that, has a percentage');
    if (isCredit && (coupon.max_paise !== null || coupon.min_topup_paise > 0)) broken('a credit has no top-up');
    const { valid_from, valid_until } = coupon;
    if (valid_from && valid_until && valid_from >= valid_until) broken('it would end before it begins');
  });
export type CouponFields = z.output<typeof couponFields>;

export interface CouponRow extends CouponFields {
  id: string;
  enabled: boolean;
  created_at: Date;
}

const columns = (sql: AnySql) => sql`
  id, code, kind, currency, amount_paise, percent, max_paise, min_topup_paise, valid_from, valid_until, max_redemptions,
  once_per_workspace, enabled, created_at`;

export async function listCoupons(sql: AnySql): Promise<CouponRow[]> {
  return sql<CouponRow[]>`select ${columns(sql)} from coupons order by id desc`;
}

/** Returns the coupon, or why it was refused. */
export async function addCoupon(
  tx: Transaction,
  fields: Record<keyof CouponFields, unknown>,
  wallMs: number,
): Promise<CouponRow | string> {
  const read = couponFields.safeParse(fields);
  if (!read.success) {
    return read.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
  }
  const coupon = { ...read.data, id: newId(wallMs), enabled: true, created_at: new Date(wallMs) };
  const [row] = await tx<CouponRow[]>`
    insert into coupons ${tx(coupon)} on conflict (code) do nothing returning ${columns(tx)}`;
  return row ?? `the code ${coupon.code} exists already`;
}

/** Returns the coupon; null when there is none with this code. */
export async function switchCoupon(tx: Transaction, code: string, enabled: boolean): Promise<CouponRow | null> {
  const [row] = await tx<CouponRow[]>`
    update coupons set enabled = ${enabled} where code = ${code} returning ${columns(tx)}`;
  return row ?? null;
}

/** Locks the coupon until the transaction ends, so that its redemptions are counted one after the other. */
export async function lockCoupon(tx: Transaction, code: string): Promise<CouponRow | null> {
  const [row] = await tx<CouponRow[]>`
    select ${columns(tx)} from coupons where code = ${code} for no key update`;
  return row ?? null;
}
