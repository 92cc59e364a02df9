import type { Sql } from '../db/connect.ts';
import type { Attempt } from './delivery-attempt.ts';
import type { NextAttempt } from './delivery-retries.ts';
import { type LeasedDelivery, recordScheduledAttempt } from './delivery-store.ts';

/** An attempt of the schedule, and what follows it. */
interface Outcome {
  delivery: LeasedDelivery;
  attempt: Attempt;
  planned: NextAttempt;
}

interface Waiting extends Outcome {
  resolve(recorded: boolean | Promise<boolean>): void;
}

const MAX_AT_ONCE = 64;

/**
 * Records attempts as `recordScheduledAttempt` does: those that end while others are being written are the next set, in one statement.
 * What a set does not write, because its row is locked or its lease is lost, or because the set failed, is written by itself, so that
 * no delivery waits for another one's row.
 */
export function createAttemptRecorder(sql: Sql): (outcome: Outcome) => Promise<boolean> {
  const waiting: Waiting[] = [];
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const set = waiting.splice(0, MAX_AT_ONCE);
      const written = await recordUnlocked(sql, set).catch(() => NONE);
      for (const outcome of set) {
        const { delivery, attempt, planned, resolve } = outcome;
        resolve(written.has(delivery.id) || recordScheduledAttempt(sql, delivery, attempt, planned));
      }
    }
    writing = false;
  }

  return (outcome) =>
    new Promise((resolve) => {
      waiting.push({ ...outcome, resolve });
      if (!writing) void write();
    });
}

const NONE: ReadonlySet<string> = new Set();

/** @returns the ids of those that were written: their rows were free, and leased as given. */
async function recordUnlocked(sql: Sql, outcomes: readonly Outcome[]): Promise<ReadonlySet<string>> {
  const column = <Value>(value: (outcome: Outcome) => Value) => outcomes.map(value);
  const json = (value: (attempt: Attempt) => unknown) => column(({ attempt }) => JSON.stringify(value(attempt)));
  const rows = await sql<{ id: string }[]>`
    with outcome as (
      select * from unnest(
        ${column(({ delivery }) => delivery.workspace_id)}::text[], ${column(({ delivery }) => delivery.id)}::text[],
        ${column(({ delivery }) => delivery.lease_id)}::text[], ${column(({ planned }) => planned.status)}::text[],
        ${column(({ planned }) => planned.next_attempt_at?.toISOString() ?? null)}::text[], ${column(({ attempt }) => attempt.url)}::text[],
        ${column(({ attempt }) => attempt.status_code)}::integer[], ${column(({ attempt }) => attempt.error)}::text[],
        ${column(({ attempt }) => attempt.latency_ms)}::integer[], ${column(({ attempt }) => attempt.at.toISOString())}::text[],
        ${json(({ request_headers }) => request_headers)}::text[], ${json(({ response_headers }) => response_headers)}::text[],
        ${column(({ attempt }) => attempt.response_body)}::text[]
      ) as outcome (
        workspace_id, id, lease_id, status, next_attempt_at, url, status_code, error, latency_ms, at, request_headers,
        response_headers, response_body
      )
    ), unlocked as (
      select d.workspace_id, d.id from outcome join webhook_deliveries d using (workspace_id, id)
      where d.lease_id = outcome.lease_id and d.next_attempt_at is not null
      for update of d skip locked
    )
    update webhook_deliveries d set
      url = outcome.url, last_status_code = outcome.status_code, last_error = outcome.error,
      last_latency_ms = outcome.latency_ms, last_attempt_at = outcome.at::timestamptz, request_headers = outcome.request_headers::jsonb,
      response_headers = outcome.response_headers::jsonb, response_body = outcome.response_body, status = outcome.status,
      next_attempt_at = outcome.next_attempt_at::timestamptz, leased_until = null, attempts = d.attempts + 1,
      scheduled_attempts = d.scheduled_attempts + 1
    from unlocked join outcome using (workspace_id, id)
    where d.workspace_id = unlocked.workspace_id and d.id = unlocked.id
    returning d.id`;
  return new Set(rows.map(({ id }) => id));
}
