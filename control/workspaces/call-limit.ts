import type { AnySql } from '../db/connect.ts';

/** How many live calls a workspace may have, and in which currency it pays for them; null when there is no such workspace. */
export async function concurrencyLimitOf(
  sql: AnySql,
  workspaceId: string,
): Promise<{ concurrency_limit: number; currency: string } | null> {
  const [row] = await sql<{ concurrency_limit: number; currency: string }[]>`
    select concurrency_limit, currency from workspaces where id = ${workspaceId}`;
  return row ?? null;
}
