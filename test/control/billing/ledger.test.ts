import { beforeAll, describe, expect, it } from 'vitest';
import { chargeAnalysis } from '../../../control/billing/charge-analysis.ts';
import { chargeCall, chargeTransfer, type EndedCall } from '../../../control/billing/charge-call.ts';
import { grantCredits } from '../../../control/billing/grants.ts';
import { type LedgerEntry, spendCredits, writeLedger } from '../../../control/billing/ledger.ts';
import { canPlaceCalls, hasCredits, openWallet, walletOf } from '../../../control/billing/wallet.ts';
import { openWelcomeWallet } from '../../../control/billing/welcome-credits.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { newId } from '../../../shared/ids.ts';
import { createTestDatabase } from '../../support/postgres.ts';

let sql: Sql;
let url: string;

beforeAll(async () => {
  ({ sql, url } = await createTestDatabase());
});

async function newWorkspace(currency: 'INR' | 'USD' = 'INR'): Promise<string> {
  const id = newId();
  await sql`
    insert into workspaces (id, name, state, currency, created_at) values (${id}, 'Acme', 'active', ${currency}, now())`;
  await sql.begin((tx) => openWallet(tx, { workspace_id: id, at_ms: Date.now() }));
  return id;
}

const write = (workspace_id: string, entry: Partial<LedgerEntry>) =>
  sql.begin((tx) =>
    writeLedger(tx, {
      ...{ workspace_id, kind: 'topup', amount_paise: 100, note: '', by_name: '', at_ms: Date.now(), key: newId() },
      ...entry,
    }),
  );

const call = (workspace_id: string, more: Partial<EndedCall> = {}): EndedCall => ({
  ...{ workspace_id, call_id: newId(), channel: 'phone', carrier: 'plivo', duration_seconds: 60 },
  ...{ provider_usage: [], failed: false, note: 'call with Asha', by_name: 'key one' },
  ...more,
});

const charge = (ended: EndedCall) => sql.begin((tx) => chargeCall(tx, ended, Date.now()));

const rowsOf = (workspaceId: string) => sql`select * from ledger where workspace_id = ${workspaceId} order by seq`;

/** What must hold of every wallet at every moment; no row is a broken one. */
async function brokenWallets() {
  return sql`
    select w.workspace_id from wallets w
    left join (
      select workspace_id, count(*) as rows, max(seq) as last, sum(amount_paise) as amount, sum(paid_paise) as paid,
        sum(free_paise) as free, bool_and(balance_after_paise = before + amount_paise) as adds_up
      from (
        select *, coalesce(lag(balance_after_paise) over (partition by workspace_id order by seq), 0) as before from ledger
      ) each group by workspace_id
    ) l using (workspace_id)
    where w.paid_paise <> coalesce(l.paid, 0) or w.free_paise <> coalesce(l.free, 0) or w.seq <> coalesce(l.rows, 0)
      or w.seq <> coalesce(l.last, 0) or not coalesce(l.adds_up, true)`;
}

