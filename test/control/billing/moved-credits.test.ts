import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { creditsForAlert } from '../../../control/billing/balance.ts';
import { chargeCallerId } from '../../../control/billing/caller-id-fee.ts';
import { changeCurrency } from '../../../control/billing/change-currency.ts';
import { putOnPlan, switchPlan } from '../../../control/billing/change-plan.ts';
import { chargeTest } from '../../../control/billing/charge-test.ts';
import { grantCredits } from '../../../control/billing/grants.ts';
import {
  converterToWallet,
  type LedgerEntry,
  listLedger,
  returnCharge,
  takeBackCredits,
  writeLedger,
} from '../../../control/billing/ledger.ts';
import { setPlanTerms } from '../../../control/billing/plans.ts';
import { planEntries } from '../../../control/billing/priced-plans.ts';
import { setRate } from '../../../control/billing/rate-overrides.ts';
import { listRenewals, startRenewal } from '../../../control/billing/renewals/renewals.ts';
import { walletOf } from '../../../control/billing/wallet.ts';
import type { Sql, Transaction } from '../../../control/db/connect.ts';
import { newId } from '../../../shared/ids.ts';
import { newBuyer } from '../../support/invoices.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** What moves the credits of a workspace besides calls. */

const NOW_MS = Date.UTC(2026, 10, 23);
const ACTOR = { kind: 'user', id: 'u', name: 'Asha' } as const;

let sql: Sql;
let workspace_id: string;

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
});
beforeEach(async () => {
  workspace_id = await newBuyer(sql);
  await sql`delete from rates`;
});

const inTransaction = <Result>(run: (tx: Transaction) => Promise<Result>) => sql.begin(run) as Promise<Result>;

const write = (amount_paise: number, more: Partial<LedgerEntry> = {}) =>
  inTransaction((tx) =>
    writeLedger(tx, {
      ...{ workspace_id, kind: 'topup', amount_paise, note: '', by_name: '', at_ms: NOW_MS, key: newId() },
      ...more,
    }),
  );

const credits = async () => {
  const { paid_paise, free_paise } = await walletOf(sql, workspace_id);
  return [paid_paise, free_paise];
};

const payInDollars = () => sql`update workspaces set currency = 'USD' where id = ${workspace_id}`;

const actionsOf = async () =>
  (await sql`select action from audit_events where workspace_id = ${workspace_id} order by action`).map(
    ({ action }) => action,
  );

const checksOf = async () =>
  (await sql`select subject, due_at from alert_checks where workspace_id = ${workspace_id}`).map((row) => ({ ...row }));

describe('a charge', () => {
  it('has the alerts of the credits looked at, a top-up does not', async () => {
    await write(1_000);
    expect(await checksOf()).toEqual([]);
    await write(0);
    expect(await checksOf()).toEqual([]);
    await write(-1);
    expect(await checksOf()).toEqual([{ subject: 'credits', due_at: new Date(NOW_MS) }]);
  });

  it('of paid credits is shown as paid', async () => {
    await write(100, { kind: 'grant' });
    await write(-150);
    expect((await listLedger(sql, workspace_id, { limit: 5, skip: 0 })).items.map(({ funded }) => funded)).toEqual([
      ...['paid', 'free'],
    ]);
  });
});

describe('a charge that is given back', () => {
  const give = (more = {}) =>
    inTransaction((tx) => returnCharge(tx, { workspace_id, key: 'order', note: 'back', at_ms: NOW_MS, ...more }));

  it('gives free credits back as free ones, once', async () => {
    await write(300, { kind: 'grant' });
    await write(1_000);
    await write(-500, { kind: 'number', key: 'order' });
    expect(await give()).toMatchObject({ kind: 'number', paid_paise: 200, free_paise: 300, note: 'back' });
    await give();
    expect(await credits()).toEqual([1_000, 300]);
  });

  it('gives more where more was promised', async () => {
    await write(1_000);
    await write(-500, { kind: 'number', key: 'order' });
    expect(await give({ more_paise: 7 })).toMatchObject({ amount_paise: 507, paid_paise: 507, free_paise: 0 });
  });

  it('names its payment', async () => {
    await write(-500, { key: 'order', payment_id: 'p' });
    expect(await give()).toMatchObject({ payment_id: 'p' });
    expect(await give({ key: 'other' })).toBeNull();
  });

  it('is converted when the currency was changed since', async () => {
    await write(100, { kind: 'grant' });
    await write(-17_600, { key: 'order' });
    await payInDollars();
    expect(await give()).toMatchObject({ free_paise: 1, paid_paise: 199, currency: 'USD' });
  });
});

describe('an amount of the past', () => {
  const convert = async (paise: number, rate?: number) =>
    (await inTransaction((tx) => converterToWallet(tx, workspace_id, 'INR', rate)))(paise);

  it('stays as it is in the same currency', async () => {
    expect(await convert(8_800)).toBe(8_800);
  });

  it('is converted at the rate in force, or at that of its day', async () => {
    await payInDollars();
    expect([await convert(8_800), await convert(8_800, 4_400)]).toEqual([100, 200]);
  });
});

