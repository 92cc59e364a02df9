import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';

const INTERVAL_MS = 2_000;
const CALLS_AT_ONCE = 500;
/** Any number of its own: only one process writes texts at a time. */
const LOCK = 7_080_064;

/** Writes what finished calls are searched by, every two seconds. Until then a search reads the calls themselves. */
export function startSearchTextsJob({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const job = startPollingJob({
    ...{ name: 'search texts', intervalMs: INTERVAL_MS, clock, log },
    openWork: { sql, query: 'select from call_search_changes' },
    async run() {
      while (!stopped && (await foldSearchTexts(sql, CALLS_AT_ONCE)) === CALLS_AT_ONCE);
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

/** Takes at most `max` changes and writes the texts of their calls. @returns how many; 0 while another process does it. */
export async function foldSearchTexts(sql: Sql, max: number): Promise<number> {
  return await sql.begin(async (tx) => {
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as free`;
    if (!lock!.free) return 0;
    // A call that is deleted meanwhile has a change of its own, which deletes the text again.
    const [folded] = await tx<{ changes: number }[]>`
      with taken as (
        delete from call_search_changes where (workspace_id, seq) in (
          select workspace_id, seq from call_search_changes order by workspace_id, seq limit ${max}
        ) returning workspace_id, call_id
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
