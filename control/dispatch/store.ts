import type { CallRow } from '../calls/call-row.ts';
import { dequeueNext } from '../calls/queue/call-queue.ts';
import type { AnySql, Sql } from '../db/connect.ts';

/** Takes the workspace's next call out of the queue and remembers the turn; null when none may start. */
export async function takeNextCall(sql: Sql, workspaceId: string, nowMs: number): Promise<CallRow | null> {
  return sql.begin(async (tx) => {
    const call = await dequeueNext(tx, workspaceId, nowMs);
    if (!call) return null;
    await tx`
      insert into dispatch_turns (workspace_id, last_served_at) values (${workspaceId}, ${new Date(nowMs)})
      on conflict (workspace_id) do update set last_served_at = excluded.last_served_at`;
    return call;
  });
}

/** Calls of all workspaces that were begun and are with no engine yet. */
export async function callsWithoutEngine(sql: AnySql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from calls where status = 'ringing' and media_nonce is null`;
  return rows.map(({ id }) => id);
}
