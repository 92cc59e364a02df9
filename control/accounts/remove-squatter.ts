import type { Transaction } from '../db/connect.ts';
import { revokeGrantsOf } from './oauth-store.ts';
import { replaceRecoveryCodes, updateUser } from './store.ts';

/**
 * Removes what was set in an account before its address was confirmed: by somebody who signed up with an address of another
 * person, perhaps, and who must not keep a way in once that person has chosen a password. Sessions are not ended here.
 */
export async function removeSquatter(tx: Transaction, userId: string, now: Date): Promise<void> {
  // Passkeys end with two-step sign-in.
  await updateUser(tx, userId, {
    two_factor_secret: null,
    two_factor_enabled_at: null,
    two_factor_offered_secret: null,
    two_factor_offered_until: null,
  });
  await replaceRecoveryCodes(tx, userId, []);
  await revokeGrantsOf(tx, { user_id: userId }, now);
  const workspaces = await workspacesOwnedAlone(tx, userId);
  await tx`update api_keys set revoked_at = ${now} where workspace_id = any(${workspaces}) and revoked_at is null`;
  await tx`update webhook_endpoints set active = false where workspace_id = any(${workspaces}) and active`;
  await tx`
    update invites set revoked_at = ${now}
    where workspace_id = any(${workspaces}) and accepted_at is null and revoked_at is null`;
}

/** Those where nobody with a confirmed address is an owner. Elsewhere keys belong to the workspace. */
async function workspacesOwnedAlone(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx<{ workspace_id: string }[]>`
    select mine.workspace_id from memberships mine
    where mine.user_id = ${userId} and mine.role = 'owner' and not exists (
      select 1 from memberships others join users u on u.id = others.user_id
      where others.workspace_id = mine.workspace_id and others.user_id <> ${userId} and others.role = 'owner'
        and u.email_verified_at is not null)`;
  return rows.map((row) => row.workspace_id);
}
