import type { Transaction } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';

export interface LockedWorkspace {
  id: string;
  state: WorkspaceState;
  currency: string;
  concurrency_limit: number;
}

/**
 * Locks the workspace until the end of the transaction. Slots are counted and taken under this lock, else two transactions
 * could both find the last slot free. `no key update` lets rows that refer to the workspace be written meanwhile. Lock the
 * workspace before a call, never after.
 */
export async function lockWorkspace(tx: Transaction, workspaceId: string): Promise<LockedWorkspace | null> {
  const [row] = await tx<LockedWorkspace[]>`
    select id, state, currency, concurrency_limit from workspaces where id = ${workspaceId} for no key update`;
  return row ?? null;
}
