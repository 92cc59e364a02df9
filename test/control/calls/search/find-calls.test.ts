import { beforeAll, describe, expect, it } from 'vitest';
import { listCalls } from '../../../../control/calls/api/list-calls.ts';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { moveFinishedCalls } from '../../../../control/calls/lifecycle/move-finished-calls.ts';
import { foldSearchTexts } from '../../../../control/calls/search/fold-search-texts.ts';
import { searchKeys } from '../../../../control/calls/search/search-keys.ts';
import { newId } from '../../../../shared/ids.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let who: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  who = await fixture.tenant();
});

async function liveCall(tenant: Tenant, columns: Partial<Record<keyof CallRow, unknown>>): Promise<string> {
  const at = new Date();
  const row = {
    ...{
      workspace_id: tenant.workspace_id,
      id: newId(),
      agent_id: tenant.agent_id,
      agent_name: 'Asha',
      agent_version: 1,
    },
    ...{
      direction: 'outbound',
      channel: 'phone',
      status: 'in-progress',
      from_number: tenant.number,
      to_number: '+919811112222',
    },
    ...{
      started_by: 'Key one',
      provider: 'twilio',
      created_at: at,
      queued_at: at,
      started_at: at,
      currency: 'INR',
      ...columns,
    },
  };
  await fixture.sql`insert into live_calls ${fixture.sql(row as never)}`;
  return row.id as string;
}

async function finishedCall(tenant: Tenant, columns: Partial<Record<keyof CallRow, unknown>>): Promise<string> {
  const id = await liveCall(tenant, columns);
  await fixture.sql.begin((tx) => moveFinishedCalls(tx, [id], { status: 'completed', ...columns } as Partial<CallRow>));
  return id;
}

async function found(tenant: Tenant, q: string, filters = {}) {
  const { items, total } = await listCalls(fixture.sql, tenant.workspace_id, { q, ...filters }, 20, { skip: 0 });
  expect(total).toBe(items.length);
  return items.map(({ id }) => id);
}

async function foldAll() {
  while ((await foldSearchTexts(fixture.sql, 500)) > 0);
}

const textOf = async (id: string) => (await fixture.sql`select text from call_search_texts where id = ${id}`)[0]?.text;

describe('a call', () => {
  it('is found while it goes on, after its end, and after its text is written', async () => {
    const id = await liveCall(who, {
      transcript: [{ role: 'user', text: 'The Blue Umbrella', at: 1, interrupted: false }],
    });
    expect(await found(who, 'blue umb')).toEqual([id]);
    await fixture.sql.begin((tx) => moveFinishedCalls(tx, [id], { status: 'completed' }));
    expect(await found(who, 'blue umb')).toEqual([id]);
    await foldAll();
    expect(await textOf(id)).toContain('the blue umbrella');
    expect(await found(who, 'blue umb')).toEqual([id]);
  });

  it('is found by what a late analysis wrote', async () => {
    const id = await finishedCall(who, { summary: 'Nothing of note' });
    await foldAll();
    await fixture.sql`update finished_calls set summary = 'A lighthouse' where id = ${id}`;
    expect(await found(who, 'lighthouse')).toEqual([id]);
    await foldAll();
    expect(await found(who, 'lighthouse')).toEqual([id]);
    expect(await found(who, 'of note')).toEqual([]);
  });

  // Speech that a model repeats; each character was counted off from the start of the word.
  it('is found by the end of a word of 60,000 characters', async () => {
    const id = await finishedCall(who, { summary: `${'मक'.repeat(30_000)}खगघ` });
    await foldAll();
    expect(await textOf(id)).toContain('खगघ');
    expect(await found(who, 'खगघ')).toEqual([id]);
  });

  it('waits an hour when its text cannot be written, and those of other calls do not', async () => {
    await fixture.sql`alter table call_search_texts add constraint refused check (text <> 'refused')`;
    const refused = await finishedCall(who, { summary: 'refused' });
    const others = [];
    for (const summary of ['peacock one', 'peacock two', 'peacock three'])
      others.push(await finishedCall(who, { summary }));
    await foldAll();
    await fixture.sql`alter table call_search_texts drop constraint refused`;
    expect(await Promise.all(others.map(textOf))).not.toContain(undefined);
    expect(await textOf(refused)).toBeUndefined();
    expect(await found(who, 'refused')).toEqual([refused]);
    await fixture.sql`update call_search_changes set not_before = not_before - interval '1 hour'`;
    await foldAll();
    expect(await textOf(refused)).toBeDefined();
  });

  it('leaves no text when it is deleted, also while its text is being written', async () => {
    const written = await finishedCall(who, { summary: 'A secret' });
    await foldAll();
    const unwritten = await finishedCall(who, { summary: 'A secret' });
    await fixture.sql`delete from finished_calls where id in (${written}, ${unwritten})`;
    await foldAll();
    expect([await textOf(written), await textOf(unwritten)]).toEqual([undefined, undefined]);
    expect(await fixture.sql`select from call_search_changes`).toEqual([]);
  });
});

