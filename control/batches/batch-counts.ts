import type { AnySql } from '../db/connect.ts';

export interface BatchCounts {
  scheduled: number;
  running: number;
  paused: number;
}

/** Batches of all workspaces that are under way, in the feeder's index, up to `most`. */
export async function countBatches(sql: AnySql, max: number): Promise<BatchCounts> {
  const [row] = await sql<BatchCounts[]>`
    select
      count(*) filter (where status = 'scheduled')::integer as scheduled,
      count(*) filter (where status = 'running')::integer as running,
      count(*) filter (where status = 'paused')::integer as paused
    from (select status from batches where status in ('scheduled', 'running', 'paused') limit ${max}) as b`;
  return row!;
}
