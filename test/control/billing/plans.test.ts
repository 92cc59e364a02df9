import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grantCredits } from '../../../control/billing/grants.ts';
import { canPlaceCalls } from '../../../control/billing/wallet.ts';
import { systemClock } from '../../../shared/clock.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { createOperatorCommand } from '../../support/operator-command.ts';

const DAY_MS = 86_400_000;
const GROWTH_PAISE = 299_900;
const START_MS = Date.UTC(2026, 10, 23, 10);

let api: TestApi;
let nowMs = START_MS;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock: { ...systemClock, wall: () => nowMs } });
});
beforeEach(async () => {
  nowMs = START_MS;
  owner = await ownerWith(0);
});

/** With so many paid credits, and nothing in the ledger but them. */
async function ownerWith(credits_paise: number): Promise<UserClient> {
  const made = await api.asUser('owner');
  const { workspace_id } = made;
  await api.sql`delete from ledger where workspace_id = ${workspace_id}`;
  await api.sql`update wallets set paid_paise = 0, free_paise = 0, seq = 0 where workspace_id = ${workspace_id}`;
  if (credits_paise > 0) await giveCredits(api.sql, workspace_id, credits_paise);
  return made;
}

const topUp = (paise: number) => giveCredits(api.sql, owner.workspace_id, paise);
const switchTo = (plan_id: string, headers = {}) => owner.send('POST', '/billing/plan', { plan_id }, headers);
const plan = async () => (await owner.send('GET', '/billing/plan?timezone=UTC')).body;
const at = (day: number) => new Date(START_MS + day * DAY_MS).toISOString().replace('.000Z', '+00:00');

async function onDay(day: number): Promise<void> {
  nowMs = START_MS + day * DAY_MS;
  // They sign in again: a session of months ago is over; one that was seen just now is not written again.
  await api.sql`
    update sessions set created_at = ${new Date(nowMs)}, last_seen_at = ${new Date(nowMs)},
      expires_at = ${new Date(nowMs + DAY_MS)}`;
  await renewDue(api.sql, nowMs);
}

const fees = async () =>
  (await owner.send('GET', '/billing/ledger?timezone=UTC')).body.items
    .filter(({ kind }: { kind: string }) => kind === 'plan')
    .map(({ amount_paise, note, at }: { amount_paise: number; note: string; at: string }) => [amount_paise, note, at]);

const emails = async () =>
  (
    await api.sql<{ subject: string }[]>`
      select subject from mail_outbox where workspace_id = ${owner.workspace_id} and subject not like '%nvoice%' order by id`
  ).map(({ subject }) => subject);

