import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/** Names are searched in the newest batches; older ones are found by their id. */
const MAX_SCANNED = 2_000;

/** Finds batches by a part of their name or by their id; newest first. */
export async function searchBatches(
  sql: AnySql,
  workspaceId: string,
  { pattern, text }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  const columns = sql`id, name, status, total, created_at`;
  return sql<SearchHit[]>`
    select id, name as title, status || ' · ' || total || ' contacts' as subtitle, created_at as at
    from (
      (select ${columns} from batches where workspace_id = ${workspaceId} and id = ${text.toLowerCase()})
      union
      (select ${columns} from (
        select ${columns} from batches where workspace_id = ${workspaceId}
        order by created_at desc, id desc limit ${MAX_SCANNED}
      ) as latest where name ilike ${pattern})
    ) as hits
    order by created_at desc, id desc limit ${limit}`;
}

export interface BatchCounts {
  scheduled: number;
  running: number;
  paused: number;
}

/** Counts the active batches of all workspaces, up to `max`. */
export async function countBatches(sql: AnySql, max: number): Promise<BatchCounts> {
  const [row] = await sql<BatchCounts[]>`
    select
      count(*) filter (where status = 'scheduled')::integer as scheduled,
      count(*) filter (where status = 'running')::integer as running,
      count(*) filter (where status = 'paused')::integer as paused
    from (select status from batches where status in ('scheduled', 'running', 'paused') limit ${max}) as b`;
  return row!;
}

export async function hasRunningBatch(sql: AnySql, workspaceId: string): Promise<boolean> {
  const [row] = await sql<{ running: boolean }[]>`
    select exists (select from batches where workspace_id = ${workspaceId} and status = 'running') as running`;
  return row!.running;
}
