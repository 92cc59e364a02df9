import { beforeAll, describe, expect, it } from 'vitest';
import { putOnPlan } from '../../../control/billing/change-plan.ts';
import { issueInvoice } from '../../../control/billing/invoices/issue-invoice.ts';
import { writeLedger } from '../../../control/billing/ledger.ts';
import { takeFee } from '../../../control/billing/take-fee.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { auditWhenDue, nextAuditMs } from '../../../control/money-audit/money-audit.ts';
import { moneyDifferences } from '../../../control/money-audit/money-differences.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { newBuyer, registerSeller, topUp } from '../../support/invoices.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const HOUR_MS = 3_600_000;
const log = createLogger('test', 'silent');
let sql: Sql;
let url: string;
let buyer: string;

beforeAll(async () => {
  ({ sql, url } = await createTestDatabase());
  await registerSeller(sql);
  buyer = await newBuyer(sql);
});

/** Two days later, so that nothing counts as under way. */
const differences = async () =>
  (await moneyDifferences(sql, Date.now() + 48 * HOUR_MS)).map(({ difference }) => difference);

/** Breaks something, looks, and takes it back. */
async function broken(statement: string): Promise<string[]> {
  return sql
    .begin(async (tx) => {
      await tx.unsafe(statement);
      const found = (await moneyDifferences(sqlOf(tx), Date.now() + 48 * HOUR_MS)).map(({ difference }) => difference);
      throw Object.assign(new Error('taken back'), { found });
    })
    .catch((error: Error & { found?: string[] }) => error.found ?? Promise.reject(error));
}

/** The comparisons begin a transaction of their own; here they join the one that broke something. */
const sqlOf = (tx: unknown) => ({ begin: (_: string, run: (tx: unknown) => unknown) => run(tx) }) as never as Sql;

/** With the plan that it has already, and lines. */
const CLOSED_WITH_NUMBER = `
  update workspaces set state = 'closed', extra_lines = 1;
  insert into numbers (number, workspace_id, provider, order_id, created_at)
    select '+14155550100', id, 'twilio', 'o', now() from workspaces;
  insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
    select id, kind, subject, at, at
    from workspaces, (values ('number', '+14155550100'), ('lines', 'all')) as had (kind, subject), (select now() + '9 days' as at) as due`;

async function paid(amount_paise = 100_000): Promise<void> {
  const id = newId();
  const now = Date.now();
  await sql.begin(async (tx) => {
    const invoice = await issueInvoice(
      tx,
      topUp(buyer, { amount_paise, payment_id: id, key: `topup:${id}`, at_ms: now }),
    );
    const row = {
      ...{
        workspace_id: buyer,
        id,
        status: 'paid',
        gateway: 'razorpay',
        order_id: newId(),
        gateway_payment_id: `pay_${id}`,
      },
      ...{
        amount_paise,
        tax_paise: invoice.tax_paise,
        total_paise: invoice.total_paise,
        currency: 'INR',
        terms: tx.json({}),
      },
      ...{
        invoice_id: invoice.id,
        created_by: '',
        created_at: new Date(now),
        expires_at: new Date(now),
        paid_at: new Date(now),
      },
    };
    await tx`insert into payments ${tx(row as never)}`;
    const entry = { workspace_id: buyer, kind: 'topup', amount_paise, payment_id: id, note: '', by_name: '' } as const;
    await writeLedger(tx, { ...entry, at_ms: now, key: `topup:${id}` });
  });
}

