import type { InvoiceTerms } from '../billing/invoices/invoice-terms.ts';
import type { Currency } from '../billing/rates.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { GatewayName, Reversal } from './gateway.ts';

export interface PaymentRow {
  workspace_id: string;
  id: string;
  status: 'created' | 'paid' | 'failed' | 'expired';
  gateway: GatewayName;
  order_id: string | null;
  gateway_payment_id: string | null;
  amount_paise: number;
  bonus_paise: number;
  coupon_bonus_paise: number;
  tax_paise: number;
  total_paise: number;
  currency: Currency;
  terms: InvoiceTerms;
  pack_id: string | null;
  method: string;
  invoice_id: string | null;
  created_by: string;
  created_at: Date;
  expires_at: Date;
  paid_at: Date | null;
  failure_reason: string;
  next_look_at: Date | null;
}

export type NewPayment = Omit<
  PaymentRow,
  | 'status'
  | 'order_id'
  | 'gateway_payment_id'
  | 'coupon_bonus_paise'
  | 'method'
  | 'invoice_id'
  | 'paid_at'
  | 'failure_reason'
>;

export type PaymentKey = Pick<PaymentRow, 'workspace_id' | 'id'>;

export async function insertPayment(tx: Transaction, payment: NewPayment): Promise<void> {
  const { terms, ...columns } = payment;
  await tx`insert into payments ${tx({ ...columns, status: 'created', terms: tx.json(terms as never) } as never)}`;
}

/** Payments that can still be paid. */
export async function countOpenPayments(tx: Transaction, workspaceId: string): Promise<number> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::integer as open from payments where workspace_id = ${workspaceId} and status = 'created'`;
  return row!.open;
}

export type ListedPaymentRow = PaymentRow & { refunded_paise: number };

const withRefunds = (sql: AnySql) => sql`
  p.*, (select coalesce(sum(r.amount_paise), 0)::bigint from payment_reversals r
    where r.workspace_id = p.workspace_id and r.payment_id = p.id and r.status <> 'returned') as refunded_paise`;

/** The newest 100. */
export async function listPayments(sql: AnySql, workspaceId: string): Promise<ListedPaymentRow[]> {
  return sql<ListedPaymentRow[]>`
    select ${withRefunds(sql)} from payments p where workspace_id = ${workspaceId} order by id desc limit 100`;
}

export async function findPayment(sql: AnySql, workspaceId: string, id: string): Promise<ListedPaymentRow | null> {
  const [row] = await sql<ListedPaymentRow[]>`
    select ${withRefunds(sql)} from payments p where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

/** The payment of a gateway's order; `reference` finds one whose order is not known yet. */
export async function lockByOrder(
  tx: Transaction,
  gateway: GatewayName,
  { id, reference }: { id: string; reference: string },
): Promise<PaymentRow | null> {
  const [row] = await tx<PaymentRow[]>`
    select * from payments where gateway = ${gateway} and order_id = ${id} for no key update`;
  if (row || reference === '') return row ?? null;
  const [named] = await tx<PaymentRow[]>`
    select * from payments where id = ${reference} and gateway = ${gateway} for no key update`;
  return named ?? null;
}

export async function lockByGatewayPayment(
  tx: Transaction,
  gateway: GatewayName,
  gatewayPaymentId: string,
): Promise<PaymentRow | null> {
  const [row] = await tx<PaymentRow[]>`
    select * from payments where gateway = ${gateway} and gateway_payment_id = ${gatewayPaymentId} for no key update`;
  return row ?? null;
}

/** Whether the gateway's payment is in the ledger. */
export async function isCredited(tx: Transaction, gateway: GatewayName, gatewayPaymentId: string): Promise<boolean> {
  const rows =
    await tx`select id from payments where gateway = ${gateway} and gateway_payment_id = ${gatewayPaymentId}`;
  return rows.length > 0;
}

