import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';

/** Credits that are given, or taken to put something right. */

export interface NewGrant {
  workspace_id: string;
  /** An adjustment may be negative. */
  kind: 'grant' | 'adjustment';
  /** In the workspace's smallest unit; not 0. */
  amount_paise: number;
  /** Shown to the workspace. */
  note: string;
  actor: Actor;
  at_ms: number;
}

export interface GrantRow {
  workspace_id: string;
  id: string;
  kind: NewGrant['kind'];
  amount_paise: number;
  currency: string;
  note: string;
  by_name: string;
  created_at: Date;
}

const columns = (sql: AnySql) => sql`workspace_id, id, kind, amount_paise, currency, note, by_name, created_at`;

export async function listGrants(sql: AnySql, workspaceId: string): Promise<GrantRow[]> {
  return sql<GrantRow[]>`
    select ${columns(sql)} from grants where workspace_id = ${workspaceId} order by id desc limit 200`;
}

/** Joins the caller's transaction. @throws when there is no such workspace. */
export async function grantCredits(tx: Transaction, grant: NewGrant): Promise<GrantRow> {
  const { workspace_id, kind, amount_paise, note, actor, at_ms } = grant;
  const [row] = await tx<GrantRow[]>`
    insert into grants (workspace_id, id, kind, amount_paise, currency, note, by_name, created_at)
    select id, ${newId(at_ms)}, ${kind}, ${amount_paise}::bigint, currency, ${note}, ${actor.name}, ${new Date(at_ms)}
    from workspaces where id = ${workspace_id} returning ${columns(tx)}`;
  if (!row) throw new Error('credits were granted to a workspace that is not there');
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: kind === 'grant' ? 'credits.granted' : 'credits.adjusted',
    target: { kind: 'workspace', id: workspace_id, name: '' },
    data: { amount_paise, currency: row.currency, note },
    at_ms,
  });
  return row;
}
