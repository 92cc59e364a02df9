import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { writeLedger } from './ledger.ts';
import { retryPastDue } from './renewals/renewals.ts';

/** Free credits that the operator grants, and adjustments. */

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

/** The newest 200, welcome credits included. */
export async function listGrants(sql: AnySql, workspaceId: string): Promise<GrantRow[]> {
  return sql<GrantRow[]>`
    select workspace_id, id, kind, amount_paise, currency, note, by_name, at as created_at from ledger
    where workspace_id = ${workspaceId} and kind in ('grant', 'adjustment') order by seq desc limit 200`;
}

/** Joins the caller's transaction; unpaid fees are tried again after it. @throws when there is no such workspace. */
export async function grantCredits(tx: Transaction, grant: NewGrant): Promise<GrantRow> {
  const { workspace_id, kind, amount_paise, note, actor, at_ms } = grant;
  const key = `grant:${newId(at_ms)}`;
  if (amount_paise > 0) await retryPastDue(tx, workspace_id, at_ms);
  const written = await writeLedger(tx, { ...grant, by_name: actor.name, key });
  const { id, currency, by_name, at } = written;
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: kind === 'grant' ? 'credits.granted' : 'credits.adjusted',
    target: { kind: 'workspace', id: workspace_id, name: '' },
    data: { amount_paise, currency, note },
    at_ms,
  });
  return { workspace_id, id, kind, amount_paise, currency, note, by_name, created_at: at };
}
