import { writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor, WorkspaceState } from '../http/authenticate.ts';
import { lockWorkspace } from './lock-workspace.ts';

/**
 * The state of a workspace: `onboarding` → `active` when its business details are approved; `suspended` and back by the
 * service's team. A suspended workspace refuses requests as one in onboarding does, and its queued calls wait.
 */

export interface StateChange {
  workspace_id: string;
  actor: Actor;
  at_ms: number;
  /** For the audit event. */
  reason?: string;
}

/**
 * @returns the state it is in now; a suspended one will be active when the suspension ends. Null when it is closed or does not
 *   exist.
 */
export async function activateWorkspace(tx: Transaction, workspaceId: string): Promise<WorkspaceState | null> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (!workspace || workspace.state === 'closed') return null;
  if (workspace.state === 'suspended') {
    await tx`update workspaces set suspended_from = 'active' where id = ${workspaceId}`;
    return 'suspended';
  }
  await tx`update workspaces set state = 'active' where id = ${workspaceId}`;
  return 'active';
}

/** @returns an error, or null. */
export async function suspendWorkspace(tx: Transaction, change: StateChange): Promise<string | null> {
  const workspace = await lockWorkspace(tx, change.workspace_id);
  if (workspace?.state !== 'active' && workspace?.state !== 'onboarding') {
    return `the workspace is ${workspace?.state ?? 'not there'}`;
  }
  await tx`
    update workspaces set state = 'suspended', suspended_from = ${workspace.state} where id = ${change.workspace_id}`;
  await audit(tx, change, 'suspended', workspace.state, 'suspended');
  return null;
}

/** @returns the state it came back to, or an error. */
export async function unsuspendWorkspace(
  tx: Transaction,
  change: StateChange,
): Promise<{ state: WorkspaceState } | string> {
  const workspace = await lockWorkspace(tx, change.workspace_id);
  if (workspace?.state !== 'suspended') return `the workspace is ${workspace?.state ?? 'not there'}`;
  const [row] = await tx<{ state: WorkspaceState }[]>`
    update workspaces set state = coalesce(nullif(suspended_from, ''), 'onboarding'), suspended_from = ''
    where id = ${change.workspace_id} returning state`;
  await audit(tx, change, 'unsuspended', 'suspended', row!.state);
  return row!;
}

async function audit(
  tx: Transaction,
  change: StateChange,
  verb: 'suspended' | 'unsuspended',
  from: WorkspaceState,
  to: WorkspaceState,
) {
  const { workspace_id, actor, at_ms, reason } = change;
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: `workspace.${verb}`,
    target: { kind: 'workspace', id: workspace_id, name: '' },
    changes: { state: [from, to] },
    ...(reason ? { data: { reason } } : {}),
    at_ms,
  });
}
