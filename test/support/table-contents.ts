import type { Sql } from '../../control/db/connect.ts';

/** Which tables a request changed, and what ids a workspace has in them. */

/** Tables with side effects of every request, such as rate limits and logs. */
const IGNORED_TABLES = ['rate_windows', 'server_logs', 'idempotency_keys', 'attempts', 'login_tokens', 'migrations'];
const SEEN_COLUMNS = ['last_used_at', 'last_seen_at', 'expires_at'];

/** Has every change of a row recorded; the function returns the names of the tables that were changed since it was called last. */
export async function changedTablesReader(sql: Sql): Promise<() => Promise<string[]>> {
  const tables = (await tablesOf(sql)).filter((name) => !IGNORED_TABLES.includes(name));
  await sql.unsafe(`
    create table test_changed_tables (name text not null);
    create function test_record_change() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'UPDATE' or to_jsonb(old) - tg_argv[1]::text[] <> to_jsonb(new) - tg_argv[1]::text[] then
        insert into test_changed_tables values (tg_argv[0]);
      end if;
      return null;
    end $$;
    ${tables
      .map(
        (name) =>
          `create trigger test_record_change after insert or update or delete on "${name}"
           for each row execute function test_record_change('${name}', '{${SEEN_COLUMNS.join(',')}}');`,
      )
      .join('\n')}`);
  return async () => {
    const rows = await sql<{ name: string }[]>`delete from test_changed_tables returning name`;
    return [...new Set(rows.map(({ name }) => name))].toSorted();
  };
}

/** Partitions are not listed, only what they are parts of. */
async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  return rows.map(({ name }) => name);
}

/** Returns ids of a workspace's rows from every table with a `workspace_id`. */
export async function idsOf(sql: Sql, workspaceId: string): Promise<Map<string, string[]>> {
  const tables = await sql<{ name: string; column: string }[]>`
    select t.table_name as name, c.column_name as column
    from information_schema.columns t
    join information_schema.columns c on c.table_name = t.table_name and c.table_schema = 'public'
    where t.table_schema = 'public' and t.table_name = any(${await tablesOf(sql)})
      and t.column_name = 'workspace_id' and c.column_name in ('id', 'user_id', 'token', 'number')
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
