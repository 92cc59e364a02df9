import type { AnySql, Transaction } from '../db/connect.ts';

/** The row of a workspace, in the smallest unit of its currency. */
export interface WalletRow {
  workspace_id: string;
  /** Below zero: a debt. Credits are paid and free ones together. */
  paid_paise: number;
  free_paise: number;
  seq: number;
  plan_seconds_left: number;
  plan_seconds_total: number;
  plan_cycle_end: Date | null;
  plan_past_due_since: Date | null;
  opened_at: Date;
}

const columns = (sql: AnySql) => sql`
  workspace_id, paid_paise, free_paise, seq, plan_seconds_left, plan_seconds_total, plan_cycle_end, plan_past_due_since,
  opened_at`;

/** An empty one, in the transaction that makes the workspace. */
export async function openWallet(
  tx: Transaction,
  { workspace_id, at_ms }: { workspace_id: string; at_ms: number },
): Promise<void> {
  await tx`insert into wallets (workspace_id, opened_at) values (${workspace_id}, ${new Date(at_ms)})`;
}

/** @throws when the workspace has none. */
export async function walletOf(sql: AnySql, workspaceId: string): Promise<WalletRow> {
  const [row] = await sql<WalletRow[]>`select ${columns(sql)} from wallets where workspace_id = ${workspaceId}`;
  return row ?? missing();
}

/** Held until the end of the transaction; after the call's own row, where a call is held too. @throws when there is none. */
export async function lockWallet(tx: Transaction, workspaceId: string): Promise<WalletRow> {
  const [row] = await tx<WalletRow[]>`
    select ${columns(tx)} from wallets where workspace_id = ${workspaceId} for no key update`;
  return row ?? missing();
}

function missing(): never {
  throw new Error('the workspace has no wallet');
}

/** Is there anything a call could be paid with: credits, or included minutes whose plan is paid? */
export async function canPlaceCalls(sql: AnySql, workspaceId: string): Promise<boolean> {
  const [row] = await sql<{ can: boolean }[]>`
    select paid_paise + free_paise > 0 or (plan_seconds_left > 0 and plan_past_due_since is null) as can
    from wallets where workspace_id = ${workspaceId}`;
  return row?.can ?? false;
}

/** For what included minutes do not pay: prompts, tests, analytics. */
export async function hasCredits(sql: AnySql, workspaceId: string): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select paid_paise + free_paise > 0 as has from wallets where workspace_id = ${workspaceId}`;
  return row?.has ?? false;
}

/** Included seconds that can be used now: none while a renewal is past due. */
export function planSecondsOf({ plan_seconds_left, plan_past_due_since }: WalletRow): number {
  return plan_past_due_since === null ? plan_seconds_left : 0;
}
