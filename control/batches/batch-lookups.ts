import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/** The latest ones are looked through; an older one is found by its id. */
const MAX_SCANNED = 2_000;

/** Batches whose name contains the text, or whose id it is; newest first. */
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