describe('credits whose money went back', () => {
  const takeBack = (amount_paise: number, free_paise: number, key = 'reversal') =>
    inTransaction((tx) =>
      takeBackCredits(tx, {
        ...{ workspace_id, kind: 'topup', amount_paise, free_paise, note: '', by_name: '', at_ms: NOW_MS, key },
      }),
    );

  it('are taken back once, free ones as far as there are any', async () => {
    await write(200, { kind: 'grant' });
    await write(1_000);
    await takeBack(-1_100, 100);
    await takeBack(-1_100, 100);
    expect(await credits()).toEqual([0, 100]);
    await takeBack(-500, 300, 'another');
    expect(await credits()).toEqual([-400, 0]);
  });

  it('may be paid ones only', async () => {
    await write(200, { kind: 'grant' });
    expect(await takeBack(-50, 0)).toMatchObject({ paid_paise: -50, free_paise: 0 });
  });
});

describe('a change of the currency', () => {
  const change = (to: 'INR' | 'USD') =>
    inTransaction((tx) => changeCurrency(tx, { workspace_id, to, by_name: 'operator', at_ms: NOW_MS }));

  it('converts paid and free credits, and prices of its own rounded up', async () => {
    await sql`
      update workspaces set own_price_per_minute_paise = 441, own_browser_price_per_minute_paise = 440
      where id = ${workspace_id}`;
    await write(880, { kind: 'grant' });
    await write(17_600);
    expect(await change('USD')).toEqual({
      ...{ from: 'INR', to: 'USD', paise_per_dollar: 8_800, credits_before_paise: 18_480, credits_paise: 210 },
    });
    expect(await credits()).toEqual([200, 10]);
    const prices = async () =>
      (
        await sql`
        select own_price_per_minute_paise as phone, own_browser_price_per_minute_paise as browser from workspaces
        where id = ${workspace_id}`
      )[0];
    expect(await prices()).toMatchObject({ phone: 6, browser: 5 });
    expect(await change('USD')).toBeNull();
    await change('INR');
    expect(await prices()).toMatchObject({ phone: 528, browser: 440 });
    const rows =
      await sql`select kind, amount_paise, free_paise from ledger where workspace_id = ${workspace_id} order by seq`;
    expect(rows.slice(2, 4)).toMatchObject([
      { kind: 'conversion', amount_paise: -18_480, free_paise: -880 },
      { kind: 'conversion', amount_paise: 210, free_paise: 10 },
    ]);
  });

  it('of an empty wallet writes zeros', async () => {
    await change('USD');
    const rows =
      await sql`select amount_paise, paid_paise, free_paise from ledger where workspace_id = ${workspace_id}`;
    expect(rows.map((row) => Object.values(row))).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe('credits that the operator gives', () => {
  const unpaid = async () => {
    await inTransaction((tx) =>
      startRenewal(tx, { workspace_id, kind: 'lines', subject_id: 'all', cycle_end: new Date(NOW_MS + 5) }),
    );
    await sql`update renewals set past_due_since = now() where workspace_id = ${workspace_id}`;
  };
  const nextAttempt = async () => (await listRenewals(sql, workspace_id))[0]!.next_attempt_at.getTime() - NOW_MS;
  const give = (kind: 'grant' | 'adjustment', amount_paise: number) =>
    inTransaction((tx) =>
      grantCredits(tx, { workspace_id, kind, amount_paise, note: 'n', actor: ACTOR, at_ms: NOW_MS }),
    );

  it('are in the audit trail, and unpaid fees are tried again', async () => {
    await unpaid();
    await give('adjustment', -1);
    expect(await nextAttempt()).toBe(5);
    expect(await give('grant', 1)).toMatchObject({ amount_paise: 1, by_name: 'Asha', created_at: new Date(NOW_MS) });
    expect(await nextAttempt()).toBe(0);
    expect(await actionsOf()).toEqual(['credits.adjusted', 'credits.granted']);
  });
});

describe('a plan', () => {
  const planEntry = async (id: string, at_ms = NOW_MS) =>
    (await planEntries(sql, workspace_id, at_ms)).find((plan) => plan.id === id);

  it('that the operator gives tries what is unpaid again, and ends the renewal of the plan before', async () => {
    const put = (plan_id: string, at_ms = NOW_MS) =>
      inTransaction((tx) => putOnPlan(tx, { workspace_id, plan_id, at_ms }));
    expect(await put('growth', NOW_MS - 1)).toBe(true);
    await inTransaction((tx) =>
      startRenewal(tx, { workspace_id, kind: 'lines', subject_id: 'all', cycle_end: new Date(NOW_MS + 5) }),
    );
    await sql`update renewals set past_due_since = now() where workspace_id = ${workspace_id} and kind = 'lines'`;
    expect(await put('scale')).toBe(true);
    const renewals = await listRenewals(sql, workspace_id);
    expect(
      renewals.map(({ kind, subject_id, next_attempt_at }) => [kind, subject_id, next_attempt_at.getTime() - NOW_MS]),
    ).toEqual([
      ['lines', 'all', 0],
      ['plan', 'scale', 30 * 86_400_000],
    ]);
    expect(await put('nothing')).toBe(false);
    const changes = await sql`
      select changes from audit_events where workspace_id = ${workspace_id} and action = 'workspace.plan_changed' order by id`;
    expect(changes.map((row) => row.changes.plan_id)).toEqual([
      ['starter', 'growth'],
      ['growth', 'scale'],
    ]);
  });

  it('is switched to in the transaction of its request', async () => {
    await write(1_000_000);
    const requests: string[] = [];
    await switchPlan(sql, {
      ...{ workspace_id, plan_id: 'growth', actor: ACTOR, at_ms: NOW_MS },
      markCarriedOut: async () => void requests.push('carried out'),
    });
    expect(requests).toEqual(['carried out']);
    expect((await planEntry('growth'))!.current).toBe(true);
  });

  it('can be switched to a minute after the last change', async () => {
    await inTransaction((tx) => putOnPlan(tx, { workspace_id, plan_id: 'growth', at_ms: NOW_MS }));
    const canSwitch = async (id: string, afterMs: number) => (await planEntry(id, NOW_MS + afterMs))?.can_switch;
    expect([await canSwitch('scale', 59_999), await canSwitch('scale', 60_000)]).toEqual([false, true]);
    expect(await canSwitch('growth', 60_000)).toBe(false);
  });

  it('that was agreed with one customer is seen by no other', async () => {
    const set = (id: string, change = {}) =>
      inTransaction((tx) => setPlanTerms(tx, id, { currency: 'INR', price: {}, ...change }, NOW_MS));
    const own = `own-${workspace_id.slice(-12)}`;
    const price = { price_per_minute_paise: 300 };
    expect(await set(own, { price, name: 'Own', concurrency_limit: 3, custom: true })).toMatchObject({
      ...{ before: null, now: { includes_caller_verification: false, member_limit: null, included_minutes: 0 } },
    });
    expect(await planEntry(own)).toBeUndefined();
    await inTransaction((tx) => putOnPlan(tx, { workspace_id, plan_id: own, at_ms: NOW_MS }));
    expect(await planEntry(own)).toMatchObject({ current: true, can_switch: false, price_per_minute_paise: 300 });
    expect(await set(own, { price: { monthly_fee_paise: 5 } })).toMatchObject({
      now: { name: 'Own', prices: { INR: { price_per_minute_paise: 300, monthly_fee_paise: 5 } } },
    });
    expect(await set(own, { price: { monthly_fee_paise: -1 } })).toContain('prices.INR.monthly_fee_paise: ');
    expect(await set('NOT')).toContain('id: ');
  });
});

describe('other charges', () => {
  it('the test of an agent is one row, and none without a price', async () => {
    const charge = (provider: string) =>
      inTransaction((tx) =>
        chargeTest(tx, {
          ...{ workspace_id, run_id: newId(), speechUsed: [], by_name: 'Asha', at_ms: NOW_MS },
          tokensUsed: [{ provider, model: 'gpt-4.1-mini', input_tokens: 1_000_000, output_tokens: 0 }],
        }),
      );
    expect(await charge('nobody')).toEqual({ cost_paise: 0, currency: 'INR' });
    expect((await walletOf(sql, workspace_id)).seq).toBe(0);
    const { cost_paise } = await charge('openai');
    expect(cost_paise).toBeGreaterThan(0);
    const [row] = await sql`select kind, amount_paise, by_name from ledger where workspace_id = ${workspace_id}`;
    expect(row).toEqual({ kind: 'test', amount_paise: -cost_paise, by_name: 'Asha' });
  });

  it('a caller id is renewed from its first fee on, also where it costs nothing', async () => {
    const charge = (id: string) =>
      inTransaction((tx) => chargeCallerId(tx, { workspace_id, id, display_name: 'Acme' }, NOW_MS));
    const cycle_end = new Date(NOW_MS + 30 * 86_400_000);
    expect(await charge('free')).toEqual({ fee_paise: 0, currency: 'INR', paid_until: null });
    expect(await listRenewals(sql, workspace_id)).toMatchObject([{ kind: 'caller_id', subject_id: 'free', cycle_end }]);
    const key = { component: 'caller_id', provider: '', model: '', currency: 'INR' } as const;
    await inTransaction((tx) => setRate(tx, { ...key, rate_paise: 100, updated_at: new Date() }));
    expect(await charge('paid')).toBeNull();
    await write(100);
    expect(await charge('paid')).toEqual({ fee_paise: 100, currency: 'INR', paid_until: cycle_end });
  });

  it('an alert says for how long the credits and the included minutes last', async () => {
    await write(1_100);
    await sql`update wallets set plan_seconds_left = 119 where workspace_id = ${workspace_id}`;
    expect(await creditsForAlert(sql, workspace_id)).toEqual({
      ...{ credits_paise: 1_100, balance: '₹11.00', minutes_left: 2, plan_minutes_left: 1 },
    });
  });
});
