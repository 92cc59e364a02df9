import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { changesBetween } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { notFound } from '../http/errors.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { findDetails, updateWorkspace, type WorkspaceColumns, type WorkspaceDetails } from './store.ts';
import { type KycStatus, PROFILE_FIELDS, type ProfileField } from './workspace-record.ts';

export interface ManageWorkspaceDeps {
  sql: Sql;
  clock: Clock;
  /** From the KYC module, which lies above this one. */
  kycStatus(sql: AnySql, workspaceId: string): Promise<KycStatus>;
}

/** A change with its author. */
export interface WorkspaceChange {
  workspace_id: string;
  actor: Actor;
  /** `workspace.updated` and others. */
  action: AuditAction;
  columns: WorkspaceColumns;
}

export interface WorkspaceView extends Omit<WorkspaceDetails, 'profile'> {
  kyc_status: KycStatus;
  profile: Record<ProfileField, string>;
}

/** Reads and changes the workspace's own record. */
export function createWorkspaceManager({ sql, clock, kycStatus }: ManageWorkspaceDeps) {
  async function find(workspaceId: string): Promise<WorkspaceView> {
    const [details, kyc_status] = await Promise.all([findDetails(sql, workspaceId), kycStatus(sql, workspaceId)]);
    if (!details) throw notFound('workspace');
    const profile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, details.profile[field] ?? '']));
    return { ...details, kyc_status, profile: profile as Record<ProfileField, string> };
  }

  return {
    find,

    /** Writes neither columns nor an audit event when nothing changed. */
    async change({ workspace_id, actor, action, columns }: WorkspaceChange): Promise<WorkspaceView> {
      await sql.begin(async (tx) => {
        if (!(await lockWorkspace(tx, workspace_id))) throw notFound('workspace');
        const before = (await findDetails(tx, workspace_id))!;
        await updateWorkspace(tx, workspace_id, columns);
        const after = (await findDetails(tx, workspace_id))!;
        const changes = changesBetween(auditedFields(before), auditedFields(after));
        if (Object.keys(changes).length === 0) return;
        const target = { kind: 'workspace', id: workspace_id, name: after.name };
        await writeAudit(tx, { workspace_id, actor, action, target, changes, at_ms: clock.wall() });
      });
      return find(workspace_id);
    },
  };
}

/** The fields that audit events show. */
const auditedFields = ({ name, timezone, alert_emails, profile, system_logs, security }: WorkspaceDetails) => ({
  name,
  timezone,
  alert_emails,
  profile,
  system_logs,
  security,
});