describe('a wallet', () => {
  it('begins with the welcome credits, once', async () => {
    const id = newId();
    await sql`insert into workspaces (id, name, state, created_at) values (${id}, 'New', 'onboarding', now())`;
    expect(await canPlaceCalls(sql, id)).toBe(false);
    await sql.begin((tx) => openWelcomeWallet(tx, id, Date.now()));
    expect(await walletOf(sql, id)).toMatchObject({ paid_paise: 0, free_paise: 25_000, seq: 1 });
    expect(await rowsOf(id)).toMatchObject([
      { kind: 'grant', amount_paise: 25_000, balance_after_paise: 25_000, free_paise: 25_000, note: 'welcome credits' },
    ]);
    expect(await canPlaceCalls(sql, id)).toBe(true);
  });

  it('spends free credits first, and what is missing is a debt of the paid ones', async () => {
    const id = await newWorkspace();
    await write(id, { kind: 'grant', amount_paise: 300 });
    await write(id, { kind: 'topup', amount_paise: 1_000 });
    await write(id, { kind: 'composer', amount_paise: -100 });
    await write(id, { kind: 'call', amount_paise: -250 });
    await write(id, { kind: 'call', amount_paise: -1_200 });
    await write(id, { kind: 'grant', amount_paise: 40 });
    await write(id, { kind: 'adjustment', amount_paise: 210 });
    const rows = (await rowsOf(id)).map((row) => [row.paid_paise, row.free_paise, row.balance_after_paise]);
    expect(rows).toEqual([
      [0, 300, 300],
      [1_000, 0, 1_300],
      [0, -100, 1_200],
      [-50, -200, 950],
      [-1_200, 0, -250],
      [0, 40, -210],
      [210, 0, 0],
    ]);
    expect(await hasCredits(sql, id)).toBe(false);
    expect(await brokenWallets()).toEqual([]);
  });

  it('is moved once by the same key', async () => {
    const id = await newWorkspace();
    const key = newId();
    const first = await write(id, { amount_paise: 100, key });
    expect(await write(id, { amount_paise: 999, key })).toEqual(first);
    const other = await newWorkspace();
    expect(await write(other, { amount_paise: 5, key })).toMatchObject({ amount_paise: 5 });
    expect(await walletOf(sql, id)).toMatchObject({ paid_paise: 100, seq: 1 });
  });

  it('buys only what its credits cover', async () => {
    const id = await newWorkspace();
    await write(id, { amount_paise: 100 });
    const buy = (amount_paise: number, key: string) =>
      sql.begin((tx) =>
        spendCredits(tx, {
          ...{ workspace_id: id, kind: 'lines', amount_paise, key, note: '', by_name: '', at_ms: Date.now() },
        }),
      );
    expect(await buy(-101, 'a')).toBeNull();
    expect(await buy(-100, 'b')).toMatchObject({ balance_after_paise: 0 });
    // Asked again, it is bought already.
    expect(await buy(-100, 'b')).toMatchObject({ balance_after_paise: 0 });
    expect(await walletOf(sql, id)).toMatchObject({ paid_paise: 0, seq: 2 });
  });

  it('allows calls with credits, or with included minutes whose plan is paid', async () => {
    const id = await newWorkspace();
    expect(await canPlaceCalls(sql, id)).toBe(false);
    await sql`update wallets set plan_seconds_left = 1 where workspace_id = ${id}`;
    expect(await canPlaceCalls(sql, id)).toBe(true);
    expect(await hasCredits(sql, id)).toBe(false);
    await sql`update wallets set plan_past_due_since = now() where workspace_id = ${id}`;
    expect(await canPlaceCalls(sql, id)).toBe(false);
    expect(await canPlaceCalls(sql, newId())).toBe(false);
  });

  it("takes the operator's grants and adjustments", async () => {
    const id = await newWorkspace();
    const actor = { kind: 'service', id: '', name: 'operator' } as const;
    const give = (kind: 'grant' | 'adjustment', amount_paise: number) =>
      sql.begin((tx) =>
        grantCredits(tx, { workspace_id: id, kind, amount_paise, note: 'n', actor, at_ms: Date.now() }),
      );
    await give('grant', 500);
    await give('adjustment', -700);
    expect(await walletOf(sql, id)).toMatchObject({ free_paise: 0, paid_paise: -200, seq: 2 });
  });
});

describe('the charge of a call', () => {
  it('is one row, however often it is repeated', async () => {
    const id = await newWorkspace();
    await write(id, { amount_paise: 1_000 });
    const ended = call(id);
    const first = await charge(ended);
    expect(first).toMatchObject({ cost_paise: 550, plan_seconds_covered: 0, cost_breakdown: { usage_paise: 174 } });
    expect(await charge(ended)).toEqual(first);
    expect(await rowsOf(id)).toMatchObject([
      {},
      {
        ...{ kind: 'call', amount_paise: -550, balance_after_paise: 450, call_id: ended.call_id, seconds: 60 },
        ...{ note: 'call with Asha', by_name: 'key one', key: `call:${ended.call_id}`, currency: 'INR' },
      },
    ]);
  });

  it('uses up included seconds, once', async () => {
    const id = await newWorkspace();
    await sql`update wallets set plan_seconds_left = 100 where workspace_id = ${id}`;
    const ended = call(id, { duration_seconds: 40 });
    const first = await charge(ended);
    expect(first).toMatchObject({ cost_paise: 0, plan_seconds_covered: 40 });
    expect(await charge(ended)).toEqual(first);
    expect(await walletOf(sql, id)).toMatchObject({ plan_seconds_left: 60, seq: 1 });
    expect(await rowsOf(id)).toMatchObject([{ amount_paise: 0, plan_seconds: 40 }]);
    // 80 seconds: 60 are left, 20 at 5.50 a minute.
    expect(await charge(call(id, { duration_seconds: 80 }))).toMatchObject({
      cost_paise: 184,
      plan_seconds_covered: 60,
    });
    expect(await walletOf(sql, id)).toMatchObject({ plan_seconds_left: 0, paid_paise: -184 });
  });

  it('leaves included seconds alone while the plan is past due', async () => {
    const id = await newWorkspace();
    await sql`update wallets set plan_seconds_left = 100, plan_past_due_since = now() where workspace_id = ${id}`;
    expect(await charge(call(id))).toMatchObject({ cost_paise: 550, plan_seconds_covered: 0 });
    expect(await walletOf(sql, id)).toMatchObject({ plan_seconds_left: 100 });
  });

  it('is 0 without a row for a call that failed or never became live', async () => {
    const id = await newWorkspace();
    const failed = await charge(call(id, { failed: true }));
    expect(failed).toMatchObject({
      cost_paise: 0,
      cost_breakdown: { total_paise: 0, waived: 'failed', waived_paise: 550 },
    });
    expect(await charge(call(id, { duration_seconds: 0 }))).toMatchObject({ cost_paise: 0 });
    expect(await rowsOf(id)).toEqual([]);
  });

  it('is in the currency of the workspace, at the rates of the day', async () => {
    const id = await newWorkspace('USD');
    // 5.50 rupees at 88 to the dollar are 6.25 cents.
    expect(await charge(call(id))).toMatchObject({ cost_paise: 7, cost_breakdown: { usage_paise: 2 } });
    expect(await rowsOf(id)).toMatchObject([{ currency: 'USD', amount_paise: -7 }]);
    const rupees = await newWorkspace();
    await sql`
      insert into rates (component, currency, rate_paise, updated_at) values ('platform', 'INR', 1000.5, now())`;
    expect(await charge(call(rupees))).toMatchObject({ cost_paise: 1_075 });
    await sql`delete from rates`;
  });

  it('loses none of 50 at once', async () => {
    const id = await newWorkspace();
    await write(id, { kind: 'grant', amount_paise: 5_000 });
    await sql`update wallets set plan_seconds_left = 600 where workspace_id = ${id}`;
    const many = connectDatabase({ url, max: 10 });
    const calls = Array.from({ length: 50 }, () => call(id));
    // Each is charged twice.
    const charges = await Promise.all(
      [...calls, ...calls].map((ended) => many.begin((tx) => chargeCall(tx, ended, Date.now()))),
    );
    await many.end();
    const costs = charges.slice(0, 50).map(({ cost_paise }) => cost_paise);
    expect(costs).toEqual(charges.slice(50).map(({ cost_paise }) => cost_paise));
    // Ten are covered by 600 seconds.
    expect(costs.filter((cost) => cost === 0)).toHaveLength(10);
    expect(await walletOf(sql, id)).toMatchObject({
      ...{ free_paise: 0, paid_paise: 5_000 - 40 * 550, plan_seconds_left: 0, seq: 51 },
    });
    expect(await brokenWallets()).toEqual([]);
  });
});

