import { type Connection, retryOnLockTimeout } from './lock-timeout.ts';

/** The statements of migrations without a transaction: indexes that are built or dropped while the tables are written. */

const BUILD = /^create (unique )?index concurrently if not exists ([a-z0-9_]+)\s+on ([a-z0-9_]+)\b(.*)$/s;
const BLOCKS = /^(create (unique )?index (?!concurrently if not exists)|drop index (?!concurrently if exists))/;

/**
 * Runs a statement so that it can be repeated after a run that broke: the invalid index that a broken build leaves is dropped
 * first. A partitioned table gets the index of each partition concurrently, and then its own, which takes these over (PostgreSQL 17,
 * "CREATE INDEX": a partitioned table cannot be indexed concurrently, and equivalent indexes of partitions are attached).
 */
export async function runWithoutTransaction(connection: Connection, statement: string): Promise<void> {
  const [, unique = '', index, table, rest] = BUILD.exec(statement) ?? [];
  if (index === undefined || table === undefined) {
    if (BLOCKS.test(statement)) throw new Error(`without a transaction an index is built concurrently: ${statement}`);
    await connection.unsafe(statement);
    return;
  }
  const [found] = await connection<{ partitioned: boolean }[]>`
    select relkind = 'p' as partitioned from pg_class where oid = to_regclass(${table})`;
  if (!found?.partitioned) return build(connection, unique, index, table, rest!);
  const leaves = await connection<{ name: string }[]>`
    select relid::regclass::text as name from pg_partition_tree(to_regclass(${table})) where isleaf order by 1`;
  for (const { name } of leaves) await build(connection, unique, indexOfPartition(name, index), name, rest!);
  await retryOnLockTimeout(connection, () =>
    connection.unsafe(`create ${unique}index if not exists ${index} on ${table}${rest}`),
  );
}

async function build(connection: Connection, unique: string, index: string, table: string, rest: string) {
  const [invalid] = await connection`
    select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`;
  if (invalid) await connection.unsafe(`drop index concurrently ${index}`);
  await connection.unsafe(`create ${unique}index concurrently if not exists ${index} on ${table}${rest}`);
}

/** PostgreSQL cuts longer names, and two partitions' could then be the same. */
function indexOfPartition(partition: string, index: string): string {
  const name = `${partition}_${index}`;
  if (name.length > 63) throw new Error(`the name ${name} is longer than 63 characters`);
  return name;
}
