import type { AnySql } from '../db/connect.ts';

export type CheckSubject = 'credits' | 'calls';

/**
 * A statement, or a part of one, that asks in the transaction of what happened that the alerts of workspaces be looked at after it: their
 * credits after a charge, their calls after the end of one. The rows are locked until the commit, so that no check reads what was
 * before.
 */
export const checkRequest = (sql: AnySql, workspaceIds: readonly string[], subject: CheckSubject, atMs: number) => sql`
    insert into alert_checks (workspace_id, subject, due_at)
    select workspace_id, ${subject}, ${new Date(atMs)} from unnest(${[...new Set(workspaceIds)].sort()}::text[]) as workspace_id
    on conflict (workspace_id, subject) do update set due_at = least(alert_checks.due_at, excluded.due_at)`;
