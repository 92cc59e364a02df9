import type { Sql } from './connect.ts';

/** Does PostgreSQL answer within so long? Never throws. */
export async function isDatabaseReachable(sql: Sql, deadlineMs = 2_000): Promise<boolean> {
  const query = sql`select 1`;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), deadlineMs);
  });
  const answer = query.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
