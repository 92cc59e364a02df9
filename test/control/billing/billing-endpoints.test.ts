import { beforeAll, describe, expect, it } from 'vitest';
import { foldUsage } from '../../../control/billing/fold-usage.ts';
import { writeLedger } from '../../../control/billing/ledger.ts';
import { openWelcomeWallet } from '../../../control/billing/welcome-credits.ts';
import { decideCallerId } from '../../../control/caller-id/decide-caller-id.ts';
import { type Client, request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { giveCredits } from '../../support/credits.ts';
import { createOperatorCommand } from '../../support/operator-command.ts';
import { createTestUsers } from '../accounts/test-users.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

/** With exactly so many paid credits, and nothing in the ledger but them. */
async function workspaceWith(credits_paise: number): Promise<UserClient> {
  const owner = await api.asUser('owner');
  const { workspace_id } = owner;
  await api.sql`delete from ledger where workspace_id = ${workspace_id}`;
  await api.sql`update wallets set paid_paise = 0, free_paise = 0, seq = 0 where workspace_id = ${workspace_id}`;
  if (credits_paise !== 0) await giveCredits(api.sql, workspace_id, credits_paise);
  return owner;
}

const charge = (workspace_id: string, at: string, amount_paise: number, seconds?: number) =>
  api.sql.begin((tx) =>
    writeLedger(tx, {
      ...{ workspace_id, kind: 'call', amount_paise, note: 'call', by_name: '', key: `${at}${amount_paise}${seconds}` },
      ...{ at_ms: Date.parse(at), ...(seconds === undefined ? {} : { seconds }) },
    }),
  );

describe('the balance', () => {
  it('says what there is and how long it lasts', async () => {
    const owner = await workspaceWith(5_499);
    const { status, body } = await owner.send('GET', '/billing');
    expect(status).toBe(200);
    expect(body).toEqual({
      credits_paise: 5_499,
      price_per_minute_paise: 550,
      minutes_left: 9,
      low_balance: true,
      currency: 'INR',
      plan_name: 'Starter',
      plan_id: 'starter',
      pending_bonus: null,
      plan_minutes_left_seconds: 0,
      plan_minutes_total_seconds: 0,
      plan_minutes_cycle_end: null,
    });
    await giveCredits(api.sql, owner.workspace_id, 1);
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ minutes_left: 10, low_balance: false });
    await charge(owner.workspace_id, '2026-01-01T00:00:00Z', -10_000, 60);
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ credits_paise: -4_500, minutes_left: 0 });
  });

  it('is seen by those who may, before activation too', async () => {
    const fresh = await api.signUp();
    for (const path of ['', '/ledger', '/usage', '/plans', '/plan', '/packs', '/lines']) {
      expect((await fresh.send('GET', `/billing${path}`)).status).toBe(200);
    }
    const { workspace_id } = fresh;
    expect((await (await api.asUser('admin', workspace_id)).send('GET', '/billing')).status).toBe(200);
    expect((await (await api.asUser('developer', workspace_id)).send('GET', '/billing')).body).toEqual({
      detail: 'your role cannot do this (billing.view)',
    });
    expect((await (await api.newWorkspace()).send('GET', '/billing')).status).toBe(200);
  });
});

it('the ledger is paged, newest first', async () => {
  const owner = await workspaceWith(1_000);
  const { workspace_id } = owner;
  await createOperatorCommand(api.sql).operator(`grant add ${workspace_id} 300 'sorry'`);
  // An engine's clock may be behind: the order is that of the wallet.
  await charge(workspace_id, '2026-01-01T00:00:00Z', -500, 55);
  const { body } = await owner.send('GET', '/billing/ledger?limit=2&timezone=UTC');
  expect(body.total).toBe(3);
  expect(body.items).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      at: '2026-01-01T00:00:00+00:00',
      kind: 'call',
      amount_paise: -500,
      balance_after_paise: 800,
      note: 'call',
      call_id: null,
      payment_id: null,
      by_name: '',
      currency: 'INR',
      funded: 'paid',
      paid_paise: -200,
      free_paise: -300,
    },
    expect.objectContaining({ kind: 'grant', amount_paise: 300, funded: 'free', paid_paise: 0, note: 'sorry' }),
  ]);
  const rest = (await owner.send('GET', '/billing/ledger?skip=2')).body;
  expect(rest).toMatchObject({ total: 3, items: [{ kind: 'topup', balance_after_paise: 1_000 }] });
  expect((await owner.send('GET', '/billing/ledger?limit=201')).status).toBe(422);
});

