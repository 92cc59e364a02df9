import type { CarrierName } from '../../shared/carriers/registry.ts';
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
  included: boolean;
  monthly_fee_paise: number;
  currency: string;
  caller_verification: boolean;
  bought_by: string;
  created_at: Date;
  paid_until: Date | null;
  past_due_since: Date | null;
}

const columns = (sql: AnySql) =>
  sql`number, workspace_id, agent_id, provider, status, order_id, connected_at, created_at`;

/** The workspace's numbers that are not released, or one of them; newest first. */
export async function listNumbers(sql: AnySql, workspaceId: string, number?: string): Promise<ListedNumber[]> {
  return sql<ListedNumber[]>`
    select n.number, n.country, n.type, n.provider, n.status, n.agent_id, a.name as agent_name, n.included,
      n.monthly_fee_paise, w.currency, n.bought_by, n.created_at, n.paid_until, n.past_due_since,
      exists (
        select from caller_id_numbers c
        join caller_id_requests r on r.workspace_id = c.workspace_id and r.id = c.request_id
        where c.workspace_id = n.workspace_id and c.number = n.number and r.status = 'active'
      ) as caller_verification
    from numbers n join workspaces w on w.id = n.workspace_id
    left join agents a on a.workspace_id = n.workspace_id and a.id = n.agent_id
    where n.workspace_id = ${workspaceId} and n.status <> 'released'
      and (${number ?? null}::text is null or n.number = ${number ?? null})
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
      included = false, monthly_fee_paise = 0, bought_by = '', paid_until = null, past_due_since = null,
      released_at = null
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
    update numbers set status = 'released', agent_id = null, connected_at = null, past_due_since = null, released_at = ${at}
    where workspace_id = ${workspaceId} and number = ${number}
  `;
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
    included: boolean;
    monthly_fee_paise: number;
    ordered_by: string;
  },
  paidUntil: Date | null,
): Promise<void> {
  await tx`
    update numbers set order_id = ${order.id}, country = ${order.country}, type = ${order.type}, included = ${order.included},
      monthly_fee_paise = ${order.monthly_fee_paise}::bigint, bought_by = ${order.ordered_by}, paid_until = ${paidUntil}
    where workspace_id = ${order.workspace_id} and number = ${order.number}`;
}
