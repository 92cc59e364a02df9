import { beforeAll, describe, expect, it } from 'vitest';
import { nameOfCopy } from '../../../control/agents/save-agent.ts';
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
const save = async (id: string, config: object, headers = {}) => acme.send('PUT', `/agents/${id}`, config, headers);
const numbers = (rows: { version: number }[]) => rows.map(({ version }) => version);

const tool = (headers: Record<string, string>) => ({
  name: 'look_up',
  description: 'Looks something up',
  url: 'https://example.com/look',
  headers,
});

describe('versions', () => {
  it('are listed newest first, with what changed', async () => {
    const agent = await newAgent();
    await save(agent.id, { name: 'Asha', llm: { temperature: 1 }, call: { record: false } });
    const { status, body } = await acme.send('GET', `/agents/${agent.id}/versions`);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        version: 2,
        current: true,
        restored_from: null,
        changes: ['llm.temperature', 'call.record'],
        saved_at: expect.stringMatching(/\+05:30$/),
        saved_by: 'first key',
      },
      { ...body[1], version: 1, current: false, restored_from: null, changes: [] },
    ]);
  });

  it('are ten at most, the current one included', async () => {
    const agent = await newAgent();
    for (let n = 2; n <= 12; n++) await save(agent.id, { name: `Asha ${n}` });
    const { body } = await acme.send('GET', `/agents/${agent.id}/versions`);
    expect(numbers(body)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect((await acme.send('GET', `/agents/${agent.id}/versions/2`)).body).toEqual({ detail: 'version not found' });
    expect((await acme.send('GET', `/agents/${agent.id}/versions/3`)).body.agent.name).toBe('Asha 3');
  });

  it('show the configuration as it was, secrets only to who may edit', async () => {
    const agent = await newAgent({ tools: [tool({ Authorization: 'Bearer 1' })] });
    await save(agent.id, { name: 'Later' });
    const path = `/agents/${agent.id}/versions/1`;
    const { body } = await acme.send('GET', path);
    expect(body).toMatchObject({ version: 1, current: false, agent: { name: 'Asha', status: 'active' } });
    expect(body.agent.tools[0].headers).toEqual({ Authorization: 'Bearer 1' });
    expect(body.agent).not.toHaveProperty('id');
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('GET', path)).body.agent.tools[0].headers).toEqual({ Authorization: '***' });
  });

  it('are not found under another workspace, another agent or a name that is no number', async () => {
    const agent = await newAgent();
    for (const path of [`/agents/${agent.id}/versions`, `/agents/${agent.id}/versions/1`]) {
      const answer = await other.send('GET', path);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'agent not found' }]);
    }
    const stolen = await other.send('POST', `/agents/${agent.id}/versions/1/restore`);
    expect([stolen.status, stolen.body]).toEqual([404, { detail: 'agent not found' }]);
    for (const version of ['0', '-1', '2', 'x', '1.0', '99999999999999999999']) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/restore'],
      ] as const) {
        const answer = await acme.send(method, `/agents/${agent.id}/versions/${version}${path}`);
        expect([answer.status, answer.body]).toEqual([404, { detail: 'version not found' }]);
      }
    }
    expect((await acme.send('GET', `/agents/${agent.id}`)).body.version).toBe(1);
  });
});