it('the ledger can be read kind by kind', async () => {
  const owner = await workspaceWith(1_000);
  for (const [at, paise] of [
    ['2026-01-01T00:00:00Z', -500],
    ['2026-01-02T00:00:00Z', -300],
  ] as const) {
    await charge(owner.workspace_id, at, paise, 55);
  }
  const read = async (query: string) => (await owner.send('GET', `/billing/ledger?${query}`)).body;
  expect(await read('kind=call')).toMatchObject({ total: 2, items: [{ amount_paise: -300 }, { amount_paise: -500 }] });
  expect(await read('kind=call&limit=1&skip=1')).toMatchObject({ total: 2, items: [{ amount_paise: -500 }] });
  expect(await read('kind=topup')).toMatchObject({ total: 1, items: [{ kind: 'topup' }] });
  expect(await read('kind=plan')).toEqual({ total: 0, items: [] });
  expect((await owner.send('GET', '/billing/ledger?kind=other')).status).toBe(422);
});

describe('the usage of a month', () => {
  let owner: UserClient;
  beforeAll(async () => {
    owner = await workspaceWith(100_000);
    const { workspace_id } = owner;
    await api.sql`update wallets set opened_at = '2026-01-31T20:00:00Z' where workspace_id = ${workspace_id}`;
    await charge(workspace_id, '2026-02-10T12:00:00Z', -550, 60);
    await charge(workspace_id, '2026-02-10T13:00:00Z', -100, 10);
    // Analytics cost, and are no call.
    await charge(workspace_id, '2026-02-10T13:01:00Z', -7);
    // In Kolkata it is March already.
    await charge(workspace_id, '2026-02-28T19:00:00Z', -20, 2);
    await api.sql.begin((tx) =>
      writeLedger(tx, {
        ...{ workspace_id, kind: 'lines', amount_paise: -60_000, note: '', by_name: '', key: 'lines' },
        ...{ at_ms: Date.parse('2026-02-10T12:00:00Z') },
      }),
    );
  });

  it('is counted day by day', async () => {
    const { body } = await owner.send('GET', '/billing/usage?month=2026-02');
    expect(body).toMatchObject({
      month: '2026-02',
      total_minutes: 1.17,
      total_calls: 2,
      spent_paise: 657,
      first_month: '2026-02',
      currency: 'INR',
    });
    expect(body.daily).toHaveLength(28);
    expect(body.daily[0]).toEqual({ day: '2026-02-01', calls: 0, minutes: 0, spent_paise: 0 });
    expect(body.daily[9]).toEqual({ day: '2026-02-10', calls: 2, minutes: 1.17, spent_paise: 657 });
  });

  it('is that of the zone', async () => {
    const { body } = await owner.send('GET', '/billing/usage?month=2026-02&timezone=UTC');
    expect(body).toMatchObject({ total_calls: 3, spent_paise: 677, first_month: '2026-01' });
    expect(body.daily[27]).toMatchObject({ day: '2026-02-28', calls: 1 });
    expect((await owner.send('GET', '/billing/usage?month=2026-03')).body.daily[0]).toMatchObject({ calls: 1 });
  });

  it('is the same before and after its rows are added up, and while newer ones are not', async () => {
    const usage = async () => (await owner.send('GET', '/billing/usage?month=2026-02&timezone=Asia/Kathmandu')).body;
    const before = await usage();
    expect(await foldUsage(api.sql, 1)).toBeGreaterThanOrEqual(6);
    expect(await usage()).toEqual(before);
    await charge(owner.workspace_id, '2026-02-10T13:02:00Z', -30, 5);
    expect(await usage()).toMatchObject({ total_calls: before.total_calls + 1, spent_paise: before.spent_paise + 30 });
    expect(await foldUsage(api.sql, 1)).toBe(1);
    expect(await usage()).toMatchObject({ total_calls: before.total_calls + 1, spent_paise: before.spent_paise + 30 });
  });

  it('is the present one, as far as it went; none of the future', async () => {
    const { body } = await owner.send('GET', '/billing/usage');
    expect(body.daily.at(-1).day.slice(0, 7)).toBe(body.month);
    const later = (await owner.send('GET', '/billing/usage?month=2099-12')).body;
    expect(later).toMatchObject({ daily: [], total_calls: 0, spent_paise: 0 });
    for (const month of ['2026-13', '0000-01', 'x']) {
      expect((await owner.send('GET', `/billing/usage?month=${month}`)).status).toBe(422);
    }
  });
});

