import type { AnySql } from '../db/connect.ts';

export type CheckSubject = 'credits' | 'calls';

/**
 * A statement, or a part of one, that asks in the transaction of what happened that a workspace's alerts be looked at after it: its
 * credits after a charge, its calls after the end of one. The row is locked until the commit, so that no check reads what was before.
 */
export const checkRequest = (sql: AnySql, workspaceId: string, subject: CheckSubject, atMs: number) => sql`
    insert into alert_checks (workspace_id, subject, due_at) values (${workspaceId}, ${subject}, ${new Date(atMs)})
    on conflict (workspace_id, subject) do update set due_at = least(alert_checks.due_at, excluded.due_at)`;
