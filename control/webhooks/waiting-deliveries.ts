import type { AnySql } from '../db/connect.ts';

/**
 * Deliveries of all workspaces that are to be sent, now or again later, and when the oldest was made; up to `most` of them. Read
 * in the sender's index alone: an id begins with the milliseconds of its creation.
 */
export async function countWaitingDeliveries(
  sql: AnySql,
  max: number,
): Promise<{ waiting: number; oldest_at_ms: number | null }> {
  const [row] = await sql<{ waiting: number; oldest: string | null }[]>`
    select count(*)::integer as waiting, min(id) as oldest from (
      select id from webhook_deliveries where next_attempt_at is not null
      order by receiver, next_attempt_at, id limit ${max}
    ) as d`;
  const { waiting, oldest } = row!;
  return { waiting, oldest_at_ms: oldest === null ? null : Number.parseInt(oldest.slice(4, 16), 16) };
}
