import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { MEASURES, measuresOfChange, sumOf } from './call-measures.ts';

const INTERVAL_MS = 2_000;
const CHANGES_AT_ONCE = 5_000;
/** Any number of its own: only one process adds changes at a time. */
const LOCK = 7_080_063;

/** Adds the changes of finished calls to their totals every two seconds. Until then readers count each change. */
export function startTotalsJob({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  return startPollingJob({
    ...{ name: 'call totals', intervalMs: INTERVAL_MS, clock, log },
    openWork: { sql, query: 'select from call_changes' },
    async run() {
      while ((await foldChanges(sql, CHANGES_AT_ONCE)) === CHANGES_AT_ONCE);
    },
  });
}

/** Moves at most `max` changes into the totals, in one transaction. @returns how many; 0 while another process does it. */
export async function foldChanges(sql: Sql, max: number): Promise<number> {
  return await sql.begin(async (tx) => {
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as free`;
    if (!lock!.free) return 0;
    const added = tx.unsafe(MEASURES.map((name) => `${name} = known.${name} + excluded.${name}`).join(', '));
    const [folded] = await tx<{ changes: number }[]>`
      with taken as (
        delete from call_changes where (workspace_id, seq) in (
          select workspace_id, seq from call_changes order by workspace_id, seq limit ${max}
        ) returning *
      ),
      change as (
        select *, '' as of_agent from taken
        union all
        select *, agent_id as of_agent from taken where agent_id is not null
      ),
      totals as (
        insert into call_totals as known (workspace_id, agent_id, quarter, ${tx(MEASURES as never)})
        select workspace_id, of_agent, quarter, ${sumOf(tx, MEASURES)}
        from (
          select workspace_id, of_agent, date_bin('15 minutes', created_at, 'epoch') as quarter, ${measuresOfChange(tx)} from change
        ) as counted
        group by workspace_id, of_agent, quarter
        on conflict (workspace_id, agent_id, quarter) do update set ${added}
      ),
      counts as (
        insert into call_counts as known (
          workspace_id, agent_id, span, starts_on, status, direction, channel, answered_by, calls
        )
        select workspace_id, of_agent, span, date_trunc(span, created_at at time zone 'UTC')::date as starts_on, status, direction,
          channel, answered_by, sum(calls)
        from change cross join (values ('day'), ('month')) as spans (span)
        group by workspace_id, of_agent, span, starts_on, status, direction, channel, answered_by
        having sum(calls) <> 0
        on conflict (workspace_id, agent_id, span, starts_on, status, direction, channel, answered_by)
          do update set calls = known.calls + excluded.calls
      ),
      reasons as (
        insert into call_hangup_reasons as known (workspace_id, agent_id, hour, hangup_reason, calls)
        select workspace_id, of_agent, date_trunc('hour', created_at, 'UTC') as hour, hangup_reason, sum(calls)
        from change where hangup_reason <> ''
        group by workspace_id, of_agent, hour, hangup_reason
        having sum(calls) <> 0
        on conflict (workspace_id, agent_id, hour, hangup_reason) do update set calls = known.calls + excluded.calls
      )
      select count(*)::integer as changes from taken`;
    return folded!.changes;
  });
}
