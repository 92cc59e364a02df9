import type { Sql } from '../../../control/db/connect.ts';
import type { Account } from './account.ts';
import { concurrencyOf } from './fees.ts';
import { totalOf } from './topups.ts';

/** What an account and the database say of a workspace, in the same words. */

const sorted = <Item>(items: Item[]): Item[] => items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

export function factsOf(account: Account) {
  const { paid, free, movements, papers, plan, currency, lines, seconds, subscriptions, numbers, orders } = account;
  const ofPlan = subscriptions.find(({ kind }) => kind === 'plan');
  return {
    ...{ paid, free, rows: movements.length, papers: papers.length, plan, currency, lines, seconds },
    ...{ concurrency: concurrencyOf(account), own_price: account.ownPrice },
    plan_cycle: [ofPlan?.paidUntil ?? null, ofPlan?.unpaidSince ?? null],
    subscriptions: sorted(
      subscriptions.map(({ kind, id, paidUntil, nextAttempt, unpaidSince }) => [
        ...[kind, id, paidUntil, nextAttempt, unpaidSince],
      ]),
    ),
    numbers: sorted(numbers.map((each) => [each.number, each.paid ? 'active' : 'past_due'])),
    orders: sorted(orders.map(({ number, state, absent }) => [number, state, state === 'ordering' ? absent : 0])),
    caller_ids: sorted(account.callerIds.map((each) => [each.id, each.fee, each.currency, each.paidUntil])),
    bonus: account.bonus?.percent ?? null,
    reversals: sorted(
      account.payments.flatMap(({ reversals }) =>
        reversals.map((each) => [each.id, each.status, each.credits, each.bonus]),
      ),
    ),
  };
}

export type Facts = ReturnType<typeof factsOf>;

export async function readFacts(sql: Sql, workspaceId: string): Promise<Facts> {
  const ms = (column: string) => sql`(extract(epoch from ${sql(column)}) * 1000)::bigint`;
  const [row] = await sql<[Facts]>`
    select w.paid_paise as paid, w.free_paise as free, w.seq as rows, s.plan_id as plan, s.currency, s.extra_lines as lines,
      w.plan_seconds_left as seconds, s.concurrency_limit as concurrency, s.own_price_per_minute_paise as own_price,
      (select count(*)::integer from invoices where workspace_id = s.id) as papers,
      json_build_array(${ms('plan_cycle_end')}, ${ms('plan_past_due_since')}) as plan_cycle,
      (select coalesce(json_agg(json_build_array(kind, subject_id, ${ms('cycle_end')}, ${ms('next_attempt_at')},
        ${ms('past_due_since')})), '[]') from renewals where workspace_id = s.id) as subscriptions,
      (select coalesce(json_agg(json_build_array(number, status)), '[]') from numbers
        where workspace_id = s.id and status <> 'released') as numbers,
      (select coalesce(json_agg(json_build_array(number, state,
        case when state = 'ordering' then absent_looks else 0 end)), '[]') from number_orders
        where workspace_id = s.id and state in ('ordering', 'releasing')) as orders,
      (select coalesce(json_agg(json_build_array(id, fee_paise, currency, ${ms('paid_until')})), '[]')
        from caller_id_requests where workspace_id = s.id and status = 'active') as caller_ids,
      (select percent from coupon_redemptions r join coupons c on c.id = r.coupon_id
        where workspace_id = s.id and r.kind = 'topup_bonus' and used_at is null) as bonus,
      (select coalesce(json_agg(json_build_array(gateway_id, status, credits_paise, bonus_paise)), '[]')
        from payment_reversals where workspace_id = s.id) as reversals
    from wallets w join workspaces s on s.id = w.workspace_id where s.id = ${workspaceId}`;
  for (const name of ['subscriptions', 'numbers', 'orders', 'caller_ids', 'reversals'] as const) sorted(row[name]);
  return row;
}

/** Every row of the ledger and every document, as they were calculated. */
export const booksOf = ({ movements, papers, payments }: Account) => ({
  ledger: movements.map(({ kind, paid, free, currency, begin }) => [kind, paid, free, currency, begin]),
  documents: sorted(
    papers.map(({ document, kind, amount, tax, currency }) => [
      ...[document, kind, amount, tax.reduce((sum, each) => sum + each, 0), currency],
    ]),
  ),
  payments: sorted(
    payments.filter(({ credited }) => credited).map((each) => [each.id, totalOf(each), each.bonus + each.couponBonus]),
  ),
});

export async function readBooks(sql: Sql, workspaceId: string): Promise<ReturnType<typeof booksOf>> {
  const ledger = await sql<{ kind: string; paid: number; free: number; currency: string; key: string }[]>`
    select kind, paid_paise as paid, free_paise as free, currency, key from ledger
    where workspace_id = ${workspaceId} order by seq`;
  const documents = await sql<{ values: (string | number)[] }[]>`
    select json_build_array(document, kind, amount_paise, tax_paise, currency) as values from invoices
    where workspace_id = ${workspaceId}`;
  const payments = await sql<{ values: (string | number)[] }[]>`
    select json_build_array(id, total_paise, bonus_paise + coupon_bonus_paise) as values from payments
    where workspace_id = ${workspaceId} and status = 'paid'`;
  return {
    ledger: ledger.map(({ kind, paid, free, currency, key }) => [kind, paid, free, currency, beginOf(key)]),
    documents: sorted(documents.map(({ values }) => values)),
    payments: sorted(payments.map(({ values }) => values)),
  } as ReturnType<typeof booksOf>;
}

/** The beginning of the month that a fee paid for, of its key in the ledger; null: of none. */
function beginOf(key: string): number | null {
  const begin = /^\w+:.*?:(\d{4}-\d\d-\d\dT.*Z)$/.exec(key)?.[1];
  return begin === undefined ? null : Date.parse(begin);
}
