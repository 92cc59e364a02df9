import { feeKey } from '../../control/billing/renewals/renew.ts';
import { CYCLE_MS } from '../../control/billing/renewals/renewal-policy.ts';
import type { Sql } from '../../control/db/connect.ts';
import { moneyDifferences } from '../../control/money-audit/money-differences.ts';
import { paidByNumber } from '../support/number-orders.ts';
import { pause } from '../support/until.ts';
import type { MoneyPartners } from './crash-money-partners.ts';
import type { MoneyTenant } from './crash-money-tenants.ts';

/** What holds of money, numbers and fees after crashes and recovery, by what the gateways and carriers have themselves. */

const QUIET_WITHIN_MS = 240_000;
/** Fees without an invoice then count as lost, and what is past due was tried today. */
const AUDIT_LATER_MS = 2 * 86_400_000 + 60_000;

/** What took money at the gateways: the gateway's id of the payment, with its amount. */
function capturedPayments({ razorpay, stripe }: MoneyPartners): Map<string, number> {
  const captured = [...razorpay.payments.values()].filter(({ status }) => status === 'captured');
  const paid = [...stripe.sessions.values()].filter(({ payment_status }) => payment_status === 'paid');
  return new Map([
    ...captured.map(({ id, amount }) => [id, amount] as const),
    ...paid.map(({ payment_intent, amount_total }) => [payment_intent!, amount_total] as const),
  ]);
}

/**
 * Waits until no payment, order or renewal is open any more. Looks that would wait for minutes are made at once: no request that they
 * could meet is running any more.
 */
export async function untilMoneyQuiet(sql: Sql, partners: MoneyPartners): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < QUIET_WITHIN_MS) {
    const captured = [...capturedPayments(partners).keys()];
    const [open] = await sql<{ payments: number; others: number }[]>`
      select ${captured.length} - (select count(*)::integer from payments where gateway_payment_id = any(${captured})) as payments,
        ((select count(*) from number_orders where state in ('ordering', 'releasing'))
          + (select count(*) from renewals where next_attempt_at < now() + interval '61 seconds'))::integer as others`;
    if (open!.payments + open!.others === 0) return true;
    await sql`
      update number_orders set next_attempt_at = now()
      where state in ('ordering', 'releasing') and created_at < now() - interval '40 seconds'`;
    await sql`update payments set next_look_at = now() where next_look_at > now() and status <> 'paid'`;
    await pause(3_000);
  }
  return false;
}