describe('with more calls than are sampled', () => {
  const CALLS = 2_400;
  let tenant: Tenant;
  let rare: Record<string, string>;

  beforeAll(async () => {
    tenant = await fixture.tenant();
    rare = {
      latin: await finishedCall(tenant, { summary: 'a word like zebra' }),
      phrase: await finishedCall(tenant, { summary: 'word every and also frequent' }),
      hindi: await finishedCall(tenant, { summary: 'सुबह भुगतान हो' }),
      number: await finishedCall(tenant, { summary: 'every word', to_number: '+14155550199' }),
      machine: await finishedCall(tenant, { summary: 'every word', answered_by: 'machine', created_at: new Date(0) }),
    };
    await fixture.sql`
      insert into finished_calls
      select copied.* from finished_calls as call cross join generate_series(1, ${CALLS}) as n
      cross join lateral jsonb_populate_record(call, jsonb_build_object(
        'id', md5(n::text || call.id), 'provider_call_id', '', 'created_at', now() + n * interval '1 ms',
        'summary', case n % 4 when 0 then 'every frequent word: शाम' else 'every word: शाम' end
      )) as copied
      where call.id = ${rare.latin!}`;
    while ((await foldSearchTexts(fixture.sql, 5_000)) > 0);
    await fixture.sql`analyze call_search_texts`;
  });

  it.each<[name: string, q: string, filters?: object]>([
    ['latin', 'ZEBRA'],
    ['phrase', 'word every'],
    ['phrase', 'ord every and al'],
    ['hindi', 'भुगतान'],
    ['hindi', 'ुगता'],
    ['hindi', 'हो'],
    ['hindi', 'सुबह भुग'],
    ['number', 'every word', { number: '0199' }],
    ['machine', 'every word', { answered_by: 'machine' }],
    ['machine', 'every word', { until: new Date(1) }],
  ])('finds the one call: %s, %s', async (name, q, filters = {}) => {
    expect(await found(tenant, q, filters)).toEqual([rare[name]]);
  });

  it('estimates how many calls have a frequent word', async () => {
    const page = (skip: number) =>
      listCalls(fixture.sql, tenant.workspace_id, { q: 'frequent', channel: 'phone' }, 20, { skip });
    const first = await page(0);
    expect(first.total_is_estimate).toBe(true);
    expect(first.total).toBe(600);
    const { items } = await page(20);
    const ids = [...first.items, ...items].map(({ id }) => id);
    const expected = await fixture.sql`
      select id from finished_calls where workspace_id = ${tenant.workspace_id} and summary like '%frequent%'
      order by created_at desc, id desc limit 40`;
    expect(ids).toEqual(expected.map(({ id }) => id));
    const after = { after: ids[19], skip: 0 };
    const behind = await listCalls(fixture.sql, tenant.workspace_id, { q: 'frequent' }, 20, after);
    expect(behind.items.map(({ id }) => id)).toEqual(ids.slice(20));
  });
});

it('what is looked up of any part of a text, the text has', async () => {
  const random = seededRandom(64);
  const below = (limit: number) => Math.floor(random() * limit);
  const letters = [...'aBé ह ु\nम 🙏\u200d.1 '];
  const cases = Array.from({ length: 400 }, () => {
    const text = Array.from({ length: 4 + below(30) }, () => letters[below(letters.length)]);
    const from = below(text.length - 1);
    const q = text.slice(from, from + 2 + below(12)).join('');
    const { pairs, letters: inARow } = searchKeys(q);
    return { text: text.join(''), q, keys: [...pairs, ...inARow] };
  });
  const lost = await fixture.sql`
    select text, q from jsonb_to_recordset(${fixture.sql.json(cases)}) as c (text text, q text, keys jsonb)
    where not coalesce(call_search_keys(lower(text)), '{}') @> array(
      select hashtext(lower(key)) from jsonb_array_elements_text(keys) as key
    )`;
  expect(lost).toEqual([]);
  expect(cases.filter(({ keys }) => keys.length > 0).length).toBeGreaterThan(200);
});