describe('plans and lines', () => {
  it('and packs are those of the currency', async () => {
    const owner = await workspaceWith(0);
    const packs = (await owner.send('GET', '/billing/packs')).body;
    expect(packs).toHaveLength(3);
    expect(packs[1]).toEqual({
      ...{ id: 'inr-5000', name: '₹5,000', amount_paise: 500_000, bonus_paise: 25_000, currency: 'INR', popular: true },
    });
    await api.sql`update workspaces set currency = 'USD' where id = ${owner.workspace_id}`;
    expect((await owner.send('GET', '/billing/packs')).body[0]).toMatchObject({ id: 'usd-20', currency: 'USD' });
    expect((await owner.send('GET', '/billing/plans')).body[0]).toMatchObject({ price_per_minute_paise: 7 });
  });

  it('are shown with what they cost', async () => {
    const owner = await workspaceWith(0);
    const plans = (await owner.send('GET', '/billing/plans')).body;
    expect(plans.map((plan: { id: string }) => plan.id).slice(0, 4)).toEqual([
      'starter',
      'growth',
      'scale',
      'enterprise',
    ]);
    expect(plans[1]).toEqual({
      id: 'growth',
      name: 'Growth',
      icon: '',
      price_per_minute_paise: 475,
      browser_price_per_minute_paise: 475,
      monthly_fee_paise: 299_900,
      included_minutes: 600,
      included_numbers: 1,
      includes_caller_verification: false,
      concurrency_limit: 15,
      member_limit: 20,
      custom: false,
      current: false,
      can_switch: true,
      currency: 'INR',
    });
    expect(plans[0]).toMatchObject({ current: true, can_switch: false, member_limit: 5 });
    expect(plans[3]).toMatchObject({ custom: true, can_switch: false, member_limit: null });
    expect((await owner.send('GET', '/billing/plan')).body).toMatchObject({
      id: 'starter',
      plan_paid_until: null,
      next_charge_paise: 0,
      plan_past_due_since: null,
      plan_minutes_left_seconds: 0,
    });
    expect((await owner.send('GET', '/billing/lines')).body).toEqual({
      extra_lines: 0,
      price_per_line_paise: 60_000,
      lines_paid_until: null,
      next_charge_paise: 0,
      lines_past_due_since: null,
      concurrency_limit: 5,
      can_add: 95,
      currency: 'INR',
    });
  });
});

