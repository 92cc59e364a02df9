import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { NumberPrice } from '../carriers/number-inventory.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { NumberType } from './number-type.ts';

/** The purchase of a number. */
export interface OrderRow {
  workspace_id: string;
  id: string;
  number: string;
  provider: CarrierName;
  country: string;
  type: NumberType;
  state: 'ordering' | 'bought' | 'failed' | 'releasing' | 'released';
  /** At the carrier; null: not known. */
  price: NumberPrice | null;
  /** Of 30 days, where the plan does not include the number. */
  monthly_fee_paise: number;
  charged_paise: number;
  ordered_by: string;
  created_at: Date;
  settled_at: Date | null;
  reason: string;
  absent_looks: number;
  next_attempt_at: Date;
}

export type NewOrder = Omit<OrderRow, 'state' | 'settled_at' | 'reason' | 'absent_looks'>;

/** False while another order has the number. */
export async function insertOrder(tx: Transaction, order: NewOrder): Promise<boolean> {
  const rows = await tx`
    insert into number_orders (workspace_id, id, number, provider, country, type, state, price, monthly_fee_paise,
      charged_paise, ordered_by, created_at, next_attempt_at)
    values (${order.workspace_id}, ${order.id}, ${order.number}, ${order.provider}, ${order.country}, ${order.type}, 'ordering',
      ${order.price && tx.json({ ...order.price })}, ${order.monthly_fee_paise}::bigint, ${order.charged_paise}::bigint, ${order.ordered_by},
      ${order.created_at}, ${order.next_attempt_at})
    on conflict do nothing returning id`;
  return rows.length > 0;
}

export async function lockOrder(tx: Transaction, workspaceId: string, id: string): Promise<OrderRow | null> {
  const [row] = await tx<OrderRow[]>`
    select * from number_orders where workspace_id = ${workspaceId} and id = ${id} for update`;
  return row ?? null;
}

/** The workspace's order of the number that is not settled; null when there is none. */
export async function findOpenOrder(sql: AnySql, workspaceId: string, number: string): Promise<OrderRow | null> {
  const [row] = await sql<OrderRow[]>`
    select * from number_orders where workspace_id = ${workspaceId} and number = ${number} and state = 'ordering'`;
  return row ?? null;
}

/** Whether an order of the number, of any workspace, waits for its carrier: to buy it, or to release it. */
export async function waitsForCarrier(sql: AnySql, number: string): Promise<boolean> {
  const rows = await sql`
    select from number_orders where number = ${number} and state in ('ordering', 'releasing')`;
  return rows.length > 0;
}

export async function setOrderState(
  tx: Transaction,
  { workspace_id, id }: Pick<OrderRow, 'workspace_id' | 'id'>,
  state: OrderRow['state'],
  at: Date,
  reason = '',
): Promise<void> {
  await tx`
    update number_orders set state = ${state}, reason = ${reason}, next_attempt_at = ${at},
      settled_at = coalesce(settled_at, ${at})
    where workspace_id = ${workspace_id} and id = ${id}`;
}

/** An order that is not decided is looked at again. */
export async function setNextLook(
  sql: AnySql,
  { workspace_id, id }: Pick<OrderRow, 'workspace_id' | 'id'>,
  { absent_looks, at_ms }: { absent_looks: number; at_ms: number },
): Promise<void> {
  await sql`
    update number_orders set absent_looks = ${absent_looks}, next_attempt_at = ${new Date(at_ms)}
    where workspace_id = ${workspace_id} and id = ${id} and state = 'ordering'`;
}

/** What is due, put off until `leaseMs` later for every other process, of any workspace. */
export async function leaseDueOrders(sql: Sql, limit: number, nowMs: number, leaseMs: number): Promise<OrderRow[]> {
  return sql<OrderRow[]>`
    update number_orders o set next_attempt_at = ${new Date(nowMs + leaseMs)}
    from (
      select workspace_id, id from number_orders
      where state in ('ordering', 'releasing') and next_attempt_at <= ${new Date(nowMs)}
      order by next_attempt_at limit ${limit} for update skip locked
    ) due
    where o.workspace_id = due.workspace_id and o.id = due.id returning o.*`;
}

/** The workspace's numbers and open orders: all of them, and those that it bought. */
export async function countNumbers(tx: Transaction, workspaceId: string): Promise<{ all: number; bought: number }> {
  const [row] = await tx<{ all: number; bought: number }[]>`
    select count(*)::integer as all, count(*) filter (where bought)::integer as bought
    from (
      select order_id is not null as bought from numbers where workspace_id = ${workspaceId} and status <> 'released'
      union all
      select true from number_orders where workspace_id = ${workspaceId} and state = 'ordering'
    ) held`;
  return row!;
}

export async function includedNumbersOfPlan(tx: Transaction, workspaceId: string): Promise<number> {
  const [row] = await tx<{ included_numbers: number }[]>`
    select p.included_numbers from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  return row?.included_numbers ?? 0;
}
