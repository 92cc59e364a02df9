import type { Sql } from '../../control/db/connect.ts';

/** Fingerprints of all tables, to detect changes. */

/** Tables with side effects of every request, such as rate limits and logs. */
const IGNORED_TABLES = ['rate_windows', 'server_logs', 'idempotency_keys', 'attempts', 'login_tokens', 'migrations'];
const SEEN_COLUMNS = ['last_used_at', 'last_seen_at', 'expires_at'];

/** Number of rows and a hash sum by table. */
export type TableContents = Record<string, string>;

/** Makes a function that reads all tables in one statement. */
export async function tableContentsReader(sql: Sql): Promise<() => Promise<TableContents>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${IGNORED_TABLES}) order by 1`;
  const columns = `'{${SEEN_COLUMNS.join(',')}}'::text[]`;
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' rows, ' ||
       coalesce(sum(hashtextextended((to_jsonb(t) - ${columns})::text, 0)::numeric), 0) as contents from "${name}" t`,
  );
  const statement = parts.join(' union all ');
  return async () => {
    const rows = await sql.unsafe<{ name: string; contents: string }[]>(statement, [], { prepare: true });
    return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
  };
}

/** Returns ids of a workspace's rows from every table with a `workspace_id`. */
export async function idsOf(sql: Sql, workspaceId: string): Promise<Map<string, string[]>> {
  const tables = await sql<{ name: string; column: string }[]>`
    select t.table_name as name, c.column_name as column
    from information_schema.columns t
    join information_schema.columns c on c.table_name = t.table_name and c.table_schema = 'public'
    where t.table_schema = 'public' and t.column_name = 'workspace_id' and c.column_name in ('id', 'user_id', 'token', 'number')
    order by 1, 2`;
  const ids = new Map<string, string[]>();
  for (const { name, column } of tables) {
    const rows = await sql.unsafe<{ id: string }[]>(
      `select distinct "${column}"::text as id from "${name}" where workspace_id = $1 and "${column}" is not null limit 5`,
      [workspaceId],
    );
    if (rows.length > 0)
      ids.set(
        `${name}.${column}`,
        rows.map(({ id }) => id),
      );
  }
  return ids;
}
