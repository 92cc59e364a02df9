import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Changes } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { workspacesOfUser } from './store.ts';

export interface AccountEvent {
  user: { id: string; name: string };
  actor: Actor;
  action: AuditAction;
  changes?: Changes;
  data?: Record<string, string | number | boolean>;
  at_ms: number;
}

/** Writes the event to the audit trail of every workspace of the user, as an account belongs to none. */
export async function auditAccount(tx: Transaction, event: AccountEvent): Promise<void> {
  const { user, actor, action, changes = {}, data = {}, at_ms } = event;
  const target = { kind: 'user', id: user.id, name: user.name };
  for (const { id } of await workspacesOfUser(tx, user.id)) {
    await writeAudit(tx, { workspace_id: id, actor, action, target, changes, data, at_ms });
  }
}
