import { newId } from '../../shared/ids.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { createKey, type NewKey } from './keys.ts';
import { findWorkspace, insertWorkspace } from './store.ts';

/** Creates an active workspace with its first key. `alsoWrite` joins the transaction. */
export async function createActiveWorkspace(
  sql: Sql,
  wallMs: number,
  name: string,
  created_by: string,
  alsoWrite: (tx: Transaction, workspaceId: string) => Promise<void> = async () => {},
): Promise<{ workspace_id: string; key: NewKey }> {
  return sql.begin(async (tx) => {
    const workspace_id = newId(wallMs);
    await insertWorkspace(tx, { id: workspace_id, name, state: 'active', created_at: new Date(wallMs) });
    const key = await createKey(tx, wallMs, { workspace_id, name: 'first key', created_by });
    if (!key) throw new Error('a new workspace has keys already');
    await alsoWrite(tx, workspace_id);
    return { workspace_id, key };
  });
}

export interface ListedWorkspace {
  id: string;
  name: string;
  state: string;
  plan_id: string;
  created_at: Date;
}

/** The newest workspaces; ids grow with time. */
export async function newestWorkspaces(sql: Sql, limit: number): Promise<ListedWorkspace[]> {
  return sql<ListedWorkspace[]>`
    select id, name, state, plan_id, created_at from workspaces order by id desc limit ${limit}`;
}

export async function workspaceExists(sql: Sql, workspaceId: string): Promise<boolean> {
  return (await findWorkspace(sql, workspaceId)) !== null;
}

/** Inserts a workspace that waits for its KYC; members and wallet are written by others. */
export async function openWorkspace(
  tx: Transaction,
  workspace: { id: string; name: string; timezone: string; created_at: Date },
): Promise<void> {
  const { id, name, timezone, created_at } = workspace;
  await tx`
    insert into workspaces (id, name, state, timezone, created_at)
    values (${id}, ${name}, 'onboarding', ${timezone}, ${created_at})`;
}
