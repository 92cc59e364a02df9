import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { newId } from '../../../../shared/ids.ts';
import { type CallApi, createCallApi } from '../call-api-fixture.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let api: CallApi;

beforeAll(async () => {
  fixture = await createCallFixture();
  api = await createCallApi(fixture);
});
afterAll(() => api.http.close());

let made = 0;

/** A call with these columns, created a minute after the previous one. */
async function call(who: Tenant, columns: Partial<Record<keyof CallRow, unknown>> = {}): Promise<string> {
  const created_at = new Date(Date.UTC(2026, 0, 5, 6, 30) + made++ * 60_000);
  const row = {
    workspace_id: who.workspace_id,
    id: newId(),
    agent_id: who.agent_id,
    agent_name: 'Asha',
    agent_version: 1,
    direction: 'outbound',
    channel: 'phone',
    status: 'completed',
    from_number: who.number,
    to_number: '+919811112222',
    started_by: 'Key one',
    provider: 'twilio',
    created_at,
    queued_at: created_at,
    started_at: created_at,
    completed_at: created_at,
    currency: 'INR',
    finished: columns.status !== 'in-progress',
    ...columns,
  };
  await fixture.sql`insert into calls ${fixture.sql(row as never)}`;
  return row.id as string;
}

const said = (text: string) => [{ role: 'user', text, at: 1_767_600_000_000, interrupted: false }];

