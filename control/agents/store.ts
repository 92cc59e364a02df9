import type { AgentConfig } from '../../shared/agent.ts';
import type { AnySql, Fragment, Transaction } from '../db/connect.ts';
import type { AgentRow } from './agent-record.ts';

const MAX_VERSIONS = 10;

/** Columns of an agent, and its phone number: the one connected first. */
const columns = (sql: AnySql) => sql`
  id, name, welcome_message, system_prompt, llm, voice, transcriber, call, analytics, tools, mcp_servers,
  knowledge_base_ids, knowledge_mode, webhook_url, status, avatar, version, updated_by, created_at, updated_at, frozen_at, frozen_reason,
  frozen_incident_id, frozen_from,
  coalesce((
    select number from numbers
    where numbers.workspace_id = agents.workspace_id and numbers.agent_id = agents.id and numbers.status <> 'released'
    order by connected_at, number limit 1
  ), '') as phone_number
`;

export async function listAgents(sql: AnySql, workspaceId: string): Promise<AgentRow[]> {
  // Ids sort by creation.
  return sql<AgentRow[]>`select ${columns(sql)} from agents where workspace_id = ${workspaceId} order by id desc`;
}

/**
 * A short text that changes with everything a response about an agent shows: the version of its row and its phone number. Every
 * update of a row makes a new row version, with the transaction's number and a position of its own (PostgreSQL's system columns
 * `xmin` and `ctid`).
 */
const rowVersion = (sql: AnySql) => sql`
  agents.xmin::text || ' ' || agents.ctid::text || ' ' || coalesce((
    select number from numbers
    where numbers.workspace_id = agents.workspace_id and numbers.agent_id = agents.id and numbers.status <> 'released'
    order by connected_at, number limit 1
  ), '') as row_version
`;

/** Agents of any workspaces, by `<workspace id> <agent id>`, each with its row version of the same moment. */
export async function findAgents(
  sql: AnySql,
  names: readonly string[],
): Promise<Map<string, { row: AgentRow; version: string }>> {
  const { workspaceIds, agentIds } = splitNames(names);
  const rows = await sql<(AgentRow & { workspace_id: string; row_version: string })[]>`
    select workspace_id, ${rowVersion(sql)}, ${columns(sql)} from agents
    where (workspace_id, id) in (select * from unnest(${workspaceIds}::text[], ${agentIds}::text[]))`;
  return new Map(
    rows.map(({ workspace_id, row_version: version, ...row }) => [`${workspace_id} ${row.id}`, { row, version }]),
  );
}

/** The row versions alone, by the same names; none for an agent that does not exist. */
export async function findAgentRowVersions(sql: AnySql, names: readonly string[]): Promise<Map<string, string>> {
  const { workspaceIds, agentIds } = splitNames(names);
  const rows = await sql<{ name: string; row_version: string }[]>`
    select workspace_id || ' ' || id as name, ${rowVersion(sql)} from agents
    where (workspace_id, id) in (select * from unnest(${workspaceIds}::text[], ${agentIds}::text[]))`;
  return new Map(rows.map((row) => [row.name, row.row_version]));
}

function splitNames(names: readonly string[]): { workspaceIds: string[]; agentIds: string[] } {
  const pairs = names.map((name) => name.split(' ') as [string, string]);
  return { workspaceIds: pairs.map(([workspaceId]) => workspaceId), agentIds: pairs.map(([, agentId]) => agentId) };
}

export async function findAgent(sql: AnySql, workspaceId: string, agentId: string): Promise<AgentRow | null> {
  const [row] = await sql<AgentRow[]>`
    select ${columns(sql)} from agents where workspace_id = ${workspaceId} and id = ${agentId}
  `;
  return row ?? null;
}

