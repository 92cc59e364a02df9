import type { AnySql } from '../db/connect.ts';

/** Whose call it is, for the service's team, which knows no more than its id; null: nobody's here. */
export async function workspaceOfCall(sql: AnySql, callId: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`select workspace_id from calls where id = ${callId}`;
  return row?.workspace_id ?? null;
}
