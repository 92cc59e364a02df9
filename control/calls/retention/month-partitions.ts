import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { moveCallsLeftBehind } from '../lifecycle/move-finished-calls.ts';

const INTERVAL_MS = 60_000;
/** After the present one. */
const MONTHS_AHEAD = 3;
/** Any number, the same in every process. */
const LOCK = 7_080_002;

/** The tables that are partitioned by month, and the id that tells a row's month. */
const TABLES = [
  { parent: 'finished_calls', key: 'id' },
  { parent: 'call_events', key: 'call_id' },
  { parent: 'call_search_texts', key: 'id' },
] as const;

/**
 * Starts the polling job that adds the partitions of the coming months, so that no row ever waits for one: a row without a partition of
 * its own goes to the default one, and is moved when there is one. It also moves calls that a control process of the version before
 * has left behind.
 */
export function startPartitionJob({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): PollingJob {
  return startPollingJob({
    ...{ name: 'month partitions', intervalMs: INTERVAL_MS, clock, log },
    async run() {
      const added = await addMonthPartitions(sql, clock.wall());
      if (added.length > 0) log.info({ partitions: added }, 'partitions added');
      const moved = await moveCallsLeftBehind(sql);
      if (moved > 0) log.info({ calls: moved }, 'finished calls moved that were left behind');
    },
  });
}

/**
 * Adds the partitions of this month and the coming ones that are missing. Attaching one takes a lock that every query of the table
 * waits behind, so it is given up after a second and tried again in the next run.
 *
 * @returns those added, like `finished_calls_2026_12`; none while another process adds them.
 * @throws the first failure, after all of them were tried.
 */
export async function addMonthPartitions(sql: Sql, nowMs: number): Promise<string[]> {
  const added: string[] = [];
  const failures: unknown[] = [];
  for (const table of TABLES) {
    for (const month of await monthsWithoutPartition(sql, table.parent, nowMs)) {
      const isNew = await addMonthPartition(sql, table, month).catch((error: unknown) => {
        failures.push(error);
        return false;
      });
      if (isNew) added.push(`${table.parent}_${month.slice(0, 7).replace('-', '_')}`);
    }
  }
  if (failures.length > 0) throw failures[0];
  return added;
}

function addMonthPartition(sql: Sql, { parent, key }: (typeof TABLES)[number], month: string): Promise<boolean> {
  return sql.begin(async (tx) => {
    await tx`set local lock_timeout = '1s'`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as taken`;
    if (!lock!.taken) return false;
    const [row] = await tx<
      { added: boolean }[]
    >`select add_month_partition(${parent}, ${key}, ${month}::date) as added`;
    return row!.added;
  });
}

/** A month is kept this much longer: ids of its last minutes may still come. */
const DROPPED_AFTER_MS = 24 * 3_600_000;

/** Drops the partitions of past months in which no row is left. @returns their names. */
export async function dropEmptyMonths(sql: Sql, nowMs: number): Promise<string[]> {
  const parents = TABLES.map(({ parent }) => parent);
  const endedBefore = newId(nowMs - DROPPED_AFTER_MS).slice(0, 12);
  const past = await sql<{ parent: string; name: string }[]>`
    select parent.relname as parent, part.relname as name
    from pg_inherits join pg_class parent on parent.oid = inhparent join pg_class part on part.oid = inhrelid
    where parent.relname = any(${parents})
      and substring(pg_get_expr(part.relpartbound, part.oid) from 'TO \\(''([0-9a-f]+)''\\)') <= ${endedBefore}`;
  const dropped: string[] = [];
  for (const { parent, name } of past) {
    if (await hasRows(sql, name)) continue;
    const isDropped = await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '1s'`;
      // The parent first, as every query locks them.
      await tx`lock table only ${tx(parent)} in access exclusive mode`;
      await tx`lock table ${tx(name)} in access exclusive mode`;
      if (await hasRows(tx, name)) return false;
      await tx`drop table ${tx(name)}`;
      return true;
    });
    if (isDropped) dropped.push(name);
  }
  return dropped;
}

async function hasRows(sql: AnySql, table: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from ${sql(table)}) as found`;
  return row!.found;
}

/** How many of the coming three months have all their partitions. */
export async function monthsAhead(sql: AnySql, nowMs: number): Promise<number> {
  const missing = new Set<string>();
  for (const { parent } of TABLES) {
    for (const month of await monthsWithoutPartition(sql, parent, nowMs)) missing.add(month);
  }
  missing.delete(monthsFrom(nowMs)[0]!);
  return MONTHS_AHEAD - missing.size;
}

async function monthsWithoutPartition(sql: AnySql, parent: string, nowMs: number): Promise<string[]> {
  const rows = await sql<{ month: string }[]>`
    select month::text from unnest(${monthsFrom(nowMs)}::date[]) as month where not has_month_partition(${parent}, month)
    order by month`;
  return rows.map(({ month }) => month);
}

/** The first days of this month and the coming ones, in UTC. */
function monthsFrom(nowMs: number): string[] {
  const now = new Date(nowMs);
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString().slice(0, 10),
  );
}
