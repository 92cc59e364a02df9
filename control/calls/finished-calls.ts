import type { AnySql } from '../db/connect.ts';

const MAX_REASONS = 3;

/**
 * Counts the calls that finished since then, and why some failed. Not counted: canceled ones, those that never left the queue,
 * and inbound ones that were turned away (no slot, no credits, no agent).
 */
export async function finishedCalls(sql: AnySql, workspaceId: string, sinceMs: number) {
  const rows = await sql<{ failed: boolean; reason: string; calls: number; oldest_at: Date }[]>`
    select status = 'failed' as failed, case status when 'failed' then hangup_reason else '' end as reason,
      count(*)::integer as calls, min(ended_at) as oldest_at
    from calls
    where workspace_id = ${workspaceId} and ended_at > ${new Date(sinceMs)} and ringing_at is not null
      and status in ('ended', 'completed', 'no-answer', 'busy', 'failed') and hangup_reason <> 'out of credits'
      and (direction = 'outbound' or started_at is not null or ended_at > ringing_at)
    group by 1, 2 order by 3 desc`;
  const failures = rows.filter(({ failed }) => failed);
  const sum = (counted: readonly { calls: number }[]) => counted.reduce((total, { calls }) => total + calls, 0);
  return {
    finished: sum(rows),
    failed: sum(failures),
    reasons: failures.slice(0, MAX_REASONS).map(({ reason, calls }) => ({ reason, calls })),
    oldest_at_ms: rows.length === 0 ? null : Math.min(...rows.map(({ oldest_at }) => oldest_at.getTime())),
  };
}
