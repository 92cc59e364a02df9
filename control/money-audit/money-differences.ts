import { replacementKeyOf } from '../billing/invoices/invoice-rows.ts';
import { returnedKeyOf } from '../billing/ledger.ts';
import type { Sql, Transaction } from '../db/connect.ts';

/** Compares what money is written in with itself: what should be equal and is not. */

export interface MoneyFinding {
  subject: 'wallet' | 'invoice' | 'fee' | 'payment' | 'renewal' | 'gateway';
  /** Null: no single workspace. */
  workspace_id: string | null;
  /** In words, with the amounts. */
  difference: string;
}

/** Of one comparison; more of them say no more. */
const MAX_FINDINGS = 100;
/** Fees before the first invoices have none. */
const FIRST_INVOICES = '0039_invoices.sql';

/**
 * All differences in the database, from one moment: wallets and their ledger, the numbers and sums of invoices, fees and payments
 * with their ledger rows and invoices, and what is paid every 30 days with its renewals.
 */
export async function moneyDifferences(sql: Sql, nowMs: number): Promise<MoneyFinding[]> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = '600s'`;
    const found: MoneyFinding[] = [];
    for (const [subject, compare] of COMPARISONS) {
      for (const row of await compare(tx, nowMs)) found.push({ subject, ...row });
    }
    return found;
  });
}

type Compare = (tx: Transaction, nowMs: number) => Promise<Omit<MoneyFinding, 'subject'>[]>;
type Row = Omit<MoneyFinding, 'subject'>;

const wallets: Compare = (tx) => tx<Row[]>`
  select w.workspace_id, format('the wallet has %s paid and %s free credits in %s rows, its ledger %s, %s and %s', w.paid_paise,
    w.free_paise, w.seq, coalesce(l.paid, 0), coalesce(l.free, 0), coalesce(l.rows, 0)) as difference
  from wallets w left join (
    select workspace_id, count(*) as rows, max(seq) as last, sum(paid_paise) as paid, sum(free_paise) as free
    from ledger group by workspace_id
  ) l using (workspace_id)
  where w.paid_paise <> coalesce(l.paid, 0) or w.free_paise <> coalesce(l.free, 0) or w.seq <> coalesce(l.rows, 0)
    or w.seq <> coalesce(l.last, 0)
  limit ${MAX_FINDINGS}`;

const balances: Compare = (tx) => tx<Row[]>`
  select workspace_id, format('row %s of the ledger: %s and %s are not %s', seq, before, amount_paise, balance_after_paise)
    as difference
  from (
    select *, coalesce(lag(balance_after_paise) over (partition by workspace_id order by seq), 0) as before from ledger
  ) as row where balance_after_paise <> before + amount_paise
  limit ${MAX_FINDINGS}`;

const invoiceNumbers: Compare = (tx) => tx<Row[]>`
  select null as workspace_id, format('%s of %s: %s numbers, the last one is %s', document, financial_year, count(*), max(sequence))
    as difference
  from invoices group by document, financial_year having count(*) <> max(sequence)
  limit ${MAX_FINDINGS}`;

const invoiceSums: Compare = (tx) => tx<Row[]>`
  select i.workspace_id, format('%s: tax %s, its lines %s; total %s, credited %s', i.number, i.tax_paise, lines.tax, i.total_paise,
    notes.total) as difference
  from invoices i
  cross join lateral (
    select coalesce(sum((line ->> 'amount_paise')::bigint), 0) as tax from jsonb_array_elements(i.tax_lines) as line
  ) as lines
  cross join lateral (
    select coalesce(sum(n.total_paise), 0) as total from invoices n
    where n.workspace_id = i.workspace_id and n.invoice_id = i.id and n.document = 'credit_note'
      and not exists (select from invoices r where r.workspace_id = n.workspace_id and r.key = n.key || ${replacementKeyOf('')})
  ) as notes
  where i.tax_paise <> lines.tax or notes.total > i.total_paise
  limit ${MAX_FINDINGS}`;

/** A fee whose purchase is still under way has no invoice yet. */
const UNDER_WAY_MS = 2 * 86_400_000;

const fees: Compare = (tx, nowMs) => tx<Row[]>`
  select coalesce(l.workspace_id, i.workspace_id) as workspace_id,
    format('%s: %s taken, %s invoiced', coalesce(l.key, i.key), coalesce(-l.amount_paise, 0), coalesce(i.amount_paise, 0))
      as difference
  from (
    select f.* from ledger f
    where f.kind in ('plan', 'lines', 'number', 'caller_id') and f.amount_paise < 0
      and f.at > (select applied_at from migrations where name = ${FIRST_INVOICES})
      and not exists (select from ledger r where r.workspace_id = f.workspace_id and r.key = f.key || ${returnedKeyOf('')})
  ) l
  full join (select * from invoices where document = 'invoice' and paid_from = 'credits') i
    on i.workspace_id = l.workspace_id and i.key = l.key
  where -coalesce(l.amount_paise, 0) <> coalesce(i.amount_paise, 0)
    and (i.id is not null or l.at < ${new Date(nowMs - UNDER_WAY_MS)})
  limit ${MAX_FINDINGS}`;

const payments: Compare = (tx) => tx<Row[]>`
  select p.workspace_id, format('payment %s of %s: %s', p.id, p.total_paise,
    case when l.key is null then 'no credits in the ledger' when i.id is null then 'no invoice'
      else format('an invoice of %s', i.total_paise) end) as difference
  from payments p
  left join ledger l on l.workspace_id = p.workspace_id and l.key = 'topup:' || p.id
  left join invoices i on i.workspace_id = p.workspace_id and i.id = p.invoice_id
  where p.status = 'paid' and (l.key is null or i.total_paise is distinct from p.total_paise)
  union all
  select l.workspace_id, format('%s in the ledger for the payment %s, which is not paid', l.amount_paise, l.payment_id)
  from ledger l left join payments p on p.workspace_id = l.workspace_id and p.id = l.payment_id
  where l.kind = 'topup' and l.payment_id is not null and p.status is distinct from 'paid'
  limit ${MAX_FINDINGS}`;

/** They are attempted every day. */
const OVERDUE_MS = 2 * 86_400_000;

const dueRenewals: Compare = (tx, nowMs) => tx<Row[]>`
  select workspace_id, format('%s %s: not attempted since %s', kind, subject_id, next_attempt_at) as difference
  from renewals where next_attempt_at < ${new Date(nowMs - OVERDUE_MS)}
  limit ${MAX_FINDINGS}`;

/** Of closed workspaces too: what they have ends with its cycle. */
const missingRenewals: Compare = (tx) => tx<Row[]>`
  select coalesce(had.workspace_id, r.workspace_id) as workspace_id, format('%s %s: %s', coalesce(had.kind, r.kind),
    coalesce(had.subject_id, r.subject_id),
    case when r.kind is null then 'nothing renews it' when had.kind is null then 'it is renewed and there is no such thing'
      else format('paid until %s, renewed at %s', had.paid_until, r.cycle_end) end) as difference
  from (
    select w.id as workspace_id, 'plan' as kind, w.plan_id as subject_id, wallets.plan_cycle_end as paid_until
    from workspaces w join wallets on wallets.workspace_id = w.id
    where wallets.plan_cycle_end is not null
    union all
    select id, 'lines', 'all', null from workspaces where extra_lines > 0
    union all
    select workspace_id, 'number', number, null from numbers where order_id is not null and status <> 'released'
    union all
    select workspace_id, 'caller_id', id, null from caller_id_requests where status = 'active'
  ) had
  full join renewals r using (workspace_id, kind, subject_id)
  where had.kind is null or r.kind is null or had.paid_until <> r.cycle_end
  limit ${MAX_FINDINGS}`;

const COMPARISONS: readonly (readonly [MoneyFinding['subject'], Compare])[] = [
  ['wallet', wallets],
  ['wallet', balances],
  ['invoice', invoiceNumbers],
  ['invoice', invoiceSums],
  ['fee', fees],
  ['payment', payments],
  ['renewal', dueRenewals],
  ['renewal', missingRenewals],
];
