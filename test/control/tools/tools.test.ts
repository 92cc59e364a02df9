import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

const SLOTS = {
  name: 'find_slots',
  description: 'Finds free appointments',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  url: 'https://shop.example.com/slots',
  headers: { Authorization: 'Bearer secret' },
};
let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  acme = await api.newWorkspace('Acme');
});

const save = async (more: object = {}, by = acme) => (await by.send('POST', '/tools', { ...SLOTS, ...more })).body;
const list = async (by = acme) => (await by.send('GET', '/tools')).body;
const refusal = (msg: string, loc: (string | number)[]) => ({ status: 422, body: { detail: [{ loc, msg }] } });

describe('the tool library', () => {
  it('saves a tool with the defaults of tools[] and lists the newest first', async () => {
    const { status, body } = await acme.send('POST', '/tools', SLOTS);
    expect([status, body]).toEqual([
      201,
      {
        ...SLOTS,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        ...{ kind: 'http', method: 'POST', pre_call_message: '', timeout_seconds: 8, used_by_agents: 0 },
        results: { path: '', variables: {}, message: '' },
        ...{ created_by: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) },
      },
    ]);
    const second = await save({ name: 'second' });
    expect(await list()).toEqual([second, body]);
  });

  it('holds a name once in a workspace', async () => {
    await save();
    const taken = { status: 409, body: { detail: 'a tool named find_slots already exists' } };
    expect(await acme.send('POST', '/tools', SLOTS)).toMatchObject(taken);
    const other = await save({ name: 'other' });
    expect(await acme.send('PUT', `/tools/${other.id}`, SLOTS)).toMatchObject(taken);
    const both = await Promise.all([1, 2].map(() => acme.send('POST', '/tools', { ...SLOTS, name: 'raced' })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('holds 100 tools', async () => {
    await save();
    await api.sql`
      insert into tools select t.workspace_id, md5(n::text), 'tool_' || n, description, parameters, method, url, headers,
        pre_call_message, timeout_seconds, created_by, created_at, updated_at
      from tools t, generate_series(1, 99) n where workspace_id = ${acme.workspace_id}`;
    const full = await acme.send('POST', '/tools', { ...SLOTS, name: 'one_more' });
    expect(full).toMatchObject({ status: 409, body: { detail: 'tool limit reached (100)' } });
  });

  it('refuses the name of the built-in tool', async () => {
    const refused = await acme.send('POST', '/tools', { ...SLOTS, name: 'end_call' });
    expect(refused).toMatchObject(refusal('the tool end_call is built in', ['body', 'name']));
  });

  it('counts the agents that have a tool of this name and url, which a change of the entry leaves alone', async () => {
    const { id } = await save();
    const agent = (await acme.send('POST', '/agents', { name: 'Asha', tools: [SLOTS] })).body;
    await acme.send('POST', '/agents', { name: 'Ravi', tools: [{ ...SLOTS, url: 'https://other.example.com' }] });
    await acme.send('POST', '/agents', { name: 'Mira' });
    expect((await list())[0].used_by_agents).toBe(1);
    const moved = await acme.send('PUT', `/tools/${id}`, { ...SLOTS, url: 'https://new.example.com/' });
    expect(moved).toMatchObject({ status: 200, body: { url: 'https://new.example.com/', used_by_agents: 0 } });
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.tools[0].url).toBe(SLOTS.url);
    expect((await acme.send('DELETE', `/tools/${id}`)).status).toBe(204);
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.tools).toHaveLength(1);
  });

  it('shows header values to those who may edit agents, and keeps a value sent back as ***', async () => {
    const { id } = await save();
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await list(viewer))[0].headers).toEqual({ Authorization: '***' });
    await acme.send('PUT', `/tools/${id}`, { ...SLOTS, headers: { Authorization: '***', 'X-New': '1' } });
    expect((await list())[0].headers).toEqual({ Authorization: 'Bearer secret', 'X-New': '1' });
    const unknown = refusal('no value is saved for the header X-Other', ['body', 'headers', 'X-Other']);
    const masked = { ...SLOTS, headers: { 'X-Other': '***' } };
    expect(await acme.send('PUT', `/tools/${id}`, masked)).toMatchObject(unknown);
    expect(await acme.send('POST', '/tools', { ...masked, name: 'b' })).toMatchObject(unknown);
  });

  it('is changed only by those who may edit agents, and seen by no other workspace', async () => {
    const { id } = await save();
    const viewer = await api.asUser('viewer', acme.workspace_id);
    const changes = [
      ...[['POST', '/tools', SLOTS] as const, ['PUT', `/tools/${id}`, SLOTS] as const],
      ...[['DELETE', `/tools/${id}`] as const, ['POST', '/tools/test', { tool_id: id }] as const],
    ];
    for (const [method, url, body] of changes) expect((await viewer.send(method, url, body)).status).toBe(403);
    const globex = await api.newWorkspace('Globex');
    expect(await list(globex)).toEqual([]);
    for (const [method, url, body] of changes.slice(1)) {
      const missing = { status: 404, body: { detail: 'tool not found' } };
      expect(await globex.send(method, url, body)).toMatchObject(missing);
    }
    expect((await save({}, globex)).name).toBe('find_slots');
    expect(await list()).toHaveLength(1);
  });

  it('writes every change to the audit trail, without secrets', async () => {
    const { id } = await save();
    const sent = {
      ...SLOTS,
      timeout_seconds: 3,
      headers: { Authorization: 'Bearer other' },
      url: 'https://x.test/?k=1',
    };
    await acme.send('PUT', `/tools/${id}`, sent);
    await acme.send('DELETE', `/tools/${id}`);
    const events = await api.sql`
      select action, target_kind, target_id, target_name, changes from audit_events
      where workspace_id = ${acme.workspace_id} and target_kind = 'tool' order by id`;
    expect(events.map(({ action }) => action).sort()).toEqual(['tool.created', 'tool.deleted', 'tool.updated']);
    expect(events.every(({ target_id, target_name }) => target_id === id && target_name === 'find_slots')).toBe(true);
    const { changes } = events.find(({ action }) => action === 'tool.updated')!;
    expect(changes).toMatchObject({
      timeout_seconds: [8, 3],
      headers: ['changed', 'changed'],
      url: ['changed', 'changed'],
    });
  });
});

describe('the address of a tool', () => {
  it.each(['http://10.0.0.1/', 'https://169.254.169.254/latest', 'http://localhost/', 'https://a:b@shop.example.com/'])(
    '%s is refused when it is saved',
    async (url) => {
      const { id } = await save();
      const at = (...loc: (string | number)[]) => ({ status: 422, body: { detail: [{ loc: ['body', ...loc] }] } });
      expect(await acme.send('POST', '/tools', { ...SLOTS, name: 'b', url })).toMatchObject(at('url'));
      expect(await acme.send('PUT', `/tools/${id}`, { ...SLOTS, url })).toMatchObject(at('url'));
      const agent = { name: 'Asha', tools: [SLOTS, { ...SLOTS, name: 'b', url }] };
      expect(await acme.send('POST', '/agents', agent)).toMatchObject(at('tools', 1, 'url'));
    },
  );
});