describe('coupons', () => {
  const operator = (line: string, options: Record<string, string> = {}) =>
    createOperatorCommand(api.sql).operator(line, options);
  const redeem = (who: Client, code: string) => who.send('POST', '/billing/coupons/redeem', { code });

  it('give credits at once, to each workspace once', async () => {
    await operator('coupon add HELLO', { amount: '5000', redemptions: '2' });
    const owner = await workspaceWith(100);
    expect(await redeem(owner, ' hello ')).toMatchObject({
      status: 200,
      body: {
        ...{ kind: 'credit', amount_paise: 5_000, credits_paise: 5_100, percent: null },
        ...{ pending_bonus: null, currency: 'INR' },
      },
    });
    expect((await redeem(owner, 'HELLO')).body).toEqual({ detail: 'your workspace has already used this code' });
    expect((await owner.send('GET', '/billing/ledger')).body.items[0]).toMatchObject({
      ...{ kind: 'grant', amount_paise: 5_000, funded: 'free', note: 'coupon HELLO', by_name: 'The owner' },
    });
    const [second, third] = [await workspaceWith(0), await workspaceWith(0)];
    const both = await Promise.all([redeem(second, 'HELLO'), redeem(third, 'HELLO')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body).toEqual({ detail: 'this code has been fully used' });
  });

  it('or a bonus that waits', async () => {
    await operator('coupon add MORE', { percent: '20', max: '9000', 'min-topup': '10000' });
    await operator('coupon add MORE2', { percent: '30' });
    const owner = await workspaceWith(0);
    const bonus = {
      code: 'MORE',
      percent: 20,
      max_paise: 9_000,
      min_topup_paise: 10_000,
      redeemed_at: expect.any(String),
    };
    expect((await redeem(owner, 'more')).body).toEqual({
      ...{ kind: 'topup_bonus', amount_paise: null, credits_paise: null, percent: 20, currency: 'INR' },
      pending_bonus: bonus,
    });
    expect((await owner.send('GET', '/billing')).body.pending_bonus).toEqual(bonus);
    expect((await redeem(owner, 'MORE2')).body).toEqual({ detail: 'a top-up bonus is already waiting' });
  });

  it('are refused in words', async () => {
    const owner = await workspaceWith(0);
    expect(await redeem(owner, 'NOTHING')).toMatchObject({ status: 404, body: { detail: 'this code is not valid' } });
    await operator('coupon add CENTS', { amount: '5', currency: 'USD' });
    expect((await redeem(owner, 'CENTS')).status).toBe(404);
    await operator('coupon add LATER', { amount: '5', from: '2090-01-01T00:00:00Z' });
    expect(await redeem(owner, 'LATER')).toMatchObject({ status: 409, body: { detail: 'this code is not valid now' } });
    await operator('coupon off LATER');
    expect((await redeem(owner, 'LATER')).status).toBe(404);
    const admin = await api.asUser('admin', owner.workspace_id);
    expect((await redeem(admin, 'HELLO')).status).toBe(403);
  });
});

it('who signs up has welcome credits', async () => {
  const { token } = await createTestUsers(api).register();
  const answer = (path: string) =>
    request(api.http, { method: 'GET', url: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } });
  expect((await answer('/billing')).body).toMatchObject({
    credits_paise: 25_000,
    minutes_left: 45,
    low_balance: false,
  });
  expect((await answer('/billing/ledger')).body).toMatchObject({
    total: 1,
    items: [{ kind: 'grant', amount_paise: 25_000, funded: 'free', note: 'welcome credits', by_name: '' }],
  });
});

it('a prompt is paid from credits', async () => {
  const { sql } = api;
  const none = await workspaceWith(0);
  const answer = await none.send('POST', '/agents/prompt/generate', { brief: 'Sell shoes to people.' });
  expect(answer).toMatchObject({ status: 402, body: { detail: 'out of credits: add credits in Billing' } });
  await expect(sql.begin((tx) => openWelcomeWallet(tx, none.workspace_id, Date.now()))).rejects.toThrow(
    'duplicate key',
  );
});

it('a caller id is paid when it is approved, for 30 days', async () => {
  const { sql } = api;
  const owner = await workspaceWith(50_000);
  await createOperatorCommand(sql).operator('rate set caller_id 49900');
  const id = `${'0'.repeat(31)}7`;
  const request = async (requestId: string) => sql`
    insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise, currency,
      created_by, created_at)
    values (${owner.workspace_id}, ${requestId}, '{}', 'Acme', 'x', '', 'image/png', 'in_review', 0, 'INR', '', now())`;
  await request(id);
  const actor = { kind: 'service', id: '', name: 'operator' } as const;
  const at_ms = Date.now();
  const approve = (request_id: string) =>
    sql.begin((tx) => decideCallerId(tx, { request_id, to: 'active', actor, at_ms }));
  const row = await approve(id);
  expect(row).toMatchObject({ fee_paise: 49_900, paid_until: new Date(at_ms + 30 * 86_400_000) });
  expect((await owner.send('GET', '/billing/ledger')).body.items[0]).toMatchObject({
    ...{ kind: 'caller_id', amount_paise: -49_900, note: 'caller id Acme, 30 days' },
  });
  const second = `${'0'.repeat(31)}8`;
  await request(second);
  expect(await approve(second)).toBe('the credits of the workspace do not cover the fee');
  await createOperatorCommand(sql).operator('rate remove caller_id');
});
