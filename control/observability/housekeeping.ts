import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { deleteDeadEventsBefore } from '../calls/events/dead-events.ts';
import { deleteOldCallbacks } from '../carriers/callback-replays.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { deleteOldIdempotencyKeys } from '../http/idempotency.ts';
import { deleteOldRateWindows } from '../http/rate-limit.ts';
import { deleteAuditBefore, deleteLogsBefore } from './store.ts';

const DAY_MS = 24 * 3_600_000;
const LOG_RETENTION_MS = 14 * DAY_MS;
const AUDIT_RETENTION_MS = 2 * 365 * DAY_MS;
const DEAD_LETTER_DAYS = 30;
const INTERVAL_MS = 10 * 60_000;
const ROWS_AT_ONCE = 5_000;

export interface HousekeepingDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** 30 */
  deadLetterDays?: number;
}

/**
 * Deletes what is past its retention: server logs after 14 days, audit events after 2 years, stored responses after 24 hours, proofs of callbacks at
 * their end, events
 * that could not be applied, with what was said in them, after `deadLetterDays`.
 */
export function startHousekeeping({ sql, clock, log, deadLetterDays }: HousekeepingDeps): PollingJob {
  return startPollingJob({
    name: 'housekeeping',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    run: () => deleteExpired(sql, clock.wall(), deadLetterDays),
  });
}

/** Each kind of rows for itself: one that cannot be deleted keeps no other. @throws the first failure, after all of them. */
export async function deleteExpired(sql: Sql, nowMs: number, deadLetterDays = DEAD_LETTER_DAYS): Promise<void> {
  const failures: unknown[] = [];
  const deleteDead = (): Promise<void> => deleteDeadEvents(sql, nowMs - deadLetterDays * DAY_MS);
  const kinds = [
    deleteLogs,
    deleteAudit,
    deleteOldIdempotencyKeys,
    deleteOldRateWindows,
    deleteOldCallbacks,
    deleteDead,
  ];
  for (const deleteKind of kinds) {
    await deleteKind(sql, nowMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function deleteLogs(sql: Sql, nowMs: number): Promise<void> {
  while (await deleteLogsBefore(sql, new Date(nowMs - LOG_RETENTION_MS), ROWS_AT_ONCE));
}

async function deleteAudit(sql: Sql, nowMs: number): Promise<void> {
  while (await deleteAuditBefore(sql, new Date(nowMs - AUDIT_RETENTION_MS), ROWS_AT_ONCE));
}

async function deleteDeadEvents(sql: Sql, beforeMs: number): Promise<void> {
  while (await deleteDeadEventsBefore(sql, new Date(beforeMs), ROWS_AT_ONCE));
}
