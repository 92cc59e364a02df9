import { beforeAll, describe, expect, it } from 'vitest';
import { callsEndingIn } from '../../../control/calls/call-lookups.ts';
import { addNumber } from '../../../control/numbers/connect-number.ts';
import { REFERENCE_DATA } from '../../../control/workspaces/reference-data.ts';
import { newId } from '../../../shared/ids.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;
let agentId: string;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
  agentId = (await acme.send('POST', '/agents', { name: 'Asha 100%_sure' })).body.id;
  await acme.send('POST', '/knowledge-bases', { name: 'Menu', description: 'What Asha may offer' });
  const number = { workspace_id: acme.workspace_id, number: '+911234567890', provider: 'plivo', agent_id: agentId };
  await addNumber(api.sql, Date.now(), number as never);
});

const search = async (q: string, client = acme) =>
  client.send('GET', `/search?q=${encodeURIComponent(q)}`).then(({ body }) => body);

async function insertCalls(count: number, fields: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index));
    const id = newId(at.getTime());
    ids.push(id);
    const row = {
      workspace_id: acme.workspace_id,
      id,
      agent_id: agentId,
      agent_name: 'Asha',
      direction: 'outbound',
      channel: 'phone',
      status: 'completed',
      from_number: '+911234567890',
      to_number: '+919876500001',
      started_by: 'test',
      provider: 'plivo',
      currency: 'INR',
      created_at: at,
      queued_at: at,
      agent_version: 1,
      ...fields,
    };
    await api.sql`insert into calls ${api.sql(row as never)}`;
  }
  return ids;
}

describe('search', () => {
  it('finds in every group, newest first, at most 5', async () => {
    const ids = await insertCalls(7);
    const found = await search('asha');
    expect(found.agents).toEqual([
      { id: agentId, title: 'Asha 100%_sure', subtitle: 'active', at: expect.stringMatching(/\+05:30$/) },
    ]);
    expect(found.calls.map(({ id }: { id: string }) => id)).toEqual(ids.slice(-5).reverse());
    expect(found.calls[0]).toMatchObject({ title: '+919876500001', subtitle: 'Asha · completed' });
    expect(found.knowledge_bases[0]).toMatchObject({ title: 'Menu', subtitle: 'What Asha may offer' });
    expect(found.numbers[0]).toMatchObject({ id: '+911234567890', subtitle: 'Asha 100%_sure' });
    expect(found.batches).toEqual([]);
  });

  it('finds calls by id and by the last digits of either number', async () => {
    const [id] = await insertCalls(1, { to_number: '+14155550123', agent_id: newId() });
    expect((await search(id!.toUpperCase())).calls).toMatchObject([{ id }]);
    expect((await search('555 01-23')).calls).toMatchObject([{ id, title: '+14155550123' }]);
    expect((await search('567890')).numbers).toMatchObject([{ id: '+911234567890' }]);
    expect((await search('123')).calls).toEqual([]);
  });

  it('escapes wildcards', async () => {
    expect((await search('100%_')).agents).toHaveLength(1);
    expect((await search('%%')).agents).toEqual([]);
    expect((await search('__')).agents).toEqual([]);
    expect((await search('\\\\')).agents).toEqual([]);
    expect(await search('   ')).toMatchObject({ agents: [], calls: [], numbers: [] });
  });

  it('finds nothing of another workspace', async () => {
    for (const q of ['asha', 'menu', '7890', agentId]) {
      const found = await search(q, other);
      expect(Object.values(found).flat()).toEqual([]);
    }
  });

  it('requires 2 to 100 characters', async () => {
    for (const url of ['/search', '/search?q=a', `/search?q=${'a'.repeat(101)}`]) {
      expect((await acme.send('GET', url)).status).toBe(422);
    }
  });

  it('uses the index of numbers for many calls', async () => {
    const big = await api.newWorkspace();
    await api.sql`
      insert into calls (workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number,
        to_number, started_by, provider, currency, created_at, queued_at, finished)
      select ${big.workspace_id}, lpad(to_hex(n), 32, '0'), 'none', 'Nobody', 1, 'outbound', 'phone', 'completed',
        '+911234567890', '+9198' || lpad(n::text, 8, '0'), 'test', 'plivo', 'INR',
        timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01', true
      from generate_series(1, 20000) as n`;
    await api.sql`analyze calls`;
    const plan =
      await api.sql`explain (analyze, format text) ${callsEndingIn(api.sql, big.workspace_id, '00012345', 5)}`;
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('finished_calls_to_number');
    expect(text).not.toContain('Seq Scan on finished_calls_earlier');
    expect((await search('00012345', big)).calls).toMatchObject([{ title: '+919800012345' }]);
    // The workspace's own number, which is in all of them.
    expect((await search('567890', big)).calls).toHaveLength(5);
  });
});

describe('fixed lists', () => {
  it('are available before activation', async () => {
    const waiting = await api.signUp();
    const { status, body } = await waiting.send('GET', '/masters');
    expect(status).toBe(200);
    expect(body).toEqual(REFERENCE_DATA);
    for (const list of Object.values(REFERENCE_DATA)) {
      expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
      for (const { id, name } of list) expect(id !== '' && name !== '').toBe(true);
    }
    expect(REFERENCE_DATA.countries).toHaveLength(249);
    expect(REFERENCE_DATA.timezones.filter(({ id }) => !isTimeZone(id))).toEqual([]);
    expect(REFERENCE_DATA.timezones.map(({ id }) => id)).toEqual(expect.arrayContaining(['Asia/Kolkata', 'UTC']));
    expect(REFERENCE_DATA.roles.map(({ id }) => id)).toEqual(['owner', 'admin', 'developer', 'viewer']);
  });

  it('name every state and district of India', async () => {
    const waiting = await api.signUp();
    const { status, body } = await waiting.send('GET', '/locations/india');
    expect(status).toBe(200);
    const states: { code: string; name: string; gst_code: string; districts: string[] }[] = body.states;
    expect(Object.fromEntries(states.map(({ code, districts }) => [code, districts.length]))).toEqual({
      AN: 3,
      AP: 26,
      AR: 27,
      AS: 35,
      BR: 38,
      CH: 1,
      CG: 33,
      DH: 3,
      DL: 11,
      GA: 2,
      GJ: 33,
      HR: 22,
      HP: 12,
      JK: 20,
      JH: 24,
      KA: 31,
      KL: 14,
      LA: 2,
      LD: 1,
      MP: 55,
      MH: 36,
      MN: 16,
      ML: 12,
      MZ: 11,
      NL: 17,
      OD: 30,
      PY: 4,
      PB: 23,
      RJ: 41,
      SK: 6,
      TN: 38,
      TS: 33,
      TR: 8,
      UP: 75,
      UK: 13,
      WB: 23,
    });
    // 25 and 28 were those of Daman and Diu, and of Andhra Pradesh before 2014.
    const given = Array.from({ length: 38 }, (_, index) => String(index + 1).padStart(2, '0'));
    expect(states.map(({ gst_code }) => gst_code).sort()).toEqual(given.filter((code) => !['25', '28'].includes(code)));
    for (const { districts } of states) {
      expect(new Set(districts).size).toBe(districts.length);
      expect(districts).toEqual([...districts].sort((a, b) => a.localeCompare(b, 'en')));
      expect(districts.filter((name) => name !== name.trim() || name === '')).toEqual([]);
    }
    expect(states.find(({ name }) => name === 'Karnataka')).toMatchObject({ code: 'KA', gst_code: '29' });
  });
});
