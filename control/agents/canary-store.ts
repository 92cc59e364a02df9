import type { AgentConfig } from '../../shared/agent.ts';
import type { AnySql, Fragment, Transaction } from '../db/connect.ts';

/** The SQL of canaries: versions of agents that a share of their new calls uses, one of each agent at most. */

export interface CanaryRow {
  version: number;
  /** Of the agent's new calls. */
  percent: number;
  started_at: Date;
  /** A name. */
  started_by: string;
}

/** The settings of the calls of a canary; values of headers are sealed. */
export interface CanarySettings {
  version: number;
  config: AgentConfig;
}

export async function findCanary(sql: AnySql, workspaceId: string, agentId: string): Promise<CanaryRow | null> {
  const [row] = await sql<CanaryRow[]>`
    select version, percent, started_at, started_by from agent_canaries
    where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
  return row ?? null;
}

/** With the settings. */
export async function findCanaryWithSettings(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
): Promise<(CanarySettings & Pick<CanaryRow, 'percent'>) | null> {
  const [row] = await sql<(CanarySettings & Pick<CanaryRow, 'percent'>)[]>`
    select version, percent, config from agent_canaries where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
  return row ?? null;
}

/** What of a call says which version of its agent it was placed with. */
export interface PlacedCallOfAgent {
  workspace_id: string;
  id: string;
  agent_id: string | null;
  agent_version: number;
  created_at: Date;
}

/** The running canaries that these calls were placed with, by the calls' ids. */
export async function canariesOfCalls(
  tx: Transaction,
  calls: readonly PlacedCallOfAgent[],
): Promise<Map<string, CanarySettings>> {
  // As JSON: PostgreSQL would make a plan for each length of an array.
  const asked = calls.map(({ workspace_id, id, agent_id, agent_version, created_at }) => {
    return { workspace_id, id, agent_id, agent_version, created_at };
  });
  const rows = await tx<(CanarySettings & { id: string })[]>`
    select call.id, canary.version, canary.config
    from jsonb_to_recordset(${tx.json(asked as never)}) as call (
      workspace_id text, id text, agent_id text, agent_version integer, created_at timestamptz
    )
    join agent_canaries canary on ${wasPlacedWith(tx, ofCall(tx, tx`call`))}`;
  return new Map(rows.map(({ id, ...canary }) => [id, canary]));
}

/** A call's columns, in a statement that reads calls. */
export interface CallColumns {
  workspace_id: Fragment;
  agent_id: Fragment;
  agent_version: Fragment;
  created_at: Fragment;
}

const ofCall = (sql: AnySql, call: Fragment): CallColumns => ({
  workspace_id: sql`${call}.workspace_id`,
  agent_id: sql`${call}.agent_id`,
  agent_version: sql`${call}.agent_version`,
  created_at: sql`${call}.created_at`,
});

/** An earlier call may have the same version, from the time when that was in use. */
const wasPlacedWith = (sql: AnySql, { workspace_id, agent_id, agent_version, created_at }: CallColumns) => sql`
  canary.workspace_id = ${workspace_id} and canary.agent_id = ${agent_id} and canary.version = ${agent_version}
  and canary.started_at <= ${created_at}`;

/** The settings of the running canary that a call was placed with, as a part of a statement; null without one. */
export const canaryConfigOf = (sql: AnySql, call: CallColumns) => sql`(
    select config from agent_canaries canary where ${wasPlacedWith(sql, call)}
  )`;

/** The knowledge bases of the running canary that the call was placed with; null without one. */
export async function canaryBasesOf(sql: AnySql, call: PlacedCallOfAgent): Promise<string[] | null> {
  const columns = {
    workspace_id: sql`${call.workspace_id}`,
    agent_id: sql`${call.agent_id}`,
    agent_version: sql`${call.agent_version}`,
    created_at: sql`${call.created_at}`,
  };
  const [row] = await sql<{ bases: string[] }[]>`
    select config -> 'knowledge_base_ids' as bases from agent_canaries canary where ${wasPlacedWith(sql, columns)}`;
  return row?.bases ?? null;
}

export async function insertCanary(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  { version, percent, started_at, started_by, config }: CanaryRow & CanarySettings,
): Promise<void> {
  await tx`
    insert into agent_canaries (workspace_id, agent_id, version, percent, config, started_at, started_by)
    values (${workspaceId}, ${agentId}, ${version}, ${percent}, ${tx.json(config as never)}, ${started_at}, ${started_by})`;
}

export async function changeShare(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  percent: number,
): Promise<void> {
  await tx`
    update agent_canaries set percent = ${percent} where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
}

/** Its calls that have not begun use the agent's version in use from then on. */
export async function deleteCanary(tx: Transaction, workspaceId: string, agentId: string): Promise<void> {
  await tx`delete from agent_canaries where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
}