describe('restoring', () => {
  const restore = (id: string, version: number, headers = {}) =>
    acme.send('POST', `/agents/${id}/versions/${version}/restore`, undefined, headers);

  it('saves the old configuration as a new version', async () => {
    const agent = await newAgent({ system_prompt: 'Be brief.', tools: [tool({ Authorization: 'Bearer 1' })] });
    await save(agent.id, { name: 'Later' });
    const { status, body } = await restore(agent.id, 1);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Asha', system_prompt: 'Be brief.', version: 3, updated_by: 'first key' });
    expect(body.tools[0].headers).toEqual({ Authorization: 'Bearer 1' });
    const versions = (await acme.send('GET', `/agents/${agent.id}/versions`)).body;
    expect(versions[0]).toMatchObject({
      version: 3,
      current: true,
      restored_from: 1,
      changes: ['name', 'system_prompt', 'tools'],
    });
    expect((await acme.send('GET', `/agents/${agent.id}/versions/3`)).body.agent).toEqual(
      (await acme.send('GET', `/agents/${agent.id}/versions/1`)).body.agent,
    );
  });

  it('also counts when nothing differs', async () => {
    const agent = await newAgent();
    const { body } = await restore(agent.id, 1);
    expect(body.version).toBe(2);
    const [newest] = (await acme.send('GET', `/agents/${agent.id}/versions`)).body;
    expect(newest).toMatchObject({ version: 2, restored_from: 1, changes: [] });
  });

  it('neither starts nor stops an agent, and never unfreezes one', async () => {
    const agent = await newAgent();
    await save(agent.id, { name: 'Paused', status: 'paused' });
    expect((await restore(agent.id, 1)).body).toMatchObject({ name: 'Asha', status: 'paused' });
    await api.sql`update agents set status = 'frozen', frozen_from = 'paused' where id = ${agent.id}`;
    expect((await restore(agent.id, 2)).body).toMatchObject({ name: 'Paused', status: 'frozen' });
  });

  it('refuses when the agent was changed meanwhile', async () => {
    const agent = await newAgent();
    await save(agent.id, { name: 'Later' });
    const late = await restore(agent.id, 1, { 'if-match': '1' });
    expect([late.status, late.body]).toEqual([409, { detail: 'the agent was changed to version 2' }]);
    expect((await restore(agent.id, 1, { 'if-match': '"2"' })).body.version).toBe(3);
  });

  it('leaves out a knowledge base and an ambient sound that are gone', async () => {
    const base = (await acme.send('POST', '/knowledge-bases', { name: 'Menu' })).body;
    const kept = (await acme.send('POST', '/knowledge-bases', { name: 'Prices' })).body;
    const agent = await newAgent({ knowledge_base_ids: [base.id, kept.id] });
    await api.sql`
      update agent_versions set config = jsonb_set(config, '{call,ambient_sound}', ${`"upload:${'a'.repeat(32)}"`}::text::jsonb)
      where agent_id = ${agent.id}
    `;
    await save(agent.id, { name: 'Asha' });
    expect((await acme.send('DELETE', `/knowledge-bases/${base.id}`)).status).toBe(204);
    const { status, body } = await restore(agent.id, 1);
    expect([status, body.knowledge_base_ids, body.call.ambient_sound]).toEqual([200, [kept.id], '']);
  });

  it('fills in fields that did not exist yet, and obeys the present rules', async () => {
    const agent = await newAgent();
    const keep = (patch: object) =>
      api.sql`update agent_versions set config = (config - 'analytics') || ${api.sql.json(patch as never)}
        where agent_id = ${agent.id} and version = 1`;
    await keep({ name: 'Old' });
    await save(agent.id, { name: 'Later' });
    expect((await acme.send('GET', `/agents/${agent.id}/versions/1`)).body.agent.analytics.summarize).toBe(false);
    expect((await restore(agent.id, 1)).body).toMatchObject({ name: 'Old', analytics: { summarize: false } });
    await keep({ tools: [{ ...tool({}), name: 'end_call' }] });
    const refused = await restore(agent.id, 1);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'version 1 cannot be restored: the tool end_call is built in',
    ]);
  });
});

