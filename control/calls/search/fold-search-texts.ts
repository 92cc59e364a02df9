import postgres from 'postgres';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';

const INTERVAL_MS = 2_000;
const CALLS_AT_ONCE = 500;
/** Any number of its own: only one process writes texts at a time. */
const LOCK = 7_080_064;

/** Writes what finished calls are searched by, every two seconds. Until then a search reads the calls themselves. */
export function startSearchTextsJob({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const onPostponed = (call_id: string, code: string) =>
    log.error({ call_id, code }, 'a call could not be made ready for search; tried again in an hour');
  const job = startPollingJob({
    ...{ name: 'search texts', intervalMs: INTERVAL_MS, clock, log },
    openWork: { sql, query: 'select from call_search_changes where not_before <= now()' },
    async run() {
      while (!stopped && (await foldSearchTexts(sql, CALLS_AT_ONCE, onPostponed)) === CALLS_AT_ONCE);
    },
  });
  return {
    wake: job.wake,
    stop() {
      stopped = true;
      return job.stop();
    },
  };
}

/** `code`: PostgreSQL's, for what is wrong with the call's text. */
type OnPostponed = (callId: string, code: string) => void;

/**
 * Takes at most `max` changes and writes the texts of their calls. A call whose text cannot be written, or not within the limit of a
 * statement, is looked for by halves and waits an hour.
 * @returns how many changes were taken or postponed; 0 while another process does it.
 */
export async function foldSearchTexts(sql: Sql, max: number, onPostponed: OnPostponed = () => {}): Promise<number> {
  try {
    return await foldFirst(sql, max);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || !OF_CONTENT.test(error.code)) throw error;
    if (max === 1) return await postponeFirst(sql, error.code, onPostponed);
    const half = Math.ceil(max / 2);
    const folded = await foldSearchTexts(sql, half, onPostponed);
    return folded + (await foldSearchTexts(sql, max - half, onPostponed));
  }
}

/** Data that PostgreSQL refuses, limits of a row, a statement that took too long; not a lost connection. */
const OF_CONTENT = /^(22|23|54|57014|XX)/;

const first = (sql: AnySql, max: number) => sql`
  select workspace_id, seq from call_search_changes where not_before <= now() order by workspace_id, seq limit ${max}`;

async function postponeFirst(sql: Sql, code: string, onPostponed: OnPostponed): Promise<number> {
  const postponed = await sql<{ call_id: string }[]>`
    update call_search_changes set not_before = now() + interval '1 hour'
    where (workspace_id, seq) in (${first(sql, 1)}) returning call_id`;
  for (const { call_id } of postponed) onPostponed(call_id, code);
  return postponed.length;
}

function foldFirst(sql: Sql, max: number): Promise<number> {
  return sql.begin(async (tx) => {
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as free`;
    if (!lock!.free) return 0;
    // A call that is deleted meanwhile has a change of its own, which deletes the text again.
    const [folded] = await tx<{ changes: number }[]>`
      with taken as (
        delete from call_search_changes where (workspace_id, seq) in (${first(tx, max)}) returning workspace_id, call_id
      ),
      changed as (select distinct workspace_id, call_id from taken),
      gone as (
        delete from call_search_texts where id in (
          select call_id from changed where not exists (select from finished_calls where id = call_id)
        )
      ),
      written as (
        insert into call_search_texts as known (
          workspace_id, id, created_at, agent_id, batch_id, status, direction, channel, answered_by, from_number, to_number,
          duration_seconds, text
        )
        select c.workspace_id, id, created_at, agent_id, batch_id, status, direction, channel, answered_by, from_number, to_number,
          duration_seconds, lower(call_search_text(summary, transcript))
        from changed join finished_calls as c on c.id = call_id
        where c.started_at is not null
        order by id
        on conflict (id) do update set
          created_at = excluded.created_at, agent_id = excluded.agent_id, batch_id = excluded.batch_id, status = excluded.status,
          direction = excluded.direction, channel = excluded.channel, answered_by = excluded.answered_by,
          from_number = excluded.from_number, to_number = excluded.to_number, duration_seconds = excluded.duration_seconds,
          text = excluded.text
      )
      select count(*)::integer as changes from taken`;
    return folded!.changes;
  });
}