describe('the filters of the list', () => {
  it('select calls, each alone and combined', async () => {
    const who = await fixture.tenant();
    const agent_id = await fixture.agent(who.workspace_id);
    const batch_id = newId();
    const calls = {
      plain: await call(who),
      agent: await call(who, { agent_id }),
      batch: await call(who, { batch_id }),
      failed: await call(who, { status: 'failed', completed_at: null }),
      busy: await call(who, { status: 'busy', started_at: null, completed_at: null }),
      inbound: await call(who, { direction: 'inbound', from_number: '+14155550123', to_number: who.number }),
      web: await call(who, { channel: 'web', from_number: '', to_number: '', provider: '' }),
      machine: await call(who, { answered_by: 'machine' }),
      human: await call(who, { answered_by: 'human' }),
      long: await call(who, { duration_seconds: 61 }),
      summed: await call(who, { summary: 'Booked a table for 100% of the guests' }),
      spoken: await call(who, { transcript: said('नमस्ते, I said "no"\nto_day') }),
      live: await call(who, { status: 'in-progress', completed_at: null, transcript: said('Still talking') }),
    };
    const names = new Map(Object.entries(calls).map(([name, id]) => [id, name]));
    const found = async (query: string) => {
      const { status, body } = await api.get(who, `/calls?${query}`);
      expect(status, query).toBe(200);
      const items: { id: string }[] = body.items;
      expect(body.total, query).toBe(items.length);
      return items.map(({ id }) => names.get(id)).join(' ');
    };
    const all = [...names.values()].reverse().join(' ');
    const without = (...absent: string[]) =>
      all
        .split(' ')
        .filter((name) => !absent.includes(name))
        .join(' ');
    const q = (words: string) => `q=${encodeURIComponent(words)}`;
    const table: [string, string][] = [
      ['', all],
      [`agent_id=${agent_id}`, 'agent'],
      [`batch_id=${batch_id}`, 'batch'],
      [`batch_id=${newId()}`, ''],
      ['status=failed', 'failed'],
      ['status=busy,%20in-progress,failed', 'live busy failed'],
      ['direction=inbound', 'inbound'],
      ['direction=outbound', without('inbound')],
      ['channel=web', 'web'],
      ['channel=phone', without('web')],
      ['number=0123', 'inbound'],
      ['number=%2B14155550123', 'inbound'],
      ['number=+14155550123', 'inbound'],
      ['number=1415555', ''],
      [`number=${encodeURIComponent(who.number)}`, without('web')],
      ['answered_by=machine', 'machine'],
      ['answered_by=human', 'human'],
      ['min_duration=61', 'long'],
      ['min_duration=62', ''],
      ['min_duration=0&status=completed&answered_by=machine', 'machine'],
      [q('TABLE for'), 'summed'],
      [q('100%'), 'summed'],
      [q('1_0'), ''],
      [q('नमस्ते'), 'spoken'],
      [q('"no"\nto_'), 'spoken'],
      [q('a\\b'), ''],
      [q('still talk'), 'live'],
      [`${q('table')}&answered_by=human`, ''],
      [`${q('ta')}&status=completed`, 'summed'],
      ['since=2999-01-01', ''],
      ['until=2026-01-01', ''],
    ];
    for (const [query, expected] of table) expect(await found(query), query).toBe(expected);

    const at = async (id: string) => encodeURIComponent((await fixture.read(id)).created_at.toISOString());
    const since = await at(calls.spoken);
    expect(await found(`since=${since}`)).toBe('live spoken');
    expect(await found(`until=${since}&since=${await at(calls.summed)}`)).toBe('summed');
  });

  it('pages through calls with a frequent word', async () => {
    const who = await fixture.tenant();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.unshift(await call(who, { summary: index === 2 ? '' : 'the same again' }));
    ids.splice(2, 1);
    const page = async (query: string) => {
      const { body } = await api.get(who, `/calls?q=again&${query}`);
      return [body.items.map(({ id }: { id: string }) => id), body.total];
    };
    expect(await page('limit=2')).toEqual([ids.slice(0, 2), 4]);
    expect(await page('limit=2&skip=2')).toEqual([ids.slice(2), 4]);
    expect(await page('limit=2&skip=3')).toEqual([ids.slice(3), 4]);
    expect(await page('limit=2&skip=1900')).toEqual([[], 4]);
    expect(await page(`limit=2&after=${ids[1]}`)).toEqual([ids.slice(2), 4]);
  });

  it('goes on behind a call, whatever is created meanwhile', async () => {
    const who = await fixture.tenant();
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) ids.unshift(await call(who));
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await api.get(who, `/calls?limit=2${after}`);
      if (body.items.length === 0) break;
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      after = `&after=${seen.at(-1)}`;
      await call(who);
    }
    expect(seen).toEqual(ids);
  });

  it("refuses to go on behind another workspace's call", async () => {
    const other = await call(await fixture.tenant());
    const { status, body } = await api.get(await fixture.tenant(), `/calls?after=${other}`);
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['query', 'after']);
  });

  it('counts the calls of a rare duration, and estimates those of a frequent number', async () => {
    const who = await fixture.tenant();
    const long = await call(who, { duration_seconds: 900, status: 'busy', started_at: null, completed_at: null });
    await fixture.sql`
      insert into finished_calls
      select copied.* from finished_calls as call cross join generate_series(1, 12000) as n
      cross join lateral jsonb_populate_record(call, jsonb_build_object(
        'id', md5(n::text || call.id), 'duration_seconds', 1, 'created_at', call.created_at + n * interval '1 ms'
      )) as copied
      where call.id = ${long}`;
    const { body: rare } = await api.get(who, '/calls?min_duration=900');
    expect([rare.total, rare.total_is_estimate, rare.items[0].id]).toEqual([1, undefined, long]);
    const query = `/calls?number=${encodeURIComponent(who.number)}&limit=2`;
    const { body: frequent } = await api.get(who, query);
    expect(frequent).toMatchObject({ total: 12_000, total_is_estimate: true });
    const ids = frequent.items.map(({ id }: { id: string }) => id);
    const { body: later } = await api.get(who, `${query}&skip=1&after=${ids[0]}`);
    expect(later.total).toBe(12_000);
    const { body: all } = await api.get(who, `/calls?limit=4`);
    expect([...ids, ...later.items.map(({ id }: { id: string }) => id)]).toEqual(
      [0, 1, 2, 3].map((nth) => all.items[nth].id),
    );
  });

  it.each([
    'status=lost',
    'status=completed,lost',
    'number=123',
    'number=abcd',
    'agent_id=me',
    'batch_id=1',
    'direction=up',
    'channel=sms',
    'answered_by=dog',
    'since=yesterday',
    'min_duration=-1',
    'min_duration=long',
    'q=a',
    `q=${'x'.repeat(101)}`,
    'limit=0',
  ])('refuse invalid values: %s', async (query) => {
    const who = await fixture.tenant();
    expect((await api.get(who, `/calls?${query}`)).status).toBe(422);
    if (query.startsWith('limit')) return;
    expect((await api.get(who, `/calls/export?${query}`)).status).toBe(422);
  });

  it('return rows without the large fields, with the position in the queue', async () => {
    const who = await fixture.tenant();
    await call(who, { transcript: said('Hello'), extracted: { a: 1 } });
    const queued = await fixture.queue(who);
    const { body } = await api.get(who, '/calls');
    expect(body.items.map(({ queue_position }: { queue_position: unknown }) => queue_position)).toEqual([1, null]);
    for (const heavy of ['transcript', 'extracted', 'usage', 'cost_breakdown', 'recording_unknown', 'media_nonce']) {
      expect(body.items[1]).not.toHaveProperty(heavy);
    }
    const { body: whole } = await api.get(who, `/calls/${queued.id}`);
    expect(whole).toMatchObject({ queue_position: 1, transcript: [], extracted: {} });
  });
});