describe('what comes after a call', () => {
  it('a transfer is charged in a row of its own, once, and each one after another', async () => {
    const id = await newWorkspace();
    const ended = call(id, { carrier: 'twilio' });
    const charged = await charge(ended);
    const transfer_id = newId();
    const transfer = { workspace_id: id, call_id: ended.call_id, carrier: 'twilio', note: 'transfer to Ravi' };
    const legs = { target_seconds: 90, caller_seconds: 120 };
    const settle = (transferId: string, before: typeof charged) =>
      sql.begin((tx) =>
        chargeTransfer(tx, { ...transfer, ...legs, transfer_id: transferId, charged: before }, Date.now()),
      );
    const after = await settle(transfer_id, charged);
    expect(after).toMatchObject({ cost_paise: 1_675, plan_seconds_covered: 0 });
    expect(await settle(transfer_id, after)).toEqual(after);
    const second = await settle(newId(), after);
    expect(second.cost_paise).toBe(1_675 + 1_225);
    expect((await rowsOf(id)).map((row) => [row.kind, row.amount_paise, row.note, row.seconds])).toEqual([
      ['call', -550, 'call with Asha', 60],
      ['call', -1_125, 'transfer to Ravi', null],
      ['call', -1_225, 'transfer to Ravi', null],
    ]);
    expect(await brokenWallets()).toEqual([]);
  });

  it('a transfer of a call that failed is free', async () => {
    const id = await newWorkspace();
    const ended = call(id, { failed: true });
    const charged = await charge(ended);
    const after = await sql.begin((tx) =>
      chargeTransfer(
        tx,
        {
          ...{ workspace_id: id, call_id: ended.call_id, transfer_id: newId(), carrier: 'plivo', note: '' },
          ...{ target_seconds: 60, caller_seconds: 60, charged },
        },
        Date.now(),
      ),
    );
    expect(after).toMatchObject({ cost_paise: 0, cost_breakdown: { waived_paise: 698, total_paise: 0 } });
    expect(await rowsOf(id)).toEqual([]);
  });

  it('analytics are a row of each run, and included minutes do not pay for them', async () => {
    const id = await newWorkspace();
    await sql`update wallets set plan_seconds_left = 6000 where workspace_id = ${id}`;
    const call_id = newId();
    const run = (run_id: string, provider = 'openai') =>
      sql.begin((tx) =>
        chargeAnalysis(tx, {
          ...{ workspace_id: id, call_id, run_id, provider, model: 'gpt-4.1-mini', at_ms: Date.now() },
          // 3.52 + 2.816
          ...{ input_tokens: 1_000, output_tokens: 200 },
        }),
      );
    expect(await run('one')).toBe(7);
    expect(await run('one')).toBe(7);
    expect(await run('two')).toBe(7);
    // Nobody sends a bill for it, or nobody knows who that is.
    expect(await run('three', 'custom')).toBe(0);
    expect(await run('four', 'whoever')).toBe(0);
    expect((await rowsOf(id)).map((row) => [row.kind, row.amount_paise, row.note, row.call_id])).toEqual([
      ['call', -7, 'post-call analytics', call_id],
      ['call', -7, 'post-call analytics', call_id],
    ]);
  });
});
