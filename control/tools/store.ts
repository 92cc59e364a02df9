import type { AgentTool } from '../../shared/agent.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { ToolRow } from './tool-record.ts';

/** The SQL of the tool library. */

const COLUMNS = (sql: AnySql) => sql`
  id, name, description, parameters, method, url, headers, pre_call_message, timeout_seconds, results, created_by,
  created_at, updated_at`;

/** Newest first: ids sort by creation. */
export async function listTools(sql: AnySql, workspaceId: string): Promise<ToolRow[]> {
  return sql<ToolRow[]>`select ${COLUMNS(sql)} from tools where workspace_id = ${workspaceId} order by id desc`;
}

export async function findTool(sql: AnySql, workspaceId: string, toolId: string): Promise<ToolRow | null> {
  const [row] = await sql<ToolRow[]>`
    select ${COLUMNS(sql)} from tools where workspace_id = ${workspaceId} and id = ${toolId}`;
  return row ?? null;
}

/** Locks the tool for a change. */
export async function lockTool(tx: Transaction, workspaceId: string, toolId: string): Promise<ToolRow | null> {
  const [row] = await tx<ToolRow[]>`
    select ${COLUMNS(tx)} from tools where workspace_id = ${workspaceId} and id = ${toolId} for update`;
  return row ?? null;
}

/** Makes the changes of a library follow each other, so that its limit and the names hold. */
export async function lockLibrary(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
}

export async function countTools(tx: Transaction, workspaceId: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from tools where workspace_id = ${workspaceId}`;
  return row!.count;
}

/** The id of the tool of this name; null when there is none. */
export async function findToolIdByName(tx: Transaction, workspaceId: string, name: string): Promise<string | null> {
  const [row] = await tx<{ id: string }[]>`
    select id from tools where workspace_id = ${workspaceId} and name = ${name}`;
  return row?.id ?? null;
}

export async function insertTool(tx: Transaction, workspaceId: string, row: ToolRow): Promise<void> {
  await tx`
    insert into tools (
      workspace_id, id, name, description, parameters, method, url, headers, pre_call_message, timeout_seconds,
      results, created_by, created_at, updated_at
    ) values (
      ${workspaceId}, ${row.id}, ${row.name}, ${row.description}, ${tx.json(row.parameters as never)}, ${row.method},
      ${row.url}, ${tx.json(row.headers)}, ${row.pre_call_message}, ${row.timeout_seconds}, ${tx.json(row.results as never)},
      ${row.created_by}, ${row.created_at}, ${row.updated_at}
    )`;
}

export async function updateTool(
  tx: Transaction,
  workspaceId: string,
  toolId: string,
  tool: AgentTool,
  at: Date,
): Promise<void> {
  await tx`
    update tools set
      name = ${tool.name}, description = ${tool.description}, parameters = ${tx.json(tool.parameters as never)},
      method = ${tool.method}, url = ${tool.url}, headers = ${tx.json(tool.headers)},
      pre_call_message = ${tool.pre_call_message}, timeout_seconds = ${tool.timeout_seconds},
      results = ${tx.json(tool.results as never)}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${toolId}`;
}

/** The name of the deleted tool; null when there was none. */
export async function deleteTool(tx: Transaction, workspaceId: string, toolId: string): Promise<string | null> {
  const [row] = await tx<{ name: string }[]>`
    delete from tools where workspace_id = ${workspaceId} and id = ${toolId} returning name`;
  return row?.name ?? null;
}
