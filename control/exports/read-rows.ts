import { type Clock, pause } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { NoFreeConnectionError } from '../db/connection-gate.ts';
import type { ExportedTable } from './exported-tables.ts';

/** Reads a workspace's rows as JSON, page by page in the order of an index. Names in the SQL are those of the list and the catalog. */

const ROWS_AT_ONCE = 200;
const LARGE_ROWS_AT_ONCE = 2;
const CALLS_AT_ONCE = 100;

/** A pool whose connections are all in use is tried again, for about a minute. */
const MAX_ATTEMPTS = 12;
const RETRY_DELAY_MS = 2_000;

export interface RowSource {
  sql: Sql;
  clock: Clock;
}

interface Column {
  name: string;
  type: string;
}

/** Yields pages of rows, each row a JSON object as text. */
export async function* readRows(
  source: RowSource,
  exported: ExportedTable,
  workspaceId: string,
): AsyncGenerator<string[]> {
  const columns = await columnsOf(source, exported.table);
  const pages = exported.ofCalls
    ? rowsOfCalls(source, exported, columns, workspaceId)
    : rowsAfter(source, exported, columns, [workspaceId], `t."${exported.owner ?? 'workspace_id'}" = $1`);
  const { cleaned } = exported;
  for await (const lines of pages) {
    yield cleaned ? lines.map((line) => JSON.stringify(cleaned(JSON.parse(line)))) : lines;
  }
}

/** Yields the ids of calls, oldest first. @param recorded only of those with a recording */
export async function* readCallIds(
  source: RowSource,
  workspaceId: string,
  recorded: boolean,
): AsyncGenerator<string[]> {
  for (let last: { created_at: string; id: string } | null = null; ; ) {
    const rows: { created_at: string; id: string }[] = await read(
      source,
      (sql) => sql`
      select id, created_at::text as created_at from calls
      where workspace_id = ${workspaceId} and (not ${recorded} or recorded)
        and (created_at, id) > (${last?.created_at ?? '-infinity'}::text::timestamptz, ${last?.id ?? ''})
      order by created_at, id limit ${CALLS_AT_ONCE}`,
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < CALLS_AT_ONCE) return;
    last = rows.at(-1)!;
  }
}

async function* rowsOfCalls(
  source: RowSource,
  exported: ExportedTable,
  columns: readonly Column[],
  workspaceId: string,
) {
  for await (const ids of readCallIds(source, workspaceId, false)) {
    yield* rowsAfter(
      source,
      exported,
      columns,
      [workspaceId, ids],
      't.workspace_id = $1 and t.call_id = any($2::text[])',
    );
  }
}

async function* rowsAfter(
  source: RowSource,
  { table, order, without = [], large, further = {} }: ExportedTable,
  columns: readonly Column[],
  given: readonly (string | string[])[],
  condition: string,
): AsyncGenerator<string[]> {
  const limit = large ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE;
  const fields = columns.filter(({ name }) => !without.includes(name)).map(fieldOf);
  const others = Object.entries(further).map(([name, expression]) => `${expression} as "${name}"`);
  const keys = order.map((name, at) => `t."${name}"::text as key_${at}`);
  const typeOf = (name: string) => columns.find((column) => column.name === name)!.type;
  // As text, which loses no microseconds of a time.
  const values = order.map((name, at) => `$${given.length + at + 1}::text::${typeOf(name)}`);
  const names = order.map((name) => `t."${name}"`).join(', ');
  const statement = (after: string) => `
    select (select row_to_json(line) from (select ${[...fields, ...others].join(', ')}) as line)::text as line,
      ${keys.join(', ')}
    from "${table}" as t where ${condition} ${after} order by ${names} limit ${limit}`;
  for (let last: string[] | null = null; ; ) {
    const after = last ? `and (${names}) > (${values.join(', ')})` : '';
    const parameters = [...given, ...(last ?? [])];
    const rows: Record<string, string>[] = await read(source, (sql) => sql.unsafe(statement(after), parameters));
    if (rows.length > 0) yield rows.map(({ line }) => line!);
    if (rows.length < limit) return;
    last = order.map((_, at) => rows.at(-1)![`key_${at}`]!);
  }
}

/** Bytes are written as base64, without PostgreSQL's line breaks. */
const fieldOf = ({ name, type }: Column) =>
  type === 'bytea' ? `translate(encode(t."${name}", 'base64'), E'\\n', '') as "${name}"` : `t."${name}"`;

const columnsOf = (source: RowSource, table: string) =>
  read(
    source,
    (sql) => sql<Column[]>`
      select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = ${table} order by ordinal_position`,
  );

async function read<Row>({ sql, clock }: RowSource, query: (sql: Sql) => PromiseLike<Row[]>): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query(sql);
    } catch (error) {
      if (!(error instanceof NoFreeConnectionError) || attempt === MAX_ATTEMPTS) throw error;
      await pause(clock, RETRY_DELAY_MS);
    }
  }
}
