import { beforeAll, expect, it } from 'vitest';
import { addMonthPartitions, monthsAhead } from '../../../../control/calls/retention/month-partitions.ts';
import { newId } from '../../../../shared/ids.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant();
});

const add = (at: string) => addMonthPartitions(fixture.sql, Date.parse(at));

/** A finished call of that moment, and the partition that it lies in. */
async function finishedCall(at: string): Promise<string> {
  const call = await fixture.queue(tenant);
  const id = newId(Date.parse(at));
  await fixture.sql`
    with deleted as (delete from live_calls where id = ${call.id} returning live_calls as row)
    insert into finished_calls
    select finished.* from deleted cross join lateral
      jsonb_populate_record(deleted.row, ${fixture.sql.json({ id, status: 'busy', finished: true })}) as finished`;
  return id;
}
async function partitionOf(id: string): Promise<string> {
  const [row] = await fixture.sql`select tableoid::regclass::text as name from calls where id = ${id}`;
  return row!.name;
}

it('a new database has the partitions of this month and the next three', async () => {
  expect(await monthsAhead(fixture.sql, Date.now())).toBe(3);
  expect(await addMonthPartitions(fixture.sql, Date.now())).toEqual([]);
});

it('adds those of this month and the next three, once', async () => {
  const atOnce = await Promise.all([add('2031-11-30T23:59:59Z'), add('2031-11-30T23:59:59Z')]);
  // What each of the two left to the other.
  const added = [...atOnce, await add('2031-11-30T23:59:59Z')];
  const calls = added.flat().filter((name) => name.startsWith('finished_calls'));
  expect(calls.sort()).toEqual([
    'finished_calls_2031_11',
    'finished_calls_2031_12',
    'finished_calls_2032_01',
    'finished_calls_2032_02',
  ]);
  expect(await monthsAhead(fixture.sql, Date.parse('2032-01-10T00:00:00Z'))).toBe(1);
});

it('every month, also a new one, is vacuumed after ten thousand new rows', async () => {
  await add('2034-01-10T00:00:00Z');
  const seldom = await fixture.sql`
    select c.relname from unnest(array['finished_calls', 'call_events', 'call_search_texts']) as parent
    cross join lateral pg_partition_tree(parent::regclass) as tree join pg_class c on c.oid = tree.relid
    where tree.isleaf and not coalesce(c.reloptions @> '{autovacuum_vacuum_insert_threshold=10000}', false)`;
  expect([...seldom]).toEqual([]);
});

it('moves rows out of the default partition, at both ends of the month', async () => {
  const [before, first, last, after] = [
    await finishedCall('2033-01-31T23:59:59.999Z'),
    await finishedCall('2033-02-01T00:00:00.000Z'),
    await finishedCall('2033-05-31T23:59:59.999Z'),
    await finishedCall('2033-06-01T00:00:00.000Z'),
  ];
  expect(await partitionOf(first)).toBe('finished_calls_other');
  await add('2033-02-10T00:00:00Z');
  const [counted] = await fixture.sql`
    select sum(calls)::integer as calls from call_changes where workspace_id = ${tenant.workspace_id}`;
  expect(counted).toEqual({ calls: 4 });
  expect([
    await partitionOf(before),
    await partitionOf(first),
    await partitionOf(last),
    await partitionOf(after),
  ]).toEqual(['finished_calls_other', 'finished_calls_2033_02', 'finished_calls_2033_05', 'finished_calls_other']);
});

it('gives up while the default partition is in use, and succeeds afterwards', async () => {
  await fixture.sql.begin(async (tx) => {
    await tx`lock table finished_calls_other in access share mode`;
    await expect(add('2035-01-10T00:00:00Z')).rejects.toThrow('lock timeout');
  });
  expect(await add('2035-01-10T00:00:00Z')).toContain('finished_calls_2035_01');
});

it.each([
  ["a call's timeline", 'select * from call_events where call_id = $1'],
  ['a finished call', 'select * from finished_calls where id = $1 for no key update'],
])('a prepared statement reads %s in one partition', async (_, statement) => {
  await fixture.sql.begin(async (tx) => {
    await tx.unsafe(`set local plan_cache_mode = force_generic_plan; prepare one (text) as ${statement}`);
    const plan = await tx.unsafe<{ 'QUERY PLAN': string }[]>(`explain execute one ('${newId()}')`);
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('Subplans Removed');
    expect(text.match(/Scan/g)).toHaveLength(1);
    await tx.unsafe('deallocate one');
  });
});
