import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionOfPage } from '../../../../control/calls/api/list-calls.ts';
import { createPageReader, type PageQuery } from '../../../../control/calls/api/read-page.ts';
import { eraseRequestedCalls, requestErasure } from '../../../../control/calls/retention/erase-calls.ts';
import { connectExplained, type Plan } from '../../../support/executed-plans.ts';
import { createMemoryStore } from '../../../support/memory-store.ts';
import { type CallApi, createCallApi } from '../call-api-fixture.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
/** Each has a cache of its own, as two processes have. */
let apis: CallApi[];
let tens = 0;

beforeAll(async () => {
  fixture = await createCallFixture();
  apis = [await createCallApi(fixture), await createCallApi(fixture)];
});
afterAll(() => Promise.all(apis.map(({ http }) => http.close())));

/** The page as each process serves it. */
const pages = (who: Tenant, query = '', headers = {}) =>
  Promise.all(apis.map(async (api) => (await api.get(who, `/calls${query}`, headers)).body));

/** Served twice by each, so that all have it in their cache. */
async function cached(who: Tenant, query = '') {
  await pages(who, query);
  return (await pages(who, query))[0];
}

describe('a page that was answered before', () => {
  it('is not serialized again while nothing has changed', async () => {
    const who = await fixture.tenant();
    await apis[0]!.finished(who);
    let serializations = 0;
    const read = createPageReader(fixture.sql, async () => String(++serializations));
    const request = (more: Partial<PageQuery> = {}, zone = 'UTC') =>
      read({ workspace_id: who.workspace_id, zone, query: { limit: 20, skip: 0, ...more } });
    const first = await request();
    expect([await request(), ...(await Promise.all([request(), request()])), serializations]).toEqual([
      ...[first, first, first],
      1,
    ]);
    await request({ skip: 0 }, 'Asia/Kolkata');
    await request({ status: ['completed'] });
    await request({ limit: 50 });
    expect(serializations).toBe(4);
  });

  it.each(['', '?status=ended,completed&direction=outbound'])('has a change of a call at once: %j', async (query) => {
    const who = await fixture.tenant();
    const { id } = await apis[0]!.finished(who);
    expect((await cached(who, query)).items[0].summary).toBe('');
    await fixture.sql`update calls set summary = 'asked for a table' where id = ${id}`;
    for (const page of await pages(who, query)) expect(page.items[0].summary).toBe('asked for a table');
    await fixture.sql`update calls set cost_paise = 77 where id = ${id}`;
    for (const page of await pages(who, query)) expect(page.items[0].cost_paise).toBe(77);
  });

  it('has no erased call, whichever process erased it', async () => {
    const who = await fixture.tenant();
    const { id } = await apis[0]!.finished(who);
    await fixture.sql`update calls set status = 'completed', finished = true where id = ${id}`;
    expect((await cached(who)).items).toHaveLength(1);
    const { to_number } = await fixture.read(id);
    await fixture.sql.begin((tx) => requestErasure(tx, who.workspace_id, to_number, Date.now()));
    await eraseRequestedCalls({ sql: fixture.sql, store: createMemoryStore(), deleteLogs: async () => {} });
    expect(await pages(who)).toEqual([
      { items: [], total: 0 },
      { items: [], total: 0 },
    ]);
  });

  it('has new calls, and counts those behind the page', async () => {
    const who = await fixture.tenant();
    const older = await apis[0]!.finished(who);
    expect(await cached(who, '?limit=1')).toMatchObject({ items: [{ id: older.id }], total: 1 });
    const newer = await apis[0]!.finished(who);
    for (const page of await pages(who, '?limit=1'))
      expect(page).toMatchObject({ items: [{ id: newer.id }], total: 2 });
    await fixture.sql`delete from calls where id = ${older.id}`;
    for (const page of await pages(who, '?limit=1'))
      expect(page).toMatchObject({ items: [{ id: newer.id }], total: 1 });
  });

  it('has the positions in the queue of now', async () => {
    const who = await fixture.tenant();
    const first = await fixture.queue(who);
    await fixture.queue(who);
    const positions = (page: { items: { queue_position: number | null }[] }) =>
      page.items.map(({ queue_position }) => queue_position);
    expect(positions(await cached(who))).toEqual([2, 1]);
    await fixture.sql`update calls set status = 'canceled' where id = ${first.id}`;
    for (const page of await pages(who)) expect(positions(page)).toEqual([1, null]);
  });

  it('is written in the zone of each request', async () => {
    const who = await fixture.tenant();
    await apis[0]!.finished(who);
    const [{ created_at: inIndia }] = (await cached(who)).items;
    for (const page of await pages(who, '', { 'x-timezone': 'UTC' })) {
      expect(page.items[0].created_at).toMatch(/\+00:00$/);
      expect(Date.parse(page.items[0].created_at)).toBe(Date.parse(inIndia));
    }
  });

  it('never reaches another workspace, also when both ask at once', async () => {
    const [one, other] = [await fixture.tenant(), await fixture.tenant()];
    const { id } = await apis[0]!.finished(one);
    await cached(one);
    for (let round = 0; round < 3; round++) {
      const [own, foreign] = await Promise.all([pages(one), pages(other)]);
      for (const page of own) expect(page).toMatchObject({ items: [{ id }], total: 1 });
      for (const page of foreign) expect(page).toEqual({ items: [], total: 0 });
    }
  });
});

it.each([{}, { status: ['completed' as const] }])(
  'the version of a page reads the calls on it, and no others: %j',
  async (filters) => {
    const who = await fixture.tenant();
    await fixture.sql`
    insert into calls (workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number,
      to_number, started_by, provider, created_at, queued_at, currency, finished)
    select ${who.workspace_id}, lpad(to_hex(n + ${++tens * 10_000}), 32, '0'), ${who.agent_id}, 'Asha', 1, 'outbound', 'phone',
      'completed', '+911', '+912', 'x', 'twilio', '2026-01-05T00:00:00Z'::timestamptz + n * interval '1 s', now(), 'INR', true
    from generate_series(1, 3000) as n`;
    await fixture.sql`vacuum analyze calls`;
    const explained = await connectExplained(fixture.url, { forAnyValues: true });
    const plans = await explained.plansOf(() => versionOfPage(explained.sql, who.workspace_id, filters, 20));
    expect(rowsOfCalls(plans)).toBeLessThanOrEqual(60);
  },
);

/** Rows that were read from finished calls. */
function rowsOfCalls(plans: readonly Plan[]): number {
  const rows = plans.map((plan) => {
    const own = plan['Relation Name']?.startsWith('finished_calls')
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
    return own + rowsOfCalls(plan.Plans ?? []);
  });
  return rows.reduce((sum, each) => sum + each, 0);
}