/** What became of the money of one round's tenants, in a line. */
export async function moneyFacts(sql: Sql, tenants: readonly MoneyTenant[]): Promise<string> {
  const ids = tenants.map(({ workspaceId }) => workspaceId);
  const [facts] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from payments where workspace_id = any(${ids}) and status = 'paid') as paid,
      (select count(*)::integer from payments where workspace_id = any(${ids}) and status <> 'paid') as unpaid,
      (select count(*)::integer from number_orders where workspace_id = any(${ids}) and state = 'bought') as bought,
      (select count(*)::integer from number_orders where workspace_id = any(${ids}) and state = 'released') as released,
      (select count(*)::integer from number_orders where workspace_id = any(${ids}) and state = 'failed') as returned,
      (select count(*)::integer from renewals where workspace_id = any(${ids}) and past_due_since is not null) as past_due`;
  const { paid, unpaid, bought, released, returned, past_due } = facts!;
  const numbers = `${bought} numbers held, ${released} released, ${returned} not bought and their fees returned`;
  return `${paid} payments paid, ${unpaid} not; ${numbers}; ${past_due} fees past due`;
}

/** By the tenants of one round; payments and numbers are those of all rounds. */
export async function moneyBreaches(
  sql: Sql,
  partners: MoneyPartners,
  tenants: readonly MoneyTenant[],
): Promise<string[]> {
  return [
    ...(await wrongPayments(sql, partners)),
    ...(await wrongNumbers(sql, partners)),
    ...(await wrongCycles(sql, tenants)),
    ...(await wrongDocuments(sql)),
    ...(await moneyDifferences(sql, Date.now() + AUDIT_LATER_MS)).map(
      ({ difference }) => `billing audit: ${difference}`,
    ),
    ...[partners.razorpay, partners.stripe].flatMap(({ violations }) => violations),
    ...Object.values(partners.carriers.simulators).flatMap(({ stock }) => stock.violations),
  ];
}

async function wrongPayments(sql: Sql, partners: MoneyPartners): Promise<string[]> {
  const captured = capturedPayments(partners);
  const rows = await sql<
    { id: string; total: number; amount: number; credited: number; rows: number; invoiced: number }[]
  >`
    select p.gateway_payment_id as id, p.total_paise as total, p.amount_paise as amount,
      (select coalesce(sum(amount_paise), 0)::bigint from ledger l where l.payment_id = p.id) as credited,
      (select count(*)::integer from ledger l where l.payment_id = p.id) as rows,
      (select coalesce(sum(total_paise), 0)::bigint from invoices i where i.payment_id = p.id) as invoiced
    from payments p where p.gateway_payment_id is not null or exists (select from ledger l where l.payment_id = p.id)`;
  const known = new Map(rows.map((row) => [row.id, row]));
  return [
    ...rows.filter(({ id }) => !captured.has(id)).map(({ id }) => `payment ${id} is credited and took no money`),
    ...[...captured].flatMap(([id, taken]) => {
      const row = known.get(id);
      if (!row) return [`payment ${id} took ${taken} and is not credited`];
      const right = row.total === taken && row.invoiced === taken && row.credited === row.amount && row.rows === 1;
      return right ? [] : [`payment ${id} took ${taken}: ${JSON.stringify(row)}`];
    }),
  ];
}

async function wrongNumbers(sql: Sql, { carriers }: MoneyPartners): Promise<string[]> {
  // Exotel carries out a release after it was accepted.
  await carriers.inventories.exotel.list();
  const stocks = Object.values(carriers.simulators).map(({ stock }) => stock);
  const held = new Set(stocks.flatMap((stock) => [...stock.held.keys()]));
  const bought = stocks.flatMap((stock) => stock.purchases);
  const rows = await sql<{ number: string; status: string }[]>`
    select number, status from numbers where order_id is not null`;
  const listed = new Map(rows.map(({ number, status }) => [number, status]));
  const paid = await paidByNumber(sql);
  return stocks
    .flatMap(({ numbers }) => numbers)
    .flatMap(({ number }) => {
      const status = listed.get(number) ?? 'never ours';
      const facts = `${number}: ${status}, ${held.has(number) ? 'held' : 'not held'} at the carrier, paid ${paid.get(number) ?? 0}`;
      const ours = status === 'active' || status === 'past_due';
      const right = ours === held.has(number) && (status !== 'never ours') === (paid.get(number) ?? 0) > 0;
      const twice = bought.filter((each) => each === number).length > 1;
      return right && !twice ? [] : [twice ? `${facts}, bought twice` : facts];
    });
}

/** Each subject is charged once for the cycle that began in the round, with an invoice, and ends 30 days later; or is past due. */
async function wrongCycles(sql: Sql, tenants: readonly MoneyTenant[]): Promise<string[]> {
  const found: string[] = [];
  for (const { workspaceId, dueMs, subjects, poor } of tenants) {
    for (const [kind, subject_id] of subjects) {
      const key = feeKey({ kind, subject_id }, new Date(dueMs));
      const [row] = await sql<{ charged: number; invoiced: number; end: Date | null; past_due: boolean }[]>`
        select (select count(*)::integer from ledger where workspace_id = ${workspaceId} and key = ${key}) as charged,
          (select count(*)::integer from invoices where workspace_id = ${workspaceId} and key = ${key}) as invoiced,
          r.cycle_end as end, r.past_due_since is not null as past_due
        from (select 1) one left join renewals r
          on r.workspace_id = ${workspaceId} and r.kind = ${kind} and r.subject_id = ${subject_id}`;
      const { charged, invoiced, end, past_due } = row!;
      const isPaid = charged === 1 && invoiced === 1 && end?.getTime() === dueMs + CYCLE_MS && !past_due;
      const isPastDue = poor && charged === 0 && invoiced === 0 && end?.getTime() === dueMs && past_due;
      if (!isPaid && !isPastDue) {
        found.push(
          `${kind} ${subject_id} of ${workspaceId}: charged ${charged} times, invoiced ${invoiced} times, paid until ${end?.toISOString()}`,
        );
      }
    }
  }
  return found;
}

async function wrongDocuments(sql: Sql): Promise<string[]> {
  const rows = await sql<{ document: string; count: number; first: number; last: number }[]>`
    select document, count(*)::integer as count, min(sequence) as first, max(sequence) as last
    from invoices group by document, financial_year having min(sequence) <> 1 or max(sequence) <> count(*)`;
  return rows.map((row) => `numbers with a gap: ${JSON.stringify(row)}`);
}
