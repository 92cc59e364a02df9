import type { AgentConfig } from '../../shared/agent.ts';
import type { AnySql, Transaction } from '../db/connect.ts';

/** The SQL of shared agents. */

export interface ShareRow {
  token: string;
  agent_id: string;
  agent_name: string;
  version: number;
  copies: number;
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
}

/** A share as the holder of its token sees it. */
export interface OpenShare {
  token: string;
  agent_name: string;
  workspace_name: string;
  config: unknown;
  expires_at: Date | null;
}

/** Locks the workspace, so that two shares at once cannot both be the last allowed one. */
export async function countSharesLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from agent_shares where workspace_id = ${workspaceId}
  `;
  return row!.count;
}

export async function deleteExpiredShares(tx: Transaction, workspaceId: string, now: Date): Promise<void> {
  await tx`delete from agent_shares where workspace_id = ${workspaceId} and expires_at <= ${now}`;
}

export async function insertShare(
  tx: Transaction,
  workspaceId: string,
  share: ShareRow,
  config: AgentConfig,
): Promise<void> {
  const { token, agent_id, agent_name, version, copies, created_by, created_at, expires_at } = share;
  await tx`
    insert into agent_shares (
      token, workspace_id, agent_id, agent_name, version, config, copies, created_by, created_at, expires_at
    ) values (
      ${token}, ${workspaceId}, ${agent_id}, ${agent_name}, ${version}, ${tx.json(config as never)}, ${copies},
      ${created_by}, ${created_at}, ${expires_at}
    )
  `;
}

/** Newest first. */
export async function listShares(sql: AnySql, workspaceId: string, now: Date): Promise<ShareRow[]> {
  return sql<ShareRow[]>`
    select token, agent_id, agent_name, version, copies, created_by, created_at, expires_at
    from agent_shares where workspace_id = ${workspaceId} and (expires_at is null or expires_at > ${now})
    order by created_at desc, token desc
  `;
}

/** Finds a share by its token, from any workspace: the token is the permission. */
export async function findOpenShare(sql: AnySql, token: string, now: Date): Promise<OpenShare | null> {
  const [row] = await sql<OpenShare[]>`
    select s.token, s.agent_name, w.name as workspace_name, s.config, s.expires_at
    from agent_shares s join workspaces w on w.id = s.workspace_id
    where s.token = ${token} and (s.expires_at is null or s.expires_at > ${now}) and w.state = 'active'
  `;
  return row ?? null;
}

/** By the token, because the copy belongs to another workspace. */
export async function incrementCopies(tx: Transaction, token: string): Promise<void> {
  await tx`update agent_shares set copies = copies + 1 where token = ${token}`;
}

/** Returns the share's agent; null when the workspace has no such share. */
export async function deleteShare(
  tx: Transaction,
  workspaceId: string,
  token: string,
): Promise<{ agent_id: string; agent_name: string } | null> {
  const [row] = await tx<{ agent_id: string; agent_name: string }[]>`
    delete from agent_shares where workspace_id = ${workspaceId} and token = ${token} returning agent_id, agent_name
  `;
  return row ?? null;
}