describe('switching to a plan', () => {
  it('takes the first month at once, with its invoice, and gives the included minutes', async () => {
    await topUp(300_000);
    const { status, body } = await switchTo('growth');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'growth', current: true, next_charge_paise: GROWTH_PAISE });
    expect(await plan()).toMatchObject({
      plan_paid_until: at(30),
      plan_past_due_since: null,
      plan_minutes_left_seconds: 36_000,
      plan_minutes_total_seconds: 36_000,
      plan_minutes_cycle_end: at(30),
    });
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ credits_paise: 100, plan_id: 'growth' });
    expect((await owner.send('GET', '/workspace/limits')).body.concurrency_limit).toBe(15);
    expect(await fees()).toEqual([[-GROWTH_PAISE, 'plan Growth, 30 days', at(0)]]);
    const invoices = await api.sql`
      select kind, amount_paise, tax_paise, paid_from from invoices where workspace_id = ${owner.workspace_id}`;
    expect([...invoices]).toEqual([{ kind: 'plan', amount_paise: GROWTH_PAISE, tax_paise: 0, paid_from: 'credits' }]);
    const [event] = (await owner.send('GET', '/audit-events?action=workspace.plan_changed')).body.items;
    expect(event).toMatchObject({ actor: { name: 'The owner' }, changes: { plan_id: ['starter', 'growth'] } });
  });

  it('changes nothing when the credits do not cover it', async () => {
    await topUp(GROWTH_PAISE - 1);
    expect(await switchTo('growth')).toMatchObject({
      status: 402,
      body: { detail: 'not enough credits: plan Growth costs 2999.00 INR' },
    });
    expect(await plan()).toMatchObject({ id: 'starter', plan_minutes_left_seconds: 0, next_charge_paise: 0 });
    expect(await api.sql`select 1 from renewals where workspace_id = ${owner.workspace_id}`).toHaveLength(0);
  });

  it('is possible where can_switch says so', async () => {
    await topUp(10_000_000);
    const switchable = async () =>
      (await owner.send('GET', '/billing/plans')).body
        .filter(({ can_switch }: { can_switch: boolean }) => can_switch)
        .map(({ id }: { id: string }) => id);
    expect(await switchable()).toEqual(['growth', 'scale']);
    const refused = { status: 409, body: { detail: 'this plan cannot be switched to' } };
    for (const id of ['starter', 'enterprise']) expect(await switchTo(id)).toMatchObject(refused);
    expect(await switchTo('gold')).toMatchObject({ status: 404, body: { detail: 'plan not found' } });
    expect((await switchTo('growth')).status).toBe(200);
    nowMs += 59_999;
    expect(await switchable()).toEqual([]);
    expect(await switchTo('scale')).toMatchObject(refused);
    nowMs += 1;
    expect(await switchable()).toEqual(['starter', 'scale']);
  });

  it('is for the owner', async () => {
    const admin = await api.asUser('admin', owner.workspace_id);
    expect((await admin.send('POST', '/billing/plan', { plan_id: 'growth' })).status).toBe(403);
  });

  it('begins new 30 days and new minutes, without a refund', async () => {
    await topUp(GROWTH_PAISE + 999_900 + 5);
    await switchTo('growth');
    await onDay(10);
    await api.sql`update wallets set plan_seconds_left = 7 where workspace_id = ${owner.workspace_id}`;
    await switchTo('scale');
    expect(await plan()).toMatchObject({ plan_paid_until: at(40), plan_minutes_left_seconds: 150_000 });
    await onDay(39);
    expect(await fees()).toHaveLength(2);
    expect((await owner.send('GET', '/billing')).body.credits_paise).toBe(5);
  });

  it('to one without a fee stops the charges and ends the included minutes', async () => {
    await topUp(10_000_000);
    await switchTo('growth');
    await onDay(1);
    expect((await switchTo('starter')).body).toMatchObject({
      ...{ id: 'starter', plan_paid_until: null, next_charge_paise: 0, plan_minutes_cycle_end: null },
      ...{ plan_minutes_left_seconds: 0, plan_minutes_total_seconds: 0 },
    });
    await onDay(90);
    expect(await fees()).toHaveLength(1);
    expect((await owner.send('GET', '/workspace/limits')).body.concurrency_limit).toBe(5);
  });

  it('is carried out once when it is sent twice, and once of two at the same time', async () => {
    await topUp(10_000_000);
    const once = { 'idempotency-key': 'one' };
    expect((await switchTo('growth', once)).status).toBe(200);
    nowMs += 120_000;
    expect((await switchTo('growth', once)).status).toBe(200);
    expect(await fees()).toHaveLength(1);
    const both = await Promise.all([switchTo('scale'), switchTo('scale')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('works before activation', async () => {
    owner = await api.signUp();
    await topUp(GROWTH_PAISE);
    expect((await switchTo('growth')).status).toBe(200);
  });
});

describe('every month', () => {
  it('the fee is taken again, and the full allowance is given without what was left', async () => {
    await topUp(3 * GROWTH_PAISE);
    await switchTo('growth');
    for (const day of [30, 60]) {
      await api.sql`update wallets set plan_seconds_left = 40 where workspace_id = ${owner.workspace_id}`;
      await onDay(day);
      expect(await plan()).toMatchObject({ plan_paid_until: at(day + 30), plan_minutes_left_seconds: 36_000 });
    }
    expect((await fees()).map(([, , time]: [number, string, string]) => time)).toEqual([at(60), at(30), at(0)]);
    expect(await api.sql`select 1 from invoices where workspace_id = ${owner.workspace_id}`).toHaveLength(3);
  });

  it('the fee is that of the plan at that moment', async () => {
    await topUp(GROWTH_PAISE + 50);
    await switchTo('growth');
    const team = createOperatorCommand(api.sql);
    try {
      await team.operator('plan set growth', { 'monthly-fee': '50', minutes: '2' });
      await onDay(30);
    } finally {
      await team.operator('plan set growth', { 'monthly-fee': String(GROWTH_PAISE), minutes: '600' });
    }
    expect((await fees())[0]).toEqual([-50, 'plan Growth, 30 days', at(30)]);
    expect(await plan()).toMatchObject({ plan_minutes_total_seconds: 120 });
  });
});

describe('an unpaid fee', () => {
  beforeEach(async () => {
    await topUp(GROWTH_PAISE + 100);
    await switchTo('growth');
  });

  it('is past due, without included minutes, and the owner gets one email', async () => {
    for (const day of [30, 31, 32]) await onDay(day);
    expect(await plan()).toMatchObject({
      ...{ id: 'growth', plan_paid_until: null, plan_past_due_since: at(30), next_charge_paise: GROWTH_PAISE },
      ...{ plan_minutes_left_seconds: 0, plan_minutes_total_seconds: 0 },
    });
    expect(await emails()).toEqual(['The fee of your plan could not be taken']);
    const [email] = await api.sql`select body from mail_outbox
      where workspace_id = ${owner.workspace_id} and subject = 'The fee of your plan could not be taken'`;
    expect(email!.body).toContain('₹2,999.00 for 30 days');
    expect(email!.body).toContain('Please add credits in Billing: https://console.example.com/billing');
    expect(email!.body).toContain('every day until 30 December 2026 at 15:30 (Asia/Kolkata)');
    await api.sql`update wallets set paid_paise = 0 where workspace_id = ${owner.workspace_id}`;
    expect(await canPlaceCalls(api.sql, owner.workspace_id)).toBe(false);
  });

  it('that is paid within seven days gives the month that had begun', async () => {
    await onDay(30);
    await topUp(GROWTH_PAISE);
    await onDay(33);
    expect(await plan()).toMatchObject({
      ...{ plan_paid_until: at(60), plan_past_due_since: null, plan_minutes_left_seconds: 36_000 },
    });
    expect((await fees())[0]).toEqual([-GROWTH_PAISE, 'plan Growth, 30 days', at(33)]);
    await onDay(60);
    expect(await plan()).toMatchObject({ plan_past_due_since: at(60) });
  });

  it('is tried again as soon as credits are granted or a coupon is redeemed', async () => {
    const team = createOperatorCommand(api.sql);
    await team.operator('coupon add FIFTY', { amount: '50' });
    await onDay(30);
    const retriedNow = async () =>
      (
        await api.sql`
        update renewals set next_attempt_at = ${new Date(nowMs + DAY_MS)}
        where workspace_id = ${owner.workspace_id} and next_attempt_at <= ${new Date(nowMs)} returning 1`
      ).length;
    await owner.send('POST', '/billing/coupons/redeem', { code: 'FIFTY' });
    expect(await retriedNow()).toBe(1);
    await api.sql.begin((tx) =>
      grantCredits(tx, {
        ...{ workspace_id: owner.workspace_id, kind: 'grant', amount_paise: GROWTH_PAISE, note: 'sorry', at_ms: nowMs },
        actor: { kind: 'service', id: 'operator', name: 'operator' },
      }),
    );
    await onDay(30);
    expect(await plan()).toMatchObject({ plan_paid_until: at(60) });
  });

  it('puts the workspace on Starter after seven days', async () => {
    for (let day = 30; day < 37; day++) await onDay(day);
    expect(await plan()).toMatchObject({ id: 'growth' });
    await onDay(37);
    expect(await plan()).toMatchObject({ id: 'starter', plan_past_due_since: null, next_charge_paise: 0 });
    expect((await owner.send('GET', '/workspace/limits')).body.concurrency_limit).toBe(5);
    expect((await emails()).at(-1)).toBe('Your workspace is on the plan Starter now');
    await topUp(10_000_000);
    await onDay(100);
    expect(await fees()).toHaveLength(1);
    expect(
      (await owner.send('GET', '/audit-events?action=plan')).body.items.map((each: { action: string }) => each.action),
    ).toEqual(['plan.lapsed', 'plan.past_due']);
  });

  it.each([
    ['can be switched to again, which the email says', false],
    ['was agreed with the customer, and cannot be switched to again', true],
  ])('for seven days ends a plan that %s', async (_, custom) => {
    await api.sql`update plans set custom = ${custom} where id = 'growth'`;
    try {
      for (const day of [30, 37]) await onDay(day);
    } finally {
      await api.sql`update plans set custom = false where id = 'growth'`;
    }
    const [email] = await api.sql`
      select body from mail_outbox
      where workspace_id = ${owner.workspace_id} and subject = 'Your workspace is on the plan Starter now'`;
    expect(email!.body).toContain('The fee of the plan Growth could not be taken for seven days.');
    expect(email!.body.includes('You can switch back in Billing at any time.')).toBe(!custom);
  });

  it('is left behind by switching to another plan', async () => {
    await onDay(30);
    await topUp(999_900);
    await onDay(30.5);
    expect((await switchTo('scale')).body).toMatchObject({ id: 'scale', plan_past_due_since: null });
    await onDay(60.5);
    expect(await plan()).toMatchObject({ plan_past_due_since: at(60.5) });
    expect(await fees()).toHaveLength(2);
  });
});
