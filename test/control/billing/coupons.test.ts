import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCoupon, type CouponFields, listCoupons, switchCoupon } from '../../../control/billing/coupons.ts';
import { pendingBonus, redeemCoupon, takePendingBonus } from '../../../control/billing/redemptions.ts';
import { walletOf } from '../../../control/billing/wallet.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { newId } from '../../../shared/ids.ts';
import { newBuyer } from '../../support/invoices.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const ACTOR = { kind: 'user', id: 'u', name: 'Asha' } as const;

let sql: Sql;
let workspace: string;

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
});
beforeEach(async () => {
  workspace = await newBuyer(sql);
});

const CREDIT: CouponFields = {
  ...{ code: 'X', kind: 'credit', currency: 'INR', amount_paise: 5_000, percent: null, max_paise: null },
  ...{ min_topup_paise: 0, valid_from: null, valid_until: null, max_redemptions: null, once_per_workspace: true },
};
const BONUS: Partial<CouponFields> = { kind: 'topup_bonus', amount_paise: null, percent: 20 };

/** Under a code of its own. */
const add = (change: Partial<CouponFields> = {}) =>
  sql.begin((tx) => addCoupon(tx, { ...CREDIT, code: newId().toUpperCase(), ...change }, NOW_MS));

async function code(change: Partial<CouponFields> = {}): Promise<string> {
  const coupon = await add(change);
  if (typeof coupon === 'string') throw new Error(coupon);
  return coupon.code;
}

const redeem = (given: string, who = workspace, at_ms = NOW_MS) =>
  redeemCoupon(sql, who, { code: given, actor: ACTOR, at_ms }).catch(({ status, detail }) => `${status} ${detail}`);

describe('a coupon', () => {
  it.each<[string, Partial<CouponFields>]>([
    ['a credit, and only that, has an amount', { amount_paise: null }],
    ['a credit, and only that, has an amount', { ...BONUS, amount_paise: 5 }],
    ['a topup_bonus, and only that, has a percentage', { percent: 5 }],
    ['a topup_bonus, and only that, has a percentage', { ...BONUS, percent: null }],
    ['a credit has no top-up', { max_paise: 1 }],
    ['a credit has no top-up', { min_topup_paise: 1 }],
    ['it would end before it begins', { valid_from: new Date(NOW_MS), valid_until: new Date(NOW_MS) }],
    ['code: a code has 3 to 40 letters, digits and hyphens', { code: 'a b' }],
  ])('is refused: %s', async (reason, change) => {
    expect(await add(change)).toBe(reason);
  });

  it('is added once, newest first', async () => {
    const first = await code({ ...BONUS, max_paise: 9, min_topup_paise: 9, valid_from: new Date(NOW_MS - 1) });
    // Ids of the same millisecond have no order.
    await sql`update coupons set id = overlay(id placing '00' from 1 for 2) where code = ${first}`;
    const second = await code({ valid_from: new Date(NOW_MS - 1), valid_until: new Date(NOW_MS) });
    expect(await add({ code: first })).toBe(`the code ${first} exists already`);
    expect(
      (await listCoupons(sql)).map((coupon) => coupon.code).filter((each) => [first, second].includes(each)),
    ).toEqual([second, first]);
  });
});

describe('redeeming', () => {
  it('gives the credits at once, and is in the audit trail', async () => {
    const given = await code();
    expect(await redeem(` ${given.toLowerCase()} `)).toMatchObject({ kind: 'credit', amount_paise: 5_000 });
    expect(await walletOf(sql, workspace)).toMatchObject({ free_paise: 5_000, seq: 1 });
    const [event] = await sql`
      select target_name from audit_events where workspace_id = ${workspace} and action = 'coupon.redeemed'`;
    expect(event).toEqual({ target_name: given });
    expect(await redeem(given)).toBe('409 your workspace has already used this code');
  });

  it('tries unpaid fees again', async () => {
    await sql`
      insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at, past_due_since)
      values (${workspace}, 'lines', 'all', '2026-11-22', '2026-11-24', '2026-11-22')`;
    await redeem(await code());
    const [row] = await sql`select next_attempt_at from renewals where workspace_id = ${workspace}`;
    expect(row!.next_attempt_at).toEqual(new Date(NOW_MS));
  });

  it.each<[string, Partial<CouponFields>, string | null]>([
    ['from its first moment', { valid_from: new Date(NOW_MS) }, null],
    ['not before it', { valid_from: new Date(NOW_MS + 1) }, '409 this code is not valid now'],
    ['until its last moment', { valid_until: new Date(NOW_MS + 1) }, null],
    ['not after it', { valid_until: new Date(NOW_MS) }, '409 this code is not valid now'],
    ['in its currency', { currency: 'USD' }, '404 this code is not valid'],
  ])('is possible %s', async (_when, change, refused) => {
    const outcome = await redeem(await code(change));
    expect(typeof outcome === 'string' ? outcome : null).toBe(refused);
  });

  it('is possible while the code is enabled', async () => {
    const given = await code();
    await sql.begin((tx) => switchCoupon(tx, given, false));
    expect(await redeem(given)).toBe('404 this code is not valid');
    await sql.begin((tx) => switchCoupon(tx, given, true));
    expect(await redeem(given)).toMatchObject({ credits_paise: 5_000 });
  });

  it('is possible as often as the code says', async () => {
    const given = await code({ once_per_workspace: false, max_redemptions: 2 });
    await redeem(given);
    expect(await redeem(given)).toMatchObject({ credits_paise: 10_000 });
    expect(await redeem(given)).toBe('409 this code has been fully used');
  });
});

describe('a bonus', () => {
  const take = (amount_paise: number, currency: 'INR' | 'USD' = 'INR') =>
    sql.begin((tx) => takePendingBonus(tx, workspace, { amount_paise, currency, at_ms: NOW_MS }));

  it('waits for a top-up that is large enough, in its currency', async () => {
    const given = await code({ ...BONUS, min_topup_paise: 10_000, max_paise: 2_100 });
    expect(await redeem(given)).toMatchObject({ percent: 20, pending_bonus: { code: given, min_topup_paise: 10_000 } });
    expect((await walletOf(sql, workspace)).seq).toBe(0);
    expect(await redeem(await code(BONUS))).toBe('409 a top-up bonus is already waiting');
    expect(await take(9_999)).toBeNull();
    expect(await take(10_000, 'USD')).toBeNull();
    expect(await take(10_007)).toEqual({ code: given, bonus_paise: 2_001 });
    expect([await take(10_000), await pendingBonus(sql, workspace)]).toEqual([null, null]);
  });

  it('is no more than its maximum', async () => {
    await redeem(await code({ ...BONUS, max_paise: 2_000 }));
    expect(await take(20_000)).toMatchObject({ bonus_paise: 2_000 });
  });

  it('may have no maximum', async () => {
    await redeem(await code(BONUS));
    expect(await take(20_000)).toMatchObject({ bonus_paise: 4_000 });
  });
});
