import type { AnySql, Fragment, Transaction } from '../db/connect.ts';

/** A workspace's wallet, in the smallest unit of its currency. */
export interface WalletRow {
  workspace_id: string;
  /** Negative: a debt. The credits are the sum of paid and free ones. */
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

/** Inserts an empty wallet, in the transaction that creates the workspace. */
export async function openWallet(
  tx: Transaction,
  { workspace_id, at_ms }: { workspace_id: string; at_ms: number },
): Promise<void> {
  await tx`insert into wallets (workspace_id, opened_at) values (${workspace_id}, ${new Date(at_ms)})`;
}

/** @throws Error when the workspace has none. */
export async function walletOf(sql: AnySql, workspaceId: string): Promise<WalletRow> {
  const [row] = await sql<WalletRow[]>`select ${columns(sql)} from wallets where workspace_id = ${workspaceId}`;
  return row ?? missing();
}

/** The row as a column of JSON, for a statement that reads other tables too: its times are texts. */
export const walletAsJson = (sql: AnySql, workspaceId: Fragment) => sql`(
    select to_json(wallet) from (select ${columns(sql)} from wallets where workspace_id = ${workspaceId}) as wallet
  )`;

/** Locks the wallet until the transaction ends; lock a call's row before it. @throws Error when there is none. */
export async function lockWallet(tx: Transaction, workspaceId: string): Promise<WalletRow> {
  const [row] = await tx<WalletRow[]>`
    select ${columns(tx)} from wallets where workspace_id = ${workspaceId} for no key update`;
  return row ?? missing();
}

/**
 * Locks several wallets until the transaction ends, in the order of their workspaces.
 *
 * @param skipLocked leaves out those that another transaction has locked.
 * @throws Error when a workspace has none, unless locked ones are left out.
 */
export async function lockWallets(
  tx: Transaction,
  workspaceIds: readonly string[],
  skipLocked = false,
): Promise<Map<string, WalletRow>> {
  const ids = [...new Set(workspaceIds)];
  const rows = await tx<WalletRow[]>`
    select ${columns(tx)} from wallets where workspace_id = any(${ids})
    order by workspace_id for no key update ${skipLocked ? tx`skip locked` : tx``}`;
  if (!skipLocked && rows.length < ids.length) missing();
  return new Map(rows.map((row) => [row.workspace_id, row]));
}

function missing(): never {
  throw new Error('the workspace has no wallet');
}

/** Whether a call could be paid for: by credits, or by included minutes of a paid plan. */
export async function canPlaceCalls(sql: AnySql, workspaceId: string): Promise<boolean> {
  const [row] = await sql<{ can: boolean }[]>`select ${canPayForCalls(sql, workspaceId)} as can`;
  return row!.can;
}

/** The same as a condition. */
export const canPayForCalls = (sql: AnySql, workspaceId: string | Fragment) => sql`exists (
    select from wallets where workspace_id = ${workspaceId}
      and (paid_paise + free_paise > 0 or (plan_seconds_left > 0 and plan_past_due_since is null))
  )`;

/** For what included minutes do not pay for: prompts, tests, analytics. */
export async function hasCredits(sql: AnySql, workspaceId: string): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select paid_paise + free_paise > 0 as has from wallets where workspace_id = ${workspaceId}`;
  return row?.has ?? false;
}

/** Sets what a plan includes until the end of its cycle: all of it is left. Null: no cycle. */
export async function setPlanCycle(
  tx: Transaction,
  workspaceId: string,
  cycle: { seconds: number; cycle_end: Date | null; past_due_since: Date | null },
): Promise<void> {
  const { seconds, cycle_end, past_due_since } = cycle;
  await tx`
    update wallets set plan_seconds_left = ${seconds}, plan_seconds_total = ${seconds}, plan_cycle_end = ${cycle_end},
      plan_past_due_since = ${past_due_since}
    where workspace_id = ${workspaceId}`;
}

/** Included seconds that can be used now; 0 while a renewal is past due. */
export function planSecondsOf({
  plan_seconds_left,
  plan_past_due_since,
}: Pick<WalletRow, 'plan_seconds_left'> & { plan_past_due_since: unknown }): number {
  return plan_past_due_since === null ? plan_seconds_left : 0;
}
