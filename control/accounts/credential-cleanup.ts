import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';

const DAY_MS = 24 * 3_600_000;
/** Expired credentials stay for a while, for investigations. */
const RETENTION_MS = 30 * DAY_MS;

/** Deletes sessions, links, counters and tokens long after they expired. Every table is searched by an index. */
export async function deleteExpiredCredentials(sql: Sql, nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  const longAgo = new Date(nowMs - RETENTION_MS);
  await sql`delete from attempts where expires_at < ${now}`;
  await sql`delete from devices where expires_at < ${now}`;
  await sql`delete from login_tokens where expires_at < ${now}`;
  await sql`delete from passkey_challenges where expires_at < ${now}`;
  await sql`delete from email_links where expires_at < ${now}`;
  await sql`delete from sessions where expires_at < ${longAgo}`;
  await sql`delete from oauth_codes where expires_at < ${longAgo}`;
  await sql`delete from oauth_tokens where expires_at < ${longAgo}`;
}

/** Runs hourly, in every process. */
export function startCredentialCleanup({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  const run = () => deleteExpiredCredentials(sql, clock.wall());
  return startPollingJob({ name: 'old credentials', intervalMs: 3_600_000, clock, log, run });
}
