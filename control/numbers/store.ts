import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { Currency } from '../billing/rates.ts';
import type { NumberPrice } from '../carriers/number-inventory.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { NumberType } from './number-type.ts';

export interface NumberRow {
  number: string;
  workspace_id: string;
  agent_id: string | null;
  provider: CarrierName;
  status: 'active' | 'past_due' | 'released';
  /** The order that bought it; null: entered by the service's team. */
  order_id: string | null;
  connected_at: Date | null;
  created_at: Date;
}

/** A number as its workspace sees it. */
export interface ListedNumber {
  number: string;
  /** Null: not told by the carrier. */
  country: string | null;
  type: NumberType | null;
  provider: CarrierName;
  status: NumberRow['status'];
  agent_id: string | null;
  agent_name: string | null;
  order_id: string | null;
  /** One of the oldest bought ones, as many as the plan includes. */
  included: boolean;
  /** At the carrier when it was bought; null: not known. */
  price: NumberPrice | null;
  /** The fee of 30 days when it was bought. */
  agreed_fee_paise: number;
  currency: Currency;
  caller_verification: boolean;
  bought_by: string;
  created_at: Date;
  cycle_end: Date | null;
  past_due_since: Date | null;
}

const columns = (sql: AnySql) =>
  sql`number, workspace_id, agent_id, provider, status, order_id, connected_at, created_at`;

/** The workspace's numbers that are not released, or one of them; newest first. */
export async function listNumbers(sql: AnySql, workspaceId: string, number?: string): Promise<ListedNumber[]> {
  return sql<ListedNumber[]>`
    select n.number, n.country, n.type, n.provider, n.status, n.agent_id, a.name as agent_name, n.order_id, n.included, n.price,
      n.monthly_fee_paise as agreed_fee_paise, n.currency, n.bought_by, n.created_at, r.cycle_end, r.past_due_since,
      exists (
        select from caller_id_numbers c
        join caller_id_requests q on q.workspace_id = c.workspace_id and q.id = c.request_id
        where c.workspace_id = n.workspace_id and c.number = n.number and q.status = 'active'
      ) as caller_verification
    from (
      select n.*, w.currency, n.order_id is not null and p.included_numbers >= row_number() over (
        partition by n.order_id is null order by n.created_at, n.number
      ) as included
      from numbers n join workspaces w on w.id = n.workspace_id join plans p on p.id = w.plan_id
      where n.workspace_id = ${workspaceId} and n.status <> 'released'
    ) n
    left join agents a on a.workspace_id = n.workspace_id and a.id = n.agent_id
    left join renewals r on r.workspace_id = n.workspace_id and r.kind = 'number' and r.subject_id = n.number
    where ${number ?? null}::text is null or n.number = ${number ?? null}
    order by n.created_at desc, n.number`;
}

/** A number exists once over all workspaces. */
export async function findNumber(sql: AnySql, number: string): Promise<NumberRow | null> {
  const [row] = await sql<NumberRow[]>`select ${columns(sql)} from numbers where number = ${number}`;
  return row ?? null;
}

export async function lockNumber(tx: Transaction, number: string): Promise<NumberRow | null> {
  const [row] = await tx<NumberRow[]>`select ${columns(tx)} from numbers where number = ${number} for update`;
  return row ?? null;
}

/** False when the number exists already; one that was released may be added again, to any workspace. */
export async function insertNumber(
  sql: AnySql,
  number: Pick<NumberRow, 'number' | 'workspace_id' | 'provider' | 'created_at'>,
): Promise<boolean> {
  const rows = await sql`
    insert into numbers as n (number, workspace_id, provider, created_at)
    values (${number.number}, ${number.workspace_id}, ${number.provider}, ${number.created_at})
    on conflict (number) do update set
      workspace_id = excluded.workspace_id, provider = excluded.provider, created_at = excluded.created_at,
      status = 'active', agent_id = null, connected_at = null, country = null, type = null, order_id = null,
      price = null, monthly_fee_paise = 0, bought_by = '', released_at = null
    where n.status = 'released' returning number
  `;
  return rows.length > 0;
}

export async function setAgent(
  tx: Transaction,
  workspaceId: string,
  number: string,
  agentId: string,
  connectedAt: Date,
): Promise<void> {
  await tx`
    update numbers set agent_id = ${agentId}, connected_at = ${connectedAt}
    where workspace_id = ${workspaceId} and number = ${number}
  `;
}

export async function clearAgent(tx: Transaction, workspaceId: string, number: string): Promise<void> {
  await tx`
    update numbers set agent_id = null, connected_at = null
    where workspace_id = ${workspaceId} and number = ${number}
  `;
}

/** The row stays, for the history, and may be taken by a later purchase. */
export async function setReleased(tx: Transaction, workspaceId: string, number: string, at: Date): Promise<void> {
  await tx`
    update numbers set status = 'released', agent_id = null, connected_at = null, released_at = ${at}
    where workspace_id = ${workspaceId} and number = ${number}
  `;
}

/** Whether its fee is paid. */
export async function setPaid(tx: Transaction, workspaceId: string, number: string, paid: boolean): Promise<void> {
  await tx`
    update numbers set status = ${paid ? 'active' : 'past_due'}
    where workspace_id = ${workspaceId} and number = ${number} and status <> 'released'`;
}

/** What the order of a number that was just inserted says about it. */
export async function setPurchase(
  tx: Transaction,
  order: {
    workspace_id: string;
    number: string;
    id: string;
    country: string;
    type: NumberType;
    price: NumberPrice | null;
    monthly_fee_paise: number;
    ordered_by: string;
  },
): Promise<void> {
  await tx`
    update numbers set order_id = ${order.id}, country = ${order.country}, type = ${order.type},
      price = ${order.price && tx.json({ ...order.price })}, monthly_fee_paise = ${order.monthly_fee_paise}::bigint,
      bought_by = ${order.ordered_by}
    where workspace_id = ${order.workspace_id} and number = ${order.number}`;
}
