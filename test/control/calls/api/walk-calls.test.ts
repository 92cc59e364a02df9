import { expect, it } from 'vitest';
import { listCalls } from '../../../../control/calls/api/list-calls.ts';
import { moveFinishedCalls } from '../../../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../../../shared/ids.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { createCallFixture } from '../call-fixture.ts';

/** `make lists` does the same over HTTP with 100,000 calls. */
const CALLS = 400;
const PAGE = 7;

const fixture = await createCallFixture();
const { sql } = fixture;
const { workspace_id, agent_id, number } = await fixture.tenant();
const random = seededRandom(18);
const below = (limit: number) => Math.floor(random() * limit);

/** Ids and times are in different orders, and ten calls have the same time. */
async function liveCall(minute: number): Promise<string> {
  const created_at = new Date(Date.UTC(2026, 0, 5) + Math.floor(minute / 10) * 60_000);
  const row = {
    ...{
      workspace_id,
      id: newId(below(1_000_000)),
      agent_id,
      agent_name: 'Asha',
      agent_version: 1,
      status: 'in-progress',
    },
    ...{ direction: 'outbound', channel: 'phone', from_number: number, to_number: '+919811112222', started_by: '' },
    ...{ provider: 'twilio', created_at, queued_at: created_at, started_at: created_at, currency: 'INR' },
  };
  await sql`insert into live_calls ${sql(row as never)}`;
  return row.id;
}

const finish = (id: string) =>
  sql.begin(async (tx) => {
    await tx`update live_calls set status = 'completed', ended_at = now(), completed_at = now() where id = ${id}`;
    await moveFinishedCalls(tx, [id]);
  });

it.each([{}, { status: ['completed', 'in-progress'] as const }, { number: '2222' }])(
  'a walk by cursor sees each call once, while calls are placed, end, change and go: %o',
  async (filters) => {
    await sql`delete from live_calls where workspace_id = ${workspace_id}`;
    await sql`delete from finished_calls where workspace_id = ${workspace_id}`;
    const live: string[] = [];
    for (let nth = 0; nth < CALLS; nth++) live.push(await liveCall(nth));
    for (let nth = 0; nth < CALLS / 2; nth++) await finish(live.splice(below(live.length), 1)[0]!);
    const all = (await sql<{ id: string }[]>`select id from calls where workspace_id = ${workspace_id}`).map(
      ({ id }) => id,
    );
    const gone = new Set<string>();
    const seen: string[] = [];
    for (let page = 0; ; page++) {
      const after = seen.at(-1);
      const { items } = await listCalls(sql, workspace_id, filters, PAGE, { after, skip: 0 });
      if (items.length === 0) break;
      seen.push(...items.map(({ id }) => id));
      await liveCall(CALLS + page);
      for (let nth = 0; nth < 3; nth++) await finish(live.splice(below(live.length), 1)[0]!);
      await sql`update finished_calls set cost_paise = cost_paise + 1 where id = any(${[all[below(CALLS)]!, all[below(CALLS)]!]})`;
      const unwanted = all[below(CALLS)]!;
      if (unwanted === seen.at(-1) || live.includes(unwanted)) continue;
      await sql`delete from finished_calls where id = ${unwanted}`;
      gone.add(unwanted);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(all.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
  },
);
