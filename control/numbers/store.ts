import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql, Transaction } from '../db/connect.ts';

export interface NumberRow {
  number: string;
  workspace_id: string;
  agent_id: string | null;
  provider: CarrierName;
  status: 'active' | 'past_due' | 'released';
  connected_at: Date | null;
  created_at: Date;
}

const columns = (sql: AnySql) => sql`number, workspace_id, agent_id, provider, status, connected_at, created_at`;

/** A number exists once over all workspaces. */
export async function findNumber(sql: AnySql, number: string): Promise<NumberRow | null> {
  const [row] = await sql<NumberRow[]>`select ${columns(sql)} from numbers where number = ${number}`;
  return row ?? null;
}

export async function lockNumber(tx: Transaction, number: string): Promise<NumberRow | null> {
  const [row] = await tx<NumberRow[]>`select ${columns(tx)} from numbers where number = ${number} for update`;
  return row ?? null;
}

/** False when the number exists already. */
export async function insertNumber(
  sql: AnySql,
  number: Pick<NumberRow, 'number' | 'workspace_id' | 'provider' | 'created_at'>,
): Promise<boolean> {
  const rows = await sql`
    insert into numbers ${sql(number, 'number', 'workspace_id', 'provider', 'created_at')}
    on conflict do nothing returning number
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
