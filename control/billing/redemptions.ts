import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError } from '../http/errors.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { type CouponRow, lockCoupon } from './coupons.ts';
import { writeLedger } from './ledger.ts';
import type { Currency } from './rates.ts';
import { retryPastDue } from './renewals/renewals.ts';

/** Redemptions of coupons. */

/** A bonus on the next top-up. */
export interface PendingBonus {
  code: string;
  percent: number;
  max_paise: number | null;
  min_topup_paise: number;
  redeemed_at: Date;
}

export interface Redeemed {
  kind: CouponRow['kind'];
  /** Of a credit, and the credits with it. */
  amount_paise: number | null;
  credits_paise: number | null;
  /** Of a bonus. */
  percent: number | null;
  pending_bonus: PendingBonus | null;
  currency: Currency;
}

export async function pendingBonus(sql: AnySql, workspaceId: string): Promise<PendingBonus | null> {
  const [row] = await sql<PendingBonus[]>`
    select c.code, c.percent, c.max_paise, c.min_topup_paise, r.redeemed_at
    from coupon_redemptions r join coupons c on c.id = r.coupon_id
    where r.workspace_id = ${workspaceId} and r.kind = 'topup_bonus' and r.used_at is null`;
  return row ?? null;
}

/**
 * Uses the bonus that waits up, with a top-up that is large enough for it; null, and it keeps waiting, with another one. The wallet
 * must be locked.
 */
export async function takePendingBonus(
  tx: Transaction,
  workspaceId: string,
  topup: { amount_paise: number; currency: Currency; at_ms: number },
): Promise<{ code: string; bonus_paise: number } | null> {
  const [used] = await tx<Pick<PendingBonus, 'code' | 'percent' | 'max_paise'>[]>`
    update coupon_redemptions r set used_at = ${new Date(topup.at_ms)} from coupons c
    where r.workspace_id = ${workspaceId} and r.kind = 'topup_bonus' and r.used_at is null and c.id = r.coupon_id
      and c.currency = ${topup.currency} and c.min_topup_paise <= ${topup.amount_paise}::bigint
    returning c.code, c.percent, c.max_paise`;
  if (!used) return null;
  const bonus = Math.floor((topup.amount_paise * used.percent) / 100);
  return { code: used.code, bonus_paise: Math.min(bonus, used.max_paise ?? bonus) };
}

/**
 * Redeems a code: credits are in the ledger at once, a bonus waits for the next top-up. Concurrent redemptions of one code wait
 * for each other.
 *
 * @throws HttpError 404 for a code that does not exist, is disabled or is of another currency; 409 outside its time, when it has
 *   been used up, when this workspace has used it, or when a bonus waits already. In this order.
 */
export async function redeemCoupon(
  sql: Sql,
  workspace_id: string,
  { code, actor, at_ms }: { code: string; actor: Actor; at_ms: number },
): Promise<Redeemed> {
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    const currency = workspace!.currency as Currency;
    const coupon = await lockCoupon(tx, code.trim().toUpperCase());
    if (!coupon?.enabled || coupon.currency !== currency) throw new HttpError(404, 'this code is not valid');
    await requireRedeemable(tx, workspace_id, coupon, at_ms);
    const id = newId(at_ms);
    const now = new Date(at_ms);
    const isCredit = coupon.kind === 'credit';
    await tx`
      insert into coupon_redemptions (workspace_id, id, coupon_id, kind, redeemed_by, redeemed_at, used_at)
      values (${workspace_id}, ${id}, ${coupon.id}, ${coupon.kind}, ${actor.name}, ${now}, ${isCredit ? now : null})`;
    const target = { kind: 'coupon', id: coupon.id, name: coupon.code };
    await writeAudit(tx, { workspace_id, actor, action: 'coupon.redeemed', target, at_ms });
    const none = { amount_paise: null, credits_paise: null, percent: null, pending_bonus: null };
    if (!isCredit) {
      const { percent } = coupon;
      return { ...none, kind: coupon.kind, percent, pending_bonus: await pendingBonus(tx, workspace_id), currency };
    }
    const amount_paise = coupon.amount_paise!;
    await retryPastDue(tx, workspace_id, at_ms);
    const row = await writeLedger(tx, {
      ...{ workspace_id, amount_paise, at_ms, kind: 'grant', note: `coupon ${coupon.code}` },
      ...{ by_name: actor.name, key: `coupon:${id}` },
    });
    return { ...none, kind: coupon.kind, amount_paise, credits_paise: row.balance_after_paise, currency };
  });
}

/** The coupon's row must be locked. @throws HttpError 409 when it cannot be redeemed now. */
async function requireRedeemable(tx: Transaction, workspaceId: string, coupon: CouponRow, atMs: number): Promise<void> {
  const { valid_from, valid_until, max_redemptions, once_per_workspace } = coupon;
  if ((valid_from && valid_from.getTime() > atMs) || (valid_until && valid_until.getTime() <= atMs)) {
    throw conflict('this code is not valid now');
  }
  const [used] = await tx<{ all: number; own: number }[]>`
    select count(*)::integer as all, (count(*) filter (where workspace_id = ${workspaceId}))::integer as own
    from coupon_redemptions where coupon_id = ${coupon.id}`;
  if (max_redemptions !== null && used!.all >= max_redemptions) throw conflict('this code has been fully used');
  if (once_per_workspace && used!.own > 0) throw conflict('your workspace has already used this code');
  if (coupon.kind === 'topup_bonus' && (await pendingBonus(tx, workspaceId))) {
    throw conflict('a top-up bonus is already waiting');
  }
}
