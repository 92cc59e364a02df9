import type { Heartbeat } from '../../../shared/bus/messages.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { JobItem } from '../../db/item-runner.ts';
import { storableText } from '../../db/storable-text.ts';
import type { CallRow } from '../call-row.ts';

/** The last heartbeat of each engine, one row each: it lists the calls that the engine holds. */

/** An engine whose clock was set back is believed again after this time. */
const CLOCK_SET_BACK_MS = 15_000;

/** The first moment of the year 10000, which PostgreSQL's text form of a time cannot say. */
const END_OF_TIME_MS = Date.UTC(10_000, 0);
const MAX_ENGINE_ID_CHARACTERS = 200;

/** Whether the database takes it. One that it refuses would look like a database that is away, and no lost engine would be noticed. */
export function isHeartbeatStorable({ engine_id, at_ms, call_ids }: Heartbeat): boolean {
  return (
    at_ms >= 0 &&
    at_ms < END_OF_TIME_MS &&
    engine_id.length <= MAX_ENGINE_ID_CHARACTERS &&
    [engine_id, ...call_ids].every((id) => id === storableText(id))
  );
}

/**
 * Writes a heartbeat. Every control process receives it and tries, so that none has to be relied on; the first one writes, and the
 * others find it written.
 *
 * @returns whether this process wrote it.
 */
export async function writeHeartbeat(
  sql: Sql,
  { engine_id, at_ms, call_ids }: Heartbeat,
  nowMs: number,
): Promise<boolean> {
  const rows = await sql`
    insert into engines as known (engine_id, sent_at, heartbeat_at, call_ids)
    values (${engine_id}, ${new Date(at_ms)}, ${new Date(nowMs)}, ${call_ids})
    on conflict (engine_id) do update set
      sent_at = excluded.sent_at, heartbeat_at = excluded.heartbeat_at, call_ids = excluded.call_ids
    where known.sent_at < excluded.sent_at or known.heartbeat_at < ${new Date(nowMs - CLOCK_SET_BACK_MS)}
    returning 1`;
  return rows.length > 0;
}

/** Forgets engines that have been silent since then. */
export async function deleteEnginesSilentSince(sql: Sql, before: Date): Promise<void> {
  await sql`delete from engines where heartbeat_at < ${before}`;
}

/** A connected call that no engine is known to hold. */
export interface UnheldCall extends JobItem {
  /** The last heartbeat that listed it; null when its engine's last one did not. */
  listed_at: Date | null;
}

/** Connected calls whose engine has been silent since `before`, or does not list them; of all workspaces. */
export async function unheldCalls(sql: Sql, before: Date): Promise<UnheldCall[]> {
  return sql<UnheldCall[]>`
    select live_calls.workspace_id, live_calls.id, listed.heartbeat_at as listed_at
    from live_calls left join (
      select engine_id, heartbeat_at, unnest(call_ids) as call_id from engines
    ) as listed on listed.engine_id = live_calls.engine_id and listed.call_id = live_calls.id
    where live_calls.status = 'in-progress' and (listed.call_id is null or listed.heartbeat_at <= ${before})`;
}

/** When the call's engine listed it; null when its last heartbeat did not, or there was none. */
export async function lastListedAt(sql: AnySql, { id, engine_id }: CallRow): Promise<Date | null> {
  const [row] = await sql<{ heartbeat_at: Date }[]>`
    select heartbeat_at from engines where engine_id = ${engine_id} and ${id} = any(call_ids)`;
  return row?.heartbeat_at ?? null;
}

/** Those of the calls that have been over since `before`. */
export async function callsOverSince(sql: Sql, callIds: readonly string[], before: Date): Promise<string[]> {
  const live = await sql<{ id: string }[]>`
    select id from live_calls where id = any(${[...callIds]}) and status in ('ringing', 'in-progress')`;
  const going = new Set(live.map(({ id }) => id));
  const others = callIds.filter((id) => !going.has(id));
  if (others.length === 0) return [];
  const over = await sql<{ id: string }[]>`
    select id from calls
    where id = any(${others}) and status not in ('queued', 'ringing', 'in-progress') and ended_at < ${before}`;
  return over.map(({ id }) => id);
}