describe('the export', () => {
  const rowsOf = (text: string) => parse(text, { columns: true }) as Record<string, string>[];

  it('has the columns of the list, and one for each key that was extracted', async () => {
    const who = await fixture.tenant();
    const columns = {
      duration_seconds: 61,
      hangup_by: 'caller',
      hangup_reason: 'caller hung up',
      answered_by: 'human',
    };
    const first = await call(who, { ...columns, cost_paise: 1_205, summary: 'Booked.', extracted: { slot: '7 pm' } });
    await call(who, { extracted: { guests: 4, slot: null, more: { a: [1] } }, started_at: null });
    const { status, headers, body } = await api.get(who, '/calls/export?timezone=UTC');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="calls-\d{4}-\d\d-\d\d\.csv"/);
    expect(body.split('\r\n')[0]).toBe(
      'id,created_at,agent,direction,channel,from,to,status,duration_seconds,hangup_by,hangup_reason,answered_by,cost,' +
        'currency,summary,extracted.guests,extracted.more,extracted.slot',
    );
    const [young, old] = rowsOf(body);
    expect(old).toMatchObject({
      ...{ id: first, agent: 'Asha', direction: 'outbound', channel: 'phone', from: who.number, to: '+919811112222' },
      ...{ status: 'completed', duration_seconds: '61', hangup_by: 'caller', hangup_reason: 'caller hung up' },
      ...{ answered_by: 'human', cost: '12.05', currency: 'INR', summary: 'Booked.' },
      ...{ 'extracted.guests': '', 'extracted.more': '', 'extracted.slot': '7 pm' },
    });
    expect(old!.created_at).toMatch(/^2026-01-05T\d\d:\d\d:00\+00:00$/);
    expect(young).toMatchObject({ 'extracted.guests': '4', 'extracted.more': '{"a":[1]}', 'extracted.slot': '' });
    expect((await api.get(who, '/calls/export')).body).toContain('+05:30');
  });

  it('keeps unusual texts, and contains no formula', async () => {
    const who = await fixture.tenant();
    const texts = [
      'comma, "quote" and\nnew line\r\n',
      'नमस्ते 🙏 ‮rtl',
      '=HYPERLINK("http://x")',
      '+1+cmd|calc',
      '-2+3',
      '@SUM(A1)',
      '\t=1',
      '＝1+1',
      '-5',
      '+919811112222',
      "'quoted already",
      '',
    ];
    for (const text of texts) await call(who, { summary: text, extracted: { '=key,"x"\n': text } });
    const { body } = await api.get(who, '/calls/export');
    const rows = rowsOf(body).reverse();
    const guarded = texts.map((text) => (/^[=@\t＝]|^\+1\+|^-2/.test(text) ? `'${text}` : text));
    expect(rows.map(({ summary }) => summary)).toEqual(guarded);
    expect(rows.map((row) => row['extracted.=key,"x"\n'])).toEqual(guarded);
  });

  it('applies the filters of the list, within the workspace', async () => {
    const who = await fixture.tenant();
    const other = await fixture.tenant();
    const hit = await call(who, { answered_by: 'machine', summary: 'left a message' });
    await call(who, { extracted: { unseen: 1 } });
    await call(other, { answered_by: 'machine' });
    const { body } = await api.get(who, '/calls/export?answered_by=machine&q=a%20message');
    expect(rowsOf(body).map(({ id }) => id)).toEqual([hit]);
    expect(body).not.toContain('unseen');
    expect(rowsOf((await api.get(who, '/calls/export?status=queued')).body)).toEqual([]);
  });

  it('has no gaps or duplicates over its pages, also among calls of one moment', async () => {
    const who = await fixture.tenant();
    await fixture.sql`
      insert into calls (workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number,
        to_number, started_by, provider, created_at, queued_at, currency)
      select ${who.workspace_id}, lpad(to_hex(n), 32, '0'), ${who.agent_id}, 'Asha', 1, 'outbound', 'phone', 'busy',
        '+911', '+912', 'x', 'twilio', '2026-01-05T00:00:00.123456Z'::timestamptz + (n / 400) * interval '1 ms', now(), 'INR'
      from generate_series(1, 1300) as n`;
    const ids = rowsOf((await api.get(who, '/calls/export')).body).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 1_300 }, (_, index) => (1_300 - index).toString(16).padStart(32, '0')));
  });

  it('has the most frequent keys of all calls, however many there are', async () => {
    const who = await fixture.tenant();
    await fixture.sql`
      insert into calls (workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number,
        to_number, started_by, provider, created_at, queued_at, currency, extracted)
      select ${who.workspace_id}, lpad(to_hex(n + 9000), 32, '0'), ${who.agent_id}, 'Asha', 1, 'outbound', 'phone', 'busy',
        '+911', '+912', 'x', 'twilio', '2026-01-05T00:00:00Z'::timestamptz + n * interval '1 s', now(), 'INR',
        case when n in (1, 2100) then '{"first and last": 1}' when n between 100 and 300 then jsonb_build_object('once ' || n, 1)
          else '{}' end
      from generate_series(1, 2100) as n`;
    const rows = rowsOf((await api.get(who, '/calls/export')).body);
    const keys = Object.keys(rows[0]!).filter((name) => name.startsWith('extracted.'));
    expect(keys).toHaveLength(200);
    expect([rows[0], rows.at(-1)]).toMatchObject([
      { 'extracted.first and last': '1' },
      { 'extracted.first and last': '1' },
    ]);
  });
});

describe('the timeline', () => {
  it('writes the time of a callback in the requested zone, and changes nothing else', async () => {
    const who = await fixture.tenant();
    const id = await call(who);
    const event = (seq: number, type: string, data: object) => ({
      ...{ workspace_id: who.workspace_id, call_id: id, seq, id: `evt_${newId()}`, source: 'control', type },
      ...{ message: type, level: 'info', data: data as never, created_at: new Date(Date.UTC(2026, 0, 5)) },
    });
    const at = '2026-01-06T10:00:00.000+00:00';
    const rows = [event(1, 'call.rescheduled', { at, reason: 'busy' }), event(2, 'tool.call', { at })];
    for (const row of rows) await fixture.sql`insert into call_events ${fixture.sql(row)}`;
    const data = async (query: string) =>
      (await api.get(who, `/calls/${id}/events${query}`)).body.map((item: { data: unknown }) => item.data);
    expect(await data('')).toEqual([{ at: '2026-01-06T15:30:00+05:30', reason: 'busy' }, { at }]);
    expect(await data('?timezone=America/New_York')).toEqual([
      { at: '2026-01-06T05:00:00-05:00', reason: 'busy' },
      { at },
    ]);
  });
});
