import type { AnySql } from '../db/connect.ts';

/** Letters that are to be sent, now or again later, and since when the oldest of them waits; up to `most`, the next ones first. */
export async function countWaitingEmails(
  sql: AnySql,
  max: number,
): Promise<{ waiting: number; oldest_at: Date | null }> {
  const [row] = await sql<{ waiting: number; oldest_at: Date | null }[]>`
    select count(*)::integer as waiting, min(created_at) as oldest_at from (
      select created_at from mail_outbox where sent_at is null and failed_at is null order by next_attempt_at limit ${max}
    ) as l`;
  return row!;
}