describe('the comparison of all money', () => {
  beforeAll(async () => {
    await paid();
    await paid(50_000);
    await sql.begin((tx) => putOnPlan(tx, { workspace_id: buyer, plan_id: 'growth', at_ms: Date.now() }));
    const fee = {
      workspace_id: buyer,
      kind: 'lines',
      amount_paise: 600,
      description: 'one line',
      by_name: '',
    } as const;
    await sql.begin((tx) => takeFee(tx, { ...fee, key: 'lines:all:1', at_ms: Date.now() }));
  });

  it('finds nothing where everything adds up', async () => {
    expect(await differences()).toEqual([]);
  });

  it.each([
    [
      'a wallet',
      'update wallets set paid_paise = paid_paise + 1',
      /^the wallet has 149401 paid and 0 free credits in 3 rows, its ledger 149400/,
    ],
    [
      'a balance',
      'update ledger set balance_after_paise = balance_after_paise + 1 where seq = 3',
      /^row 3 of the ledger/,
    ],
    [
      'a number',
      `update payments set invoice_id = null; delete from invoices where sequence = 2`,
      /invoice of .*: 2 numbers, the last one is 3/,
    ],
    ['a tax line', `update invoices set tax_lines = '[]' where sequence = 1`, /000001: tax 18000, its lines 0/],
    ['a fee', `delete from invoices where key = 'lines:all:1'`, /^lines:all:1: 600 taken, 0 invoiced/],
    ['an invoice', `update ledger set key = 'x' where key = 'lines:all:1'`, /^lines:all:1: 0 taken, 600 invoiced/],
    [
      'a payment',
      `update ledger set key = key || 'x' where key like 'topup:%'`,
      /^payment .*: no credits in the ledger/,
    ],
    ['a top-up', `update payments set status = 'failed', paid_at = null`, /which is not paid$/],
    ['a renewal', 'delete from renewals', /^plan growth: nothing renews it/],
    [
      'a renewal that is late',
      `update renewals set next_attempt_at = now() - interval '1 day'`,
      /^plan growth: not attempted since/,
    ],
    [
      'a number that a closed workspace keeps for ever',
      `${CLOSED_WITH_NUMBER}; delete from renewals where kind = 'number'`,
      /^number \+14155550100: nothing renews it/,
    ],
    [
      'a renewal that a closed workspace has too many',
      `${CLOSED_WITH_NUMBER}; update numbers set status = 'released'`,
      /^number \+14155550100: it is renewed and there is no such thing/,
    ],
    [
      'a cycle',
      `update renewals set cycle_end = cycle_end + interval '1 day'`,
      /^plan growth: paid until .*, renewed at/,
    ],
    [
      'a number without renewal',
      `update workspaces set extra_lines = 1 where id in (select workspace_id from wallets)`,
      /^lines all: nothing renews it/,
    ],
  ])('finds %s that does not', async (_, statement, words) => {
    expect(await broken(statement)).toContainEqual(expect.stringMatching(words));
    expect(await differences()).toEqual([]);
  });
});

it('finds nothing in a closed workspace whose cycles still run', async () => {
  expect(await broken(CLOSED_WITH_NUMBER)).toEqual([]);
});

describe('the nightly audit', () => {
  it('runs once a night, whichever process is first', async () => {
    await sql`update money_audits set next_at = now()`;
    const pools = [connectDatabase({ url, max: 3 }), connectDatabase({ url, max: 3 })];
    const nowMs = Date.now() + 1_000;
    const ran = await Promise.all(
      [...pools, ...pools].map((pool) => auditWhenDue({ sql: pool, log, gateways: new Map() }, nowMs)),
    );
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })));
    expect(ran.filter(Boolean)).toHaveLength(1);
    expect(await auditWhenDue({ sql, log, gateways: new Map() }, nextAuditMs(nowMs) - 1)).toBe(false);
    expect(await auditWhenDue({ sql, log, gateways: new Map() }, nextAuditMs(nowMs))).toBe(true);
  });

  it('begins at three in the morning in India', () => {
    expect(new Date(nextAuditMs(Date.parse('2026-11-23T21:29:59Z'))).toISOString()).toBe('2026-11-23T21:30:00.000Z');
    expect(new Date(nextAuditMs(Date.parse('2026-11-23T21:30:00Z'))).toISOString()).toBe('2026-11-24T21:30:00.000Z');
  });
});
