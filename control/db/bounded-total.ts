import type { AnySql, Fragment } from './connect.ts';

/** More matches than these are not counted: that would cost more than the page. */
export const MAX_COUNTED = 10_000;

export interface BoundedTotal {
  total: number;
  /** There are more than `total`. */
  total_is_estimate?: true;
}

/**
 * Counts the matches of a list whose page has been read, up to 10,000. Without a statement for a first page that is not full.
 *
 * @param matches a statement that returns a row for each.
 */
export async function boundedTotal(
  sql: AnySql,
  page: { rows: number; limit: number; skip: number },
  matches: Fragment,
): Promise<BoundedTotal> {
  const { rows, limit, skip } = page;
  if (skip === 0 && rows < limit) return { total: rows };
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::integer as total from (${matches} limit ${sql.unsafe(`${MAX_COUNTED + 1}`)}) as matching`;
  const { total } = counted!;
  if (total <= MAX_COUNTED) return { total };
  return { total: Math.max(MAX_COUNTED, skip + rows), total_is_estimate: true };
}
