import { beforeAll, describe, expect, it } from 'vitest';
import { EXPORTED_TABLES, NO_SECRETS, NOT_EXPORTED } from '../../../control/exports/exported-tables.ts';
import { startTestApi } from '../../support/control-app.ts';

/** The list of what is exported, compared with the database. */

interface Column {
  table: string;
  column: string;
  type: string;
}

let columns: Column[];
let uniqueKeys: { table: string; columns: string[] }[];

beforeAll(async () => {
  const { sql } = await startTestApi();
  columns = await sql<Column[]>`
    select c.table_name as table, c.column_name as column, c.udt_name as type from information_schema.columns c
    join pg_class on relname = c.table_name and relnamespace = 'public'::regnamespace
    where c.table_schema = 'public' and relkind in ('r', 'p') and not relispartition`;
  uniqueKeys = await sql<typeof uniqueKeys>`
    select indrelid::regclass::text as table,
      (select array_agg(attname::text) from pg_attribute where attrelid = indrelid and attnum = any(indkey)) as columns
    from pg_index where indisunique and indpred is null`;
});

const tablesOfWorkspaces = () => columns.filter(({ column }) => column === 'workspace_id').map(({ table }) => table);

describe('the list of exported tables', () => {
  it('has every table of workspaces, or the reason why not', () => {
    const listed = [...EXPORTED_TABLES.map(({ table }) => table), ...Object.keys(NOT_EXPORTED)];
    expect(listed.toSorted()).toEqual([...tablesOfWorkspaces(), 'workspaces'].toSorted());
  });

  it('leaves out every column that looks like a secret, unless it was looked at', () => {
    const suspect = ({ column, type }: Column) =>
      type === 'bytea' || /hash|secret|token|nonce|password|credential|keys?$/.test(column);
    const found = EXPORTED_TABLES.flatMap(({ table, without = [] }) =>
      columns
        .filter((each) => each.table === table && suspect(each) && !without.includes(each.column))
        .map(({ column }) => `${table}.${column}`),
    );
    expect(found.toSorted()).toEqual(NO_SECRETS.toSorted());
  });

  it('names columns that exist', () => {
    const names = new Set(columns.map(({ table, column }) => `${table}.${column}`));
    const named = EXPORTED_TABLES.flatMap(({ table, order, without = [] }) =>
      [...order, ...without].map((column) => `${table}.${column}`),
    );
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it('reads in an order that is unique in a workspace, so that no row is left out between pages', () => {
    const loose = EXPORTED_TABLES.filter(
      ({ table, order }) =>
        // Its primary key is that of its partitions.
        table !== 'calls' &&
        !uniqueKeys.some(
          (key) =>
            key.table === table && key.columns.every((column) => column === 'workspace_id' || order.includes(column)),
        ),
    );
    expect(loose.map(({ table }) => table)).toEqual([]);
  });
});
