import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type Loop, startLoop } from '../db/loop.ts';
import { forgetOldAnswers } from '../http/idempotency.ts';
import { forgetOldWindows } from '../http/rate-limit.ts';
import { deleteAuditBefore, deleteLogsBefore } from './store.ts';

const DAY_MS = 24 * 3_600_000;
const LOGS_KEPT_MS = 14 * DAY_MS;
const AUDIT_KEPT_MS = 2 * 365 * DAY_MS;
const EVERY_MS = 10 * 60_000;
const ROWS_AT_ONCE = 5_000;

/** Forgets what is kept for a time only: server logs 14 days, audit events 2 years, answers 24 hours. */
export function startHousekeeping({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): Loop {
  return startLoop({ name: 'housekeeping', everyMs: EVERY_MS, clock, log, run: () => forgetOld(sql, clock.wall()) });
}

export async function forgetOld(sql: Sql, nowMs: number): Promise<void> {
  while (await deleteLogsBefore(sql, new Date(nowMs - LOGS_KEPT_MS), ROWS_AT_ONCE));
  while (await deleteAuditBefore(sql, new Date(nowMs - AUDIT_KEPT_MS), ROWS_AT_ONCE));
  await forgetOldAnswers(sql, nowMs);
  await forgetOldWindows(sql, nowMs);
}
