import type { Transaction } from '../db/connect.ts';

/** A workspace that waits for its KYC, as sign-up makes it. Its members and its wallet are others' business. */
export async function openWorkspace(
  tx: Transaction,
  workspace: { id: string; name: string; timezone: string; created_at: Date },
): Promise<void> {
  const { id, name, timezone, created_at } = workspace;
  await tx`
    insert into workspaces (id, name, state, timezone, created_at)
    values (${id}, ${name}, 'onboarding', ${timezone}, ${created_at})`;
}