describe('many saves at once', () => {
  it('give as many versions, in order', async () => {
    const agent = await newAgent();
    const names = Array.from({ length: 50 }, (_, n) => `Asha ${n}`);
    const answers = await Promise.all(names.map((name) => save(agent.id, { name })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    // Every save has a number of its own, and what it answered is what it saved.
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(names.map((_, n) => n + 2));
    expect(answers.map(({ body }) => body.name)).toEqual(names);
    const now = (await acme.send('GET', `/agents/${agent.id}`)).body;
    expect(now.version).toBe(51);
    expect(now.name).toBe(answers.find(({ body }) => body.version === 51)?.body.name);
    const versions = (await acme.send('GET', `/agents/${agent.id}/versions`)).body;
    expect(numbers(versions)).toEqual([51, 50, 49, 48, 47, 46, 45, 44, 43, 42]);
    const { body } = await acme.send('GET', `/agents/${agent.id}/versions/45`);
    expect(body.agent.name).toBe(answers.find((answer) => answer.body.version === 45)?.body.name);
    const audits = await api.sql`
      select changes from audit_events where workspace_id = ${acme.workspace_id} and target_id = ${agent.id}
        and action = 'agent.updated'
    `;
    expect(audits).toHaveLength(50);
  });

  it('with If-Match let one through and answer 409 to the others', async () => {
    const agent = await newAgent();
    const names = Array.from({ length: 50 }, (_, n) => `Asha ${n}`);
    const answers = await Promise.all(names.map((name) => save(agent.id, { name }, { 'if-match': '1' })));
    const saved = answers.filter(({ status }) => status === 200);
    expect(saved).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body]).toEqual([409, { detail: 'the agent was changed to version 2' }]);
    }
    expect((await acme.send('GET', `/agents/${agent.id}`)).body).toMatchObject({
      version: 2,
      name: saved[0]?.body.name,
    });
  });
});

describe('duplicating', () => {
  const duplicate = (id: string, by = acme) => by.send('POST', `/agents/${id}/duplicate`);

  it('makes another agent with the same configuration', async () => {
    const agent = await newAgent({ system_prompt: 'Be brief.', tools: [tool({ Authorization: 'Bearer 1' })] });
    await save(agent.id, { ...agent, llm: { temperature: 1 } });
    await api.sql`
      insert into numbers (number, workspace_id, agent_id, provider, connected_at, created_at)
      values ('+919999900001', ${acme.workspace_id}, ${agent.id}, 'twilio', now(), now())
    `;
    const { status, body } = await duplicate(agent.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Asha (copy)',
      version: 1,
      status: 'active',
      phone_number: '',
      system_prompt: 'Be brief.',
      llm: { temperature: 1 },
      tools: [{ headers: { Authorization: 'Bearer 1' } }],
    });
    expect(body.id).not.toBe(agent.id);
    expect(numbers((await acme.send('GET', `/agents/${body.id}/versions`)).body)).toEqual([1]);
    const [audit] = await api.sql`select action, target_name, data from audit_events where target_id = ${body.id}`;
    expect(audit).toEqual({ action: 'agent.created', target_name: 'Asha (copy)', data: { duplicate_of: agent.id } });
  });

  it('gives a second copy the same name: names need not differ', async () => {
    const agent = await newAgent();
    expect((await duplicate(agent.id)).body.name).toBe('Asha (copy)');
    expect((await duplicate(agent.id)).body.name).toBe('Asha (copy)');
  });

  it('does not thaw a frozen one', async () => {
    const agent = await newAgent();
    await api.sql`update agents set status = 'frozen', frozen_from = 'active', frozen_reason = 'Rude' where id = ${agent.id}`;
    expect((await duplicate(agent.id)).body).toMatchObject({ status: 'paused', frozen_reason: '', frozen_from: '' });
  });

  it('finds no agent of another workspace, and needs the permission', async () => {
    const agent = await newAgent();
    expect((await duplicate(agent.id, other)).body).toEqual({ detail: 'agent not found' });
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await duplicate(agent.id, viewer)).status).toBe(403);
  });

  it('stops at 200 agents', async () => {
    const crowded = await api.newWorkspace('Crowded');
    const first = (await crowded.send('POST', '/agents', { name: 'One' })).body;
    await api.sql`
      insert into agents
      select (jsonb_populate_record(agents, jsonb_build_object('id', lpad(to_hex(n), 32, '0')))).*
      from agents, generate_series(1, 198) n where id = ${first.id}
    `;
    const answers = await Promise.all([1, 2, 3].map(() => duplicate(first.id, crowded)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await crowded.send('GET', '/agents')).body).toHaveLength(200);
  });

  it('cuts a long name, never in the middle of a character', () => {
    expect(nameOfCopy('a'.repeat(120))).toBe(`${'a'.repeat(113)} (copy)`);
    const cut = nameOfCopy(`${'a'.repeat(112)}😀😀`);
    expect([cut.length <= 120, cut.isWellFormed(), cut.endsWith(' (copy)')]).toEqual([true, true, true]);
  });
});
