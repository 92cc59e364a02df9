import type { AnySql } from '../db/connect.ts';

/** API requests per minute of each key and connected app; a change holds from the key's next request on. */
export async function setRequestsPerMinute(sql: AnySql, workspaceId: string, perMinute: number): Promise<void> {
  await sql`update workspaces set api_requests_per_minute = ${perMinute} where id = ${workspaceId}`;
}