/** A workspace has at most 200 agents, which its primary key finds. */
export async function agentsWithBases(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<{ id: string; knowledge_base_ids: string[] }[]> {
  return sql<{ id: string; knowledge_base_ids: string[] }[]>`
    select id, knowledge_base_ids from agents
    where workspace_id = ${workspaceId} and knowledge_base_ids && ${[...baseIds]}::text[] order by id`;
}

/** The agent's knowledge bases; null when there is no such agent. */
export async function findKnowledgeBaseIds(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
): Promise<string[] | null> {
  const [row] = await sql<{ knowledge_base_ids: string[] }[]>`
    select knowledge_base_ids from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return row?.knowledge_base_ids ?? null;
}

/** The carrier of the agent's phone number; empty while it has none. */
export async function carrierOf(sql: AnySql, workspaceId: string, agentId: string): Promise<string> {
  const [row] = await sql<{ provider: string }[]>`
    select provider from numbers
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and status <> 'released'
    order by connected_at, number limit 1
  `;
  return row?.provider ?? '';
}

/** Locks the agent for a change of its configuration; calls can still be placed. */
export async function lockAgent(tx: Transaction, workspaceId: string, agentId: string): Promise<AgentRow | null> {
  const [row] = await tx<AgentRow[]>`
    select ${columns(tx)} from agents where workspace_id = ${workspaceId} and id = ${agentId} for no key update
  `;
  return row ?? null;
}

/** Reads the agent and keeps it from being deleted until the transaction ends. */
export async function lockAgentShared(tx: Transaction, workspaceId: string, agentId: string): Promise<AgentRow | null> {
  const [row] = await tx<AgentRow[]>`
    select ${columns(tx)} from agents where workspace_id = ${workspaceId} and id = ${agentId} for key share
  `;
  return row ?? null;
}

/** The same of agents of any workspaces, by `<workspace id> <agent id>`. */
export async function lockAgentsShared(tx: Transaction, names: readonly string[]): Promise<Map<string, AgentRow>> {
  const { workspaceIds, agentIds } = splitNames(names);
  const rows = await tx<(AgentRow & { workspace_id: string })[]>`
    select workspace_id, ${columns(tx)} from agents
    where (workspace_id, id) in (select * from unnest(${workspaceIds}::text[], ${agentIds}::text[])) for key share of agents`;
  return new Map(rows.map(({ workspace_id, ...row }) => [`${workspace_id} ${row.id}`, row]));
}

/** The row as a column of JSON, for a statement that reads other tables too. It is not locked. */
export const agentAsJson = (sql: AnySql, workspaceId: Fragment, agentId: Fragment) => sql`(
    select to_json(agent) from (
      select ${columns(sql)} from agents where agents.workspace_id = ${workspaceId} and agents.id = ${agentId}
    ) as agent
  )`;

/** Locks the agent against every other use; false when there is none. */
export async function lockForDeletion(tx: Transaction, workspaceId: string, agentId: string): Promise<boolean> {
  const rows = await tx`select id from agents where workspace_id = ${workspaceId} and id = ${agentId} for update`;
  return rows.length > 0;
}

/** Locks the workspace, so that two agents created at once cannot both be the last allowed one. */
export async function countAgentsLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from agents where workspace_id = ${workspaceId}
  `;
  return row!.count;
}

export interface AgentSave {
  workspace_id: string;
  id: string;
  version: number;
  updated_by: string;
  updated_at: Date;
}

export async function insertAgent(tx: Transaction, config: AgentConfig, save: AgentSave): Promise<void> {
  const { workspace_id, id, version, updated_by, updated_at } = save;
  await tx`
    insert into agents (
      workspace_id, id, name, welcome_message, system_prompt, llm, voice, transcriber, call, analytics, tools,
      mcp_servers, knowledge_base_ids, knowledge_mode, webhook_url, status, avatar, version, updated_by, created_at,
      updated_at
    ) values (
      ${workspace_id}, ${id}, ${config.name}, ${config.welcome_message}, ${config.system_prompt}, ${json(tx, config.llm)},
      ${json(tx, config.voice)}, ${json(tx, config.transcriber)}, ${json(tx, config.call)}, ${json(tx, config.analytics)},
      ${json(tx, config.tools)}, ${json(tx, config.mcp_servers)}, ${config.knowledge_base_ids},
      ${config.knowledge_mode}, ${config.webhook_url},
      ${config.status}, ${json(tx, config.avatar)}, ${version}, ${updated_by}, ${updated_at}, ${updated_at}
    )
  `;
}

/** Updates the configuration; a frozen agent stays frozen, whatever status it says. */
export async function updateAgent(tx: Transaction, config: AgentConfig, save: AgentSave): Promise<void> {
  await tx`
    update agents set
      name = ${config.name}, welcome_message = ${config.welcome_message}, system_prompt = ${config.system_prompt},
      llm = ${json(tx, config.llm)}, voice = ${json(tx, config.voice)}, transcriber = ${json(tx, config.transcriber)},
      call = ${json(tx, config.call)}, analytics = ${json(tx, config.analytics)}, tools = ${json(tx, config.tools)},
      mcp_servers = ${json(tx, config.mcp_servers)}, knowledge_base_ids = ${config.knowledge_base_ids},
      knowledge_mode = ${config.knowledge_mode},
      webhook_url = ${config.webhook_url}, avatar = ${json(tx, config.avatar)},
      status = case when status = 'frozen' then status else ${config.status} end,
      version = ${save.version}, updated_by = ${save.updated_by}, updated_at = ${save.updated_at}
    where workspace_id = ${save.workspace_id} and id = ${save.id}
  `;
}

/** The number of the agent's next version; its row is locked. */
export async function nextVersion(tx: Transaction, workspaceId: string, agentId: string): Promise<number> {
  const [row] = await tx<{ version: number }[]>`
    select 1 + greatest(version, (
      select max(version) from agent_versions where workspace_id = ${workspaceId} and agent_id = ${agentId}
    )) as version
    from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return row!.version;
}

/** Inserts the saved configuration as a version and deletes all but the ten newest and the one in use. */
export async function insertVersion(
  tx: Transaction,
  config: AgentConfig,
  save: AgentSave,
  { changes, restored_from = null }: { changes: string[]; restored_from?: number | null },
): Promise<void> {
  const { workspace_id, id, version, updated_by, updated_at } = save;
  await tx`
    insert into agent_versions (workspace_id, agent_id, version, config, restored_from, changes, saved_at, saved_by)
    values (
      ${workspace_id}, ${id}, ${version}, ${json(tx, config)}, ${restored_from}, ${changes}, ${updated_at}, ${updated_by}
    )
  `;
  await tx`
    delete from agent_versions
    where workspace_id = ${workspace_id} and agent_id = ${id} and version <= ${version - MAX_VERSIONS}
      and version <> (select version from agents where workspace_id = ${workspace_id} and id = ${id})
  `;
}

/** A configuration of an earlier version of the schema. */
export type StoredConfig = Partial<AgentConfig> & Pick<AgentConfig, 'tools'>;

export interface VersionRow {
  version: number;
  current: boolean;
  restored_from: number | null;
  changes: string[];
  saved_at: Date;
  saved_by: string;
}

/** The stored versions, newest first; none when there is no such agent. */
export async function listVersions(sql: AnySql, workspaceId: string, agentId: string): Promise<VersionRow[]> {
  return sql<VersionRow[]>`
    select v.version, v.version = a.version as current, v.restored_from, v.changes, v.saved_at, v.saved_by
    from agent_versions v join agents a on a.workspace_id = v.workspace_id and a.id = v.agent_id
    where v.workspace_id = ${workspaceId} and v.agent_id = ${agentId} order by v.version desc
  `;
}

/** The carriers of the numbers that are connected to it, by name. */
export async function carriersOfAgent(sql: AnySql, workspaceId: string, agentId: string): Promise<string[]> {
  const rows = await sql<{ provider: string }[]>`
    select distinct provider from numbers
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and status <> 'released' order by provider`;
  return rows.map(({ provider }) => provider);
}

/** With the configuration as it was stored: newer fields are missing. */
export async function findVersion(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  version: number,
): Promise<(VersionRow & { config: StoredConfig }) | null> {
  const [row] = await sql<(VersionRow & { config: StoredConfig })[]>`
    select v.version, v.version = a.version as current, v.restored_from, v.changes, v.saved_at, v.saved_by, v.config
    from agent_versions v join agents a on a.workspace_id = v.workspace_id and a.id = v.agent_id
    where v.workspace_id = ${workspaceId} and v.agent_id = ${agentId} and v.version = ${version}
  `;
  return row ?? null;
}

/** Foreign keys disconnect its numbers and delete its versions. */
export async function deleteAgent(tx: Transaction, workspaceId: string, agentId: string): Promise<void> {
  await tx`delete from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
}

// The driver's type of JSON knows no optional fields.
const json = (tx: Transaction, value: unknown) => tx.json(value as never);
