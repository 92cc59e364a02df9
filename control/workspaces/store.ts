import type { AnySql, Transaction } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';

export interface WorkspaceRow {
  id: string;
  name: string;
  state: WorkspaceState;
  timezone: string;
  currency: 'INR' | 'USD';
  concurrency_limit: number;
  created_at: Date;
}

export async function insertWorkspace(
  sql: AnySql,
  workspace: Pick<WorkspaceRow, 'id' | 'name' | 'state' | 'created_at'>,
): Promise<void> {
  await sql`insert into workspaces ${sql(workspace, 'id', 'name', 'state', 'created_at')}`;
}

export async function findWorkspace(sql: AnySql, workspaceId: string): Promise<WorkspaceRow | null> {
  const [row] = await sql<WorkspaceRow[]>`
    select id, name, state, timezone, currency, concurrency_limit, created_at from workspaces where id = ${workspaceId}
  `;
  return row ?? null;
}

/** As the API shows it; without what other modules know. */
export interface WorkspaceDetails extends WorkspaceRow {
  plan_id: string;
  plan_name: string;
  plan_limit: number;
  member_limit: number | null;
  extra_lines: number;
  api_requests_per_minute: number;
  /** The longest-standing owner, when none were set. */
  alert_emails: string[];
  profile: Record<string, string>;
  system_logs: { enabled: boolean; level: 'info' | 'warning' | 'error' };
  security: { keys_may_make_keys: boolean; confirm_password: boolean };
}

export async function findDetails(sql: AnySql, workspaceId: string): Promise<WorkspaceDetails | null> {
  const [row] = await sql<WorkspaceDetails[]>`
    select w.id, w.name, w.state, w.timezone, w.currency, w.concurrency_limit, w.created_at, w.plan_id, w.extra_lines,
      w.api_requests_per_minute, w.profile, p.name as plan_name, p.concurrency_limit as plan_limit, p.member_limit,
      jsonb_build_object('enabled', w.system_logs_enabled, 'level', w.system_logs_level) as system_logs,
      jsonb_build_object('keys_may_make_keys', w.keys_may_make_keys, 'confirm_password', w.confirm_password) as security,
      case when w.alert_emails <> '{}' then w.alert_emails else array(
        select u.email from memberships m join users u on u.id = m.user_id
        where m.workspace_id = w.id and m.role = 'owner' order by m.joined_at, m.user_id limit 1
      ) end as alert_emails
    from workspaces w join plans p on p.id = w.plan_id
    where w.id = ${workspaceId}`;
  return row ?? null;
}

export interface WorkspaceColumns {
  name?: string | undefined;
  timezone?: string | undefined;
  alert_emails?: string[] | undefined;
  system_logs_enabled?: boolean | undefined;
  system_logs_level?: 'info' | 'warning' | 'error' | undefined;
  profile?: Record<string, string> | undefined;
  keys_may_make_keys?: boolean | undefined;
  confirm_password?: boolean | undefined;
}

/** Fields that are left out stay, also in the profile. */
export async function updateWorkspace(tx: Transaction, workspaceId: string, change: WorkspaceColumns): Promise<void> {
  const { name, timezone, alert_emails, system_logs_enabled, system_logs_level, profile } = change;
  const { keys_may_make_keys, confirm_password } = change;
  await tx`
    update workspaces set
      name = coalesce(${name ?? null}, name),
      timezone = coalesce(${timezone ?? null}, timezone),
      alert_emails = coalesce(${alert_emails ?? null}::text[], alert_emails),
      system_logs_enabled = coalesce(${system_logs_enabled ?? null}::boolean, system_logs_enabled),
      system_logs_level = coalesce(${system_logs_level ?? null}, system_logs_level),
      keys_may_make_keys = coalesce(${keys_may_make_keys ?? null}::boolean, keys_may_make_keys),
      confirm_password = coalesce(${confirm_password ?? null}::boolean, confirm_password),
      profile = profile || ${tx.json(profile ?? {})}
    where id = ${workspaceId}`;
}