/** Keeps the gateway's order; false when another request or callback has found it before. */
export async function setOrder(sql: AnySql, { workspace_id, id }: PaymentKey, orderId: string): Promise<boolean> {
  const rows = await sql`
    update payments set order_id = ${orderId}, failure_reason = ''
    where workspace_id = ${workspace_id} and id = ${id} and order_id is null returning id`;
  return rows.length > 0;
}

export async function setFailure(
  sql: AnySql,
  { workspace_id, id }: PaymentKey,
  { status, reason }: { status: 'created' | 'failed' | 'expired'; reason: string },
): Promise<void> {
  await sql`
    update payments set status = ${status}, failure_reason = ${reason}
    where workspace_id = ${workspace_id} and id = ${id} and status <> 'paid'`;
}

export async function setPaid(tx: Transaction, { workspace_id, id }: PaymentKey, paid: PaidColumns): Promise<void> {
  await tx`
    update payments set ${tx({ ...paid, status: 'paid', failure_reason: '', next_look_at: null } as never)}
    where workspace_id = ${workspace_id} and id = ${id}`;
}

export type PaidColumns = Pick<
  PaymentRow,
  'gateway_payment_id' | 'coupon_bonus_paise' | 'method' | 'invoice_id' | 'paid_at'
>;

/** Asks the gateway soon. */
export async function lookSoon(sql: AnySql, { workspace_id, id }: PaymentKey, at: Date): Promise<void> {
  await sql`
    update payments set next_look_at = least(next_look_at, ${at})
    where workspace_id = ${workspace_id} and id = ${id} and status <> 'paid'`;
}

/** What is due, put off until `until` for every other process. */
export async function leaseDuePayments(sql: Sql, limit: number, at: Date, until: Date): Promise<PaymentRow[]> {
  return sql<PaymentRow[]>`
    update payments p set next_look_at = ${until}
    from (
      select workspace_id, id from payments where next_look_at <= ${at}
      order by next_look_at limit ${limit} for update skip locked
    ) due
    where p.workspace_id = due.workspace_id and p.id = due.id returning p.*`;
}

/** After a look: when the next one is, and what became of a payment that can no longer be paid. */
export async function setNextLook(
  sql: AnySql,
  { workspace_id, id }: PaymentKey,
  { at, ended }: { at: Date | null; ended: boolean },
): Promise<void> {
  await sql`
    update payments set next_look_at = ${at},
      status = case when ${ended} and status = 'created'
        then case when failure_reason = '' then 'expired' else 'failed' end else status end
    where workspace_id = ${workspace_id} and id = ${id} and status <> 'paid'`;
}

export interface ReversalRow {
  gateway: GatewayName;
  gateway_id: string;
  workspace_id: string;
  payment_id: string;
  kind: Reversal['kind'];
  status: Reversal['status'];
  amount_paise: number;
  /** Taken back for it and not returned, in the payment's currency: all of a payment are its share of what is gone. */
  credits_paise: number;
  bonus_paise: number;
  credit_note_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** All of a payment; its row is locked by the caller. */
export async function reversalsOf(tx: Transaction, { workspace_id, id }: PaymentKey): Promise<ReversalRow[]> {
  return tx<ReversalRow[]>`
    select * from payment_reversals where workspace_id = ${workspace_id} and payment_id = ${id}`;
}

/** Since when the gateway's oldest refund or dispute since then is known whose money may still come back; null: there is none. */
export async function oldestOpenReversal(sql: Sql, gateway: GatewayName, since: Date): Promise<Date | null> {
  const [row] = await sql<{ created_at: Date }[]>`
    select created_at from payment_reversals
    where gateway = ${gateway} and status = 'taken' and created_at >= ${since} order by created_at limit 1`;
  return row?.created_at ?? null;
}

export async function saveReversal(tx: Transaction, row: ReversalRow): Promise<void> {
  const { status, credits_paise, bonus_paise, credit_note_id, updated_at } = row;
  await tx`
    insert into payment_reversals ${tx(row as never)}
    on conflict (gateway, gateway_id) do update set status = ${status}, credits_paise = ${credits_paise},
      bonus_paise = ${bonus_paise}, credit_note_id = ${credit_note_id}, updated_at = ${updated_at}`;
}
