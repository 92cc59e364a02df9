import type { Transaction } from '../db/connect.ts';

export interface LockedWorkspace {
  id: string;
  state: 'onboarding' | 'active' | 'suspended' | 'closed';
  currency: string;
  concurrency_limit: number;
}

/**
 * The lock under which slots are counted and taken, held until the end of the transaction: two who count at the same
 * time would both find the last slot free. (`no key update`, so that rows which merely refer to the workspace can be
 * written meanwhile.) Lock the workspace before a call, never after.
 */
export async function lockWorkspace(tx: Transaction, workspaceId: string): Promise<LockedWorkspace | null> {
  const [row] = await tx<LockedWorkspace[]>`
    select id, state, currency, concurrency_limit from workspaces where id = ${workspaceId} for no key update`;
  return row ?? null;
}
