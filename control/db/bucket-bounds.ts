import type { AnySql } from './connect.ts';

/** Times as the bounds of `width_bucket`. A sub-select, because a cast of the parameter itself is made again for every row. */
export const boundsOf = (sql: AnySql, starts: readonly Date[]) =>
  sql`(select ${starts.map((start) => start.toISOString())}::text[]::timestamptz[])`;
