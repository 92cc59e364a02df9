import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';

const INTERVAL_MS = 10_000;
const WORKSPACES_AT_ONCE = 50;
/** Of each workspace. */
const ROWS_AT_ONCE = 5_000;
/** Fewer are left to the readers. */
const MIN_ROWS = 200;
/** Any number of its own: only one process adds rows at a time. */
const LOCK = 7_080_083;

/** Adds new rows of the ledger to the usage every ten seconds. Until then readers count each row. */
export function startUsageJob({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  let stopped = false;
  const job = startPollingJob({
    ...{ name: 'ledger usage', intervalMs: INTERVAL_MS, clock, log },
    async run() {
      while (!stopped && (await foldUsage(sql)) > 0);
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

/** Kinds of ledger rows that are usage, without fees of plans, numbers and lines. */
export const isUsage = (sql: AnySql) => sql`kind in ('call', 'composer', 'test')`;

/**
 * Adds the rows of workspaces that have at least `minRows` new ones. A workspace's charges follow each other under its wallet's lock, so
 * that whoever sees a row sees all before it.
 *
 * @returns the number of rows; 0 while another process adds them.
 */
export async function foldUsage(sql: Sql, minRows = MIN_ROWS): Promise<number> {
  return await sql.begin(async (tx) => {
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as free`;
    if (!lock!.free) return 0;
    const [folded] = await tx<{ rows: number }[]>`
      with behind as materialized (
        select w.workspace_id, coalesce(p.seq, 0) as added
        from wallets w left join ledger_usage_progress p on p.workspace_id = w.workspace_id
        where w.seq >= coalesce(p.seq, 0) + ${minRows}::bigint limit ${WORKSPACES_AT_ONCE}
      ),
      taken as materialized (
        select each.* from behind cross join lateral (
          select workspace_id, seq, at, kind, seconds, amount_paise from ledger
          where ledger.workspace_id = behind.workspace_id and seq > behind.added order by seq limit ${ROWS_AT_ONCE}
        ) as each
      ),
      usage as (
        insert into ledger_usage as known (workspace_id, quarter, calls, seconds, amount_paise)
        select workspace_id, date_bin('15 minutes', at, 'epoch') as quarter, count(seconds), coalesce(sum(seconds), 0), sum(amount_paise)
        from taken where ${isUsage(tx)} group by workspace_id, quarter order by workspace_id, quarter
        on conflict (workspace_id, quarter) do update set calls = known.calls + excluded.calls,
          seconds = known.seconds + excluded.seconds, amount_paise = known.amount_paise + excluded.amount_paise
      ),
      progress as (
        insert into ledger_usage_progress (workspace_id, seq)
        select workspace_id, max(seq) from taken group by workspace_id
        on conflict (workspace_id) do update set seq = excluded.seq
      )
      select count(*)::integer as rows from taken`;
    return folded!.rows;
  });
}
