import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
});

const newAgent = async (config: object = {}) => (await acme.send('POST', '/agents', { name: 'Asha', ...config })).body;

describe('creating an agent', () => {
  it('fills in every default', async () => {
    const { status, body } = await acme.send('POST', '/agents', {
      name: 'Asha',
      welcome_message: 'Hello {name}',
      system_prompt: 'You sell {product} to {name}.',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Asha',
      status: 'active',
      version: 1,
      updated_by: 'first key',
      phone_number: '',
      frozen_at: null,
      frozen_reason: '',
      avatar: null,
      variables: ['name', 'product'],
      llm: { provider: 'openai', model: 'gpt-4.1-mini', temperature: 0.4, max_tokens: 300 },
      voice: { provider: 'elevenlabs', language: 'hi', voice_id: 'EXAVITQu4vr4xnSDxMaL' },
      transcriber: { provider: 'deepgram_flux', model: 'flux-general-multi', endpointing_ms: 300 },
      call: { max_duration_seconds: 600, timezone: 'Asia/Kolkata', record: true },
    });
    expect(body.id).toMatch(/^[a-f0-9]{32}$/);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
  });

  it('ignores read-only and unknown fields', async () => {
    const agent = await newAgent({ id: 'x', version: 9, frozen_at: 'now', phone_number: '+1', nonsense: true });
    expect(agent.version).toBe(1);
    expect(agent.phone_number).toBe('');
    expect(agent).not.toHaveProperty('nonsense');
  });

  it('stores an avatar that is a number, a string or null', async () => {
    for (const avatar of [7, 'fox', null]) expect((await newAgent({ avatar })).avatar).toBe(avatar);
  });

  it('refuses a knowledge base, an ambient sound and an agent of another workspace, and handoffs to itself', async () => {
    const handoffs = (agent_id: string) => ({ name: 'A', call: { handoffs: [{ agent_id, name: 'B' }] } });
    const loc = ['body', 'call', 'handoffs', 0, 'agent_id'];
    const nobody = await acme.send('POST', '/agents', handoffs('f'.repeat(32)));
    expect(nobody.body.detail[0]).toMatchObject({ type: 'value_error', loc });
    const { body: other } = await acme.send('POST', '/agents', { name: 'B' });
    const { body: agent } = await acme.send('POST', '/agents', handoffs(other.id));
    expect(agent.call.handoffs).toMatchObject([{ agent_id: other.id, history_turns: null, first_message: '' }]);
    expect((await acme.send('DELETE', `/agents/${other.id}`)).status).toBe(204);
    const copy = await acme.send('POST', `/agents/${agent.id}/duplicate`);
    expect([copy.status, copy.body.call?.handoffs]).toEqual([201, []]);
    const itself = await acme.send('PUT', `/agents/${agent.id}`, handoffs(agent.id));
    expect(itself.body.detail[0]).toMatchObject({ msg: expect.stringContaining('itself'), loc });
    const base = await acme.send('POST', '/agents', { name: 'A', knowledge_base_ids: ['f'.repeat(32)] });
    expect(base.body.detail[0]).toMatchObject({ type: 'value_error', loc: ['body', 'knowledge_base_ids', 0] });
    const withAmbient = await acme.send('POST', '/agents', {
      name: 'A',
      call: { ambient_sound: `upload:${'f'.repeat(32)}` },
    });
    expect(withAmbient.body.detail[0]).toMatchObject({ type: 'value_error', loc: ['body', 'call', 'ambient_sound'] });
  });

  it('allows 200 agents, also when two are created at once', async () => {
    const crowded = await api.newWorkspace('Crowded');
    const first = (await crowded.send('POST', '/agents', { name: 'One' })).body;
    await api.sql`
      insert into agents
      select (jsonb_populate_record(agents, jsonb_build_object('id', lpad(to_hex(n), 32, '0')))).*
      from agents, generate_series(1, 198) n where id = ${first.id}
    `;
    const answers = await Promise.all([1, 2, 3].map((n) => crowded.send('POST', '/agents', { name: `Last ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'agent limit reached (200)' });
    expect((await crowded.send('GET', '/agents')).body).toHaveLength(200);
  });
});

describe('reading agents', () => {
  it('lists the newest first', async () => {
    const tenant = await api.newWorkspace();
    for (const name of ['first', 'second', 'third']) {
      await tenant.send('POST', '/agents', { name });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { body } = await tenant.send('GET', '/agents');
    expect(body.map((agent: { name: string }) => agent.name)).toEqual(['third', 'second', 'first']);
  });

  it('shows the number connected first', async () => {
    const agent = await newAgent();
    await api.sql`
      insert into numbers (number, workspace_id, agent_id, provider, connected_at, created_at)
      values ('+911111111111', ${acme.workspace_id}, ${agent.id}, 'twilio', now(), now()),
             ('+912222222222', ${acme.workspace_id}, ${agent.id}, 'plivo', now() - interval '1 day', now())
    `;
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.phone_number).toBe('+912222222222');
  });
});

describe('another workspace', () => {
  it('cannot find, change or delete the agent', async () => {
    const agent = await newAgent();
    const path = `/agents/${agent.id}`;
    for (const [method, body] of [['GET'], ['PUT', { name: 'Stolen' }], ['DELETE']] as const) {
      const answer = await other.send(method, path, body);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'agent not found' }]);
    }
    expect((await other.send('GET', '/agents')).body).toEqual([]);
    expect((await acme.send('GET', path)).body.name).toBe('Asha');
  });
});

describe('saving', () => {
  it('creates a version only when something changed', async () => {
    const agent = await newAgent({ call: { transfer_targets: [{ name: 'Desk', number: '+911234567890' }] } });
    const same = await acme.send('PUT', `/agents/${agent.id}`, agent);
    expect([same.status, same.body.version]).toEqual([200, 1]);
    const changed = await acme.send('PUT', `/agents/${agent.id}`, { ...agent, llm: { temperature: 1 } });
    expect([changed.body.version, changed.body.llm.temperature]).toEqual([2, 1]);
    const [version] = await api.sql`
      select version, changes, saved_by from agent_versions where agent_id = ${agent.id} order by version desc
    `;
    expect(version).toEqual({ version: 2, changes: ['llm.temperature'], saved_by: 'first key' });
  });

  it('sets missing fields to their defaults', async () => {
    const agent = await newAgent({ system_prompt: 'Be brief.', voice: { speed: 1.2 } });
    const { body } = await acme.send('PUT', `/agents/${agent.id}`, { name: 'Asha' });
    expect([body.system_prompt, body.voice.speed]).toEqual(['', 1]);
  });

  it('keeps ten versions, the current one included', async () => {
    const agent = await newAgent();
    for (let n = 0; n < 11; n++) await acme.send('PUT', `/agents/${agent.id}`, { name: `Asha ${n}` });
    const rows = await api.sql`select version from agent_versions where agent_id = ${agent.id} order by version`;
    expect(rows.map(({ version }) => version)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('answers 409 to a change made from another version', async () => {
    const agent = await newAgent();
    const put = (version: string) =>
      acme.send('PUT', `/agents/${agent.id}`, { name: version }, { 'if-match': version });
    expect((await put('"1"')).body.version).toBe(2);
    const late = await put('1');
    expect([late.status, late.body]).toEqual([409, { detail: 'the agent was changed to version 2' }]);
    expect((await put('soon')).body.detail[0]).toMatchObject({
      type: 'string_pattern_mismatch',
      loc: ['header', 'if-match'],
    });
  });

  it('loses none of two concurrent changes', async () => {
    const agent = await newAgent();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => acme.send('PUT', `/agents/${agent.id}`, { name })));
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.version).toBe(5);
  });

  it('sets the status active or paused, and no other', async () => {
    const agent = await newAgent();
    const put = (status: string) => acme.send('PUT', `/agents/${agent.id}`, { name: 'Asha', status });
    expect((await put('paused')).body).toMatchObject({ status: 'paused', version: 2 });
    expect((await put('active')).body).toMatchObject({ status: 'active', version: 3 });
    const frozen = await put('frozen');
    expect([frozen.status, frozen.body.detail[0].loc]).toEqual([422, ['body', 'status']]);
  });

  it('writes one audit event per change, without secrets and prompts', async () => {
    const tools = [{ name: 'a', description: 'does a', url: 'https://x.example', headers: { Key: 'xyzzy' } }];
    const agent = await newAgent({ tools, system_prompt: 'plugh', webhook_url: 'https://example.com/?who=me' });
    await acme.send('PUT', `/agents/${agent.id}`, { name: 'Later', llm: { temperature: 1 } });
    await acme.send('PUT', `/agents/${agent.id}`, { name: 'Later', llm: { temperature: 1 } });
    await acme.send('DELETE', `/agents/${agent.id}`);
    const rows = await api.sql`
      select action, actor_name, target_name, changes from audit_events where target_id = ${agent.id} order by action
    `;
    const common = { actor_name: 'first key' };
    const changed = ['changed', 'changed'];
    expect(rows).toEqual([
      { ...common, action: 'agent.created', target_name: 'Asha', changes: {} },
      { ...common, action: 'agent.deleted', target_name: 'Later', changes: {} },
      {
        ...common,
        action: 'agent.updated',
        target_name: 'Later',
        changes: {
          name: ['Asha', 'Later'],
          'llm.temperature': [0.4, 1],
          system_prompt: changed,
          tools: changed,
          webhook_url: changed,
        },
      },
    ]);
  });

  it('never unfreezes a frozen agent', async () => {
    const agent = await newAgent();
    await api.sql`update agents set status = 'frozen', frozen_from = 'active' where id = ${agent.id}`;
    const { body } = await acme.send('PUT', `/agents/${agent.id}`, { name: 'New name', status: 'active' });
    expect([body.name, body.status, body.version]).toEqual(['New name', 'frozen', 2]);
  });
});

describe('values of tool headers', () => {
  const tool = (value: string) => ({
    name: 'look_up',
    description: 'Looks something up',
    url: 'https://example.com/look',
    headers: { Authorization: value },
  });

  it('are restored when *** is sent back', async () => {
    const agent = await newAgent({ tools: [tool('Bearer 1')] });
    const { body } = await acme.send('PUT', `/agents/${agent.id}`, { name: 'Asha', tools: [tool('***')] });
    expect(body.tools[0].headers.Authorization).toBe('Bearer 1');
    expect(body.version).toBe(1);
  });

  it('are *** in every response without the permission to edit', async () => {
    const agent = await newAgent({ tools: [tool('Bearer 1')] });
    const viewer = await api.asUser('viewer', acme.workspace_id);
    const list = (await viewer.send('GET', '/agents')).body;
    const answers = [
      (await viewer.send('GET', `/agents/${agent.id}`)).body,
      list.find(({ id }: { id: string }) => id === agent.id),
    ];
    for (const { tools } of answers) expect(tools[0].headers).toEqual({ Authorization: '***' });
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.tools[0].headers.Authorization).toBe('Bearer 1');
  });

  it('cannot be *** without a saved value', async () => {
    const { status, body } = await acme.send('POST', '/agents', { name: 'A', tools: [tool('***')] });
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['body', 'tools', 0, 'headers', 'Authorization']);
  });
});

describe('removing', () => {
  it("fails the agent's queued calls", async () => {
    const tenant = await api.newWorkspace();
    const agent = (await tenant.send('POST', '/agents', { name: 'Asha' })).body;
    await api.sql`update workspaces set concurrency_limit = 1 where id = ${tenant.workspace_id}`;
    await api.sql`
      insert into numbers (number, workspace_id, agent_id, provider, connected_at, created_at)
      values ('+914444444444', ${tenant.workspace_id}, ${agent.id}, 'twilio', now(), now())
    `;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const placed = await tenant.send('POST', `/agents/${agent.id}/call`, {
      to_number: '+915555555555',
      not_before: later,
    });
    expect([placed.status, placed.body.status]).toEqual([201, 'queued']);
    expect((await tenant.send('DELETE', `/agents/${agent.id}`)).status).toBe(204);
    const { body } = await tenant.send('GET', `/calls/${placed.body.id}`);
    expect([body.status, body.hangup_reason, body.agent_name]).toEqual(['failed', 'agent deleted', 'Asha']);
  });

  it('disconnects the number and deletes the versions', async () => {
    const agent = await newAgent();
    await api.sql`
      insert into numbers (number, workspace_id, agent_id, provider, connected_at, created_at)
      values ('+913333333333', ${acme.workspace_id}, ${agent.id}, 'twilio', now(), now())
    `;
    const removed = await acme.send('DELETE', `/agents/${agent.id}`);
    expect([removed.status, removed.body]).toEqual([204, '']);
    expect((await acme.send('DELETE', `/agents/${agent.id}`)).status).toBe(404);
    const [number] = await api.sql`select workspace_id, agent_id from numbers where number = '+913333333333'`;
    expect(number).toEqual({ workspace_id: acme.workspace_id, agent_id: null });
    expect(await api.sql`select 1 from agent_versions where agent_id = ${agent.id}`).toHaveLength(0);
  });
});
