import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { moveFinishedCalls } from '../../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../../shared/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** The migrations that part the calls, over calls that are there. */

const FOLDER = new URL('../../../control/db/migrations/', import.meta.url);
const FIRST = '0054';
const AFTER_LAST = '0058';

let database: TestDatabase;
const workspace_id = newId();
const live = { queued: newId(), connected: newId(), ended: newId(), uncharged: newId() };
const finished = {
  completed: newId(),
  busy: newId(),
  failed: newId(),
  rejected: newId(),
  old: newId(1),
  odd: 'f'.repeat(32),
};

async function apply(wanted: (name: string) => boolean): Promise<void> {
  for (const name of readdirSync(FOLDER).sort()) {
    if (name.endsWith('.sql') && wanted(name)) await database.sql.unsafe(readFileSync(new URL(name, FOLDER), 'utf8'));
  }
}

/** As the program before writes a call. */
async function insert(id: string, status: string, more: object = {}): Promise<void> {
  const { sql } = database;
  const row = {
    ...{
      workspace_id,
      id,
      agent_id: 'a',
      agent_name: 'Asha',
      agent_version: 1,
      direction: 'outbound',
      channel: 'phone',
    },
    ...{
      status,
      from_number: '+911',
      to_number: '+912',
      started_by: 'x',
      provider: 'twilio',
      provider_call_id: `CA${id}`,
    },
    ...{ created_at: new Date(), queued_at: new Date(), currency: 'INR', ...more },
  };
  await sql`insert into calls ${sql(row as never)}`;
}

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await sql.unsafe('drop schema public cascade; create schema public');
  await apply((name) => name < FIRST);
  await sql`insert into workspaces ${sql({ id: workspace_id, name: 'Acme', state: 'active', created_at: new Date() })}`;
  await insert(live.queued, 'queued');
  await insert(live.connected, 'in-progress', { started_at: new Date(), media_seq: 7 });
  await insert(live.ended, 'ended', { started_at: new Date() });
  await insert(live.uncharged, 'failed', { started_at: new Date() });
  await insert(finished.completed, 'completed', {
    started_at: new Date(),
    completed_at: new Date(),
    summary: 'a summary',
  });
  await insert(finished.busy, 'busy');
  await insert(finished.failed, 'failed', { started_at: new Date(), completed_at: new Date() });
  await insert(finished.rejected, 'failed');
  await insert(finished.old, 'canceled');
  await insert(finished.odd, 'canceled');
  for (const seq of [1, 2]) {
    await sql`
      insert into call_events (workspace_id, call_id, seq, id, source, type, message, level, latency_ms, data, created_at)
      values (${workspace_id}, ${finished.completed}, ${seq}, ${newId()}, 'control', 'tts.first_audio', '', 'info', 300, '{}', now())`;
  }
  await apply((name) => name >= FIRST && name < AFTER_LAST);
});

const tables = async () => {
  const rows = await database.sql<{ id: string; name: string }[]>`
    select id, tableoid::regclass::text as name from calls order by id`;
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
};

it('leaves live what more is to come to, and nothing else', async () => {
  const found = await tables();
  for (const id of Object.values(live)) expect(found[id]).toBe('live_calls');
  for (const [name, id] of Object.entries(finished)) {
    expect(found[id], name).toBe(name === 'odd' ? 'finished_calls_other' : 'finished_calls_earlier');
  }
});

it('keeps calls and timelines as they are', async () => {
  const { sql } = database;
  const [call] = await sql`select summary, completed_at, finished from calls where id = ${finished.completed}`;
  expect(call).toMatchObject({ summary: 'a summary', finished: true });
  const events =
    await sql`select seq, latency_stage from call_events where call_id = ${finished.completed} order by seq`;
  expect(events).toEqual([1, 2].map((seq) => ({ seq, latency_stage: 'first_audio' })));
});

it('takes what a program before it writes', async () => {
  const id = newId();
  await insert(id, 'queued');
  const [row] = await database.sql`update calls set status = 'busy' where id = ${id} returning *`;
  expect(row).toMatchObject({ id, status: 'busy', finished: false });
});

it('moves every column of a call', async () => {
  const { sql } = database;
  const [before] = await sql`select * from calls where id = ${live.connected}`;
  await sql.begin((tx) => moveFinishedCalls(tx, [live.connected]));
  expect(await sql`select * from calls where id = ${live.connected}`).toEqual([{ ...before, finished: true }]);
});

it('rebuilds no index of the calls that are there', async () => {
  const rows = await database.sql`
    select parent.relname from pg_index
    join pg_class on pg_class.oid = indexrelid
    join pg_inherits on inhrelid = indexrelid join pg_class parent on parent.oid = inhparent
    where indrelid = 'finished_calls_earlier'::regclass and pg_class.relname like 'finished_calls_earlier_%'`;
  expect(rows.map(({ relname }) => relname)).toEqual(['finished_calls_of_carrier']);
});
