import { beforeAll, describe, expect, it } from 'vitest';
import { shareable } from '../../../control/agents/strip-for-share.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;

beforeAll(async () => {
  // A carrier that transfers calls.
  const carrier = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't', PUBLIC_API_URL: 'https://svc.example.com' };
  api = await startTestApi({}, { CONSOLE_ORIGINS: 'https://console.example.com', ...carrier });
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
});

const SECRET = {
  name: 'Asha',
  system_prompt: 'You sell shoes.',
  webhook_url: 'https://example.com/hook?who=me',
  status: 'paused',
  tools: [
    {
      name: 'look_up',
      description: 'Looks something up',
      url: 'https://example.com/look?api_key=plugh&page=1',
      headers: { Authorization: 'Bearer 1' },
    },
  ],
  call: {
    transfer_enabled: true,
    transfer_targets: [{ name: 'Desk', number: '+911234567890', description: 'always' }],
    ambient_sound: 'cafe',
  },
};

const SECRETS = ['Bearer 1', 'who=me', '+911234567890', 'xyzzy', 'plugh'];

/** Its tool has a password in its address, as earlier versions of the service accepted. */
async function newAgent(config: object = {}) {
  const { body } = await acme.send('POST', '/agents', { ...SECRET, ...config });
  await api.sql`
    update agents set tools = replace(tools::text, 'https://example.com/look', 'https://me:xyzzy@example.com/look')::jsonb
    where id = ${body.id}`;
  return body;
}
const share = (agent_id: string, body: object = {}, by = acme) =>
  by.send('POST', '/agent-shares', { agent_id, ...body });

it("the link opens the console's page", async () => {
  const { statusCode, headers } = await api.http.inject({ method: 'GET', url: `/shared-agents/${'a'.repeat(32)}` });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
});

describe('sharing', () => {
  it('gives a token for thirty days', async () => {
    const agent = await newAgent();
    const before = Date.now();
    const { status, body } = await share(agent.id);
    expect(status).toBe(201);
    expect(body).toEqual({
      token: expect.stringMatching(/^[a-f0-9]{32}$/),
      agent_id: agent.id,
      agent_name: 'Asha',
      version: 1,
      url: `https://console.example.com/shared-agents/${body.token}`,
      copies: 0,
      created_by: 'first key',
      created_at: expect.stringMatching(/\+05:30$/),
      expires_at: expect.stringMatching(/\+05:30$/),
    });
    expect((Date.parse(body.expires_at) - before) / 86_400_000).toBeCloseTo(30, 1);
    expect((await share(agent.id, { expires_in_days: null })).body.expires_at).toBeNull();
  });

  it('is of agents of the workspace, for one to ninety days', async () => {
    const agent = await newAgent();
    for (const id of ['x', 'f'.repeat(32)]) {
      expect([(await share(id)).status, (await share(id)).body]).toEqual([404, { detail: 'agent not found' }]);
    }
    expect((await share(agent.id, {}, other)).body).toEqual({ detail: 'agent not found' });
    for (const expires_in_days of [0, 91, 1.5, 'soon']) {
      const { status, body } = await share(agent.id, { expires_in_days });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'expires_in_days']]);
    }
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('POST', '/agent-shares', { agent_id: agent.id })).status).toBe(403);
  });

  it('lists what this workspace shares, newest first', async () => {
    const tenant = await api.newWorkspace('Place');
    const agent = (await tenant.send('POST', '/agents', { name: 'One' })).body;
    const tokens: string[] = [];
    for (let n = 0; n < 3; n++) {
      tokens.unshift((await tenant.send('POST', '/agent-shares', { agent_id: agent.id })).body.token);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await api.sql`update agent_shares set expires_at = now() - interval '1 second' where token = ${tokens[1]!}`;
    const { body } = await tenant.send('GET', '/agent-shares');
    expect(body.map(({ token }: { token: string }) => token)).toEqual([tokens[0], tokens[2]]);
    expect((await other.send('GET', '/agent-shares')).body).toEqual([]);
  });

  it('stops at 200, expired ones not counted', async () => {
    const tenant = await api.newWorkspace('Sharers');
    const agent = (await tenant.send('POST', '/agents', { name: 'One' })).body;
    const first = (await share(agent.id, {}, tenant)).body;
    await api.sql`
      insert into agent_shares
      select (jsonb_populate_record(agent_shares, jsonb_build_object('token', lpad(to_hex(n), 32, '0')))).*
      from agent_shares, generate_series(1, 199) n where token = ${first.token}
    `;
    expect((await share(agent.id, {}, tenant)).body).toEqual({ detail: 'share limit reached (200)' });
    await api.sql`update agent_shares set expires_at = now() - interval '1 second' where token = ${first.token}`;
    expect((await share(agent.id, {}, tenant)).status).toBe(201);
  });
});

describe('a shared agent', () => {
  it('is read from any active workspace without what is secret', async () => {
    const agent = await newAgent();
    const { token } = (await share(agent.id)).body;
    const { status, body } = await other.send('GET', `/agent-shares/${token}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token,
      agent_name: 'Asha',
      workspace_name: 'Acme',
      expires_at: expect.any(String),
      agent: {
        name: 'Asha',
        system_prompt: 'You sell shoes.',
        webhook_url: '',
        knowledge_base_ids: [],
        call: { transfer_enabled: false, transfer_targets: [], ambient_sound: 'cafe' },
        tools: [{ name: 'look_up', headers: { Authorization: '***' } }],
      },
    });
    const text = JSON.stringify(body);
    for (const secret of [...SECRETS, 'Desk']) expect(text).not.toContain(secret);
    const [row] = await api.sql`select config::text as config from agent_shares where token = ${token}`;
    for (const secret of SECRETS) expect(row!.config).not.toContain(secret);
  });

  it('is the version that was shared', async () => {
    const agent = await newAgent();
    const { token } = (await share(agent.id)).body;
    await acme.send('PUT', `/agents/${agent.id}`, { name: 'Later' });
    expect((await other.send('GET', `/agent-shares/${token}`)).body.agent.name).toBe('Asha');
    expect((await acme.send('GET', '/agent-shares')).body[0]).toMatchObject({ agent_name: 'Asha', version: 1 });
  });

  it('is not found once it expired, was taken back, its agent is gone or its workspace is not active', async () => {
    const tenant = await api.newWorkspace('Gone');
    const paths: string[] = [];
    const make = async () => {
      const agent = (await tenant.send('POST', '/agents', { name: 'One' })).body;
      const { token } = (await share(agent.id, {}, tenant)).body;
      paths.push(`/agent-shares/${token}`);
      return { agent_id: agent.id, token };
    };
    const expired = await make();
    await api.sql`update agent_shares set expires_at = now() - interval '1 second' where token = ${expired.token}`;
    const taken = await make();
    expect((await tenant.send('DELETE', `/agent-shares/${taken.token}`)).status).toBe(204);
    const deleted = await make();
    expect((await tenant.send('DELETE', `/agents/${deleted.agent_id}`)).status).toBe(204);
    await make();
    await api.sql`update workspaces set state = 'suspended' where id = ${tenant.workspace_id}`;
    for (const path of [...paths, `/agent-shares/${'f'.repeat(32)}`, '/agent-shares/x']) {
      for (const [method, url] of [
        ['GET', path],
        ['POST', `${path}/copy`],
      ] as const) {
        const { status, body } = await other.send(method, url);
        expect([status, body]).toEqual([404, { detail: 'share not found' }]);
      }
    }
  });

  it('is taken back by the workspace that made it, and no other', async () => {
    const agent = await newAgent();
    const { token } = (await share(agent.id)).body;
    const path = `/agent-shares/${token}`;
    expect([(await other.send('DELETE', path)).status, (await other.send('GET', path)).status]).toEqual([404, 200]);
    expect((await acme.send('DELETE', path)).status).toBe(204);
    expect((await acme.send('DELETE', path)).status).toBe(404);
    const rows = await api.sql`
      select action, data from audit_events where target_id = ${agent.id} and action like 'agent.%shared' order by action
    `;
    expect(rows).toEqual([
      { action: 'agent.shared', data: { version: 1, expires_in_days: 30 } },
      { action: 'agent.unshared', data: {} },
    ]);
  });
});

describe('a copy', () => {
  it('is an agent of the workspace that asks', async () => {
    const agent = await newAgent();
    const { token } = (await share(agent.id)).body;
    const { status, body } = await other.send('POST', `/agent-shares/${token}/copy`);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Asha',
      version: 1,
      status: 'active',
      webhook_url: '',
      tools: [{ url: 'https://example.com/look?api_key=&page=1', headers: { Authorization: '' } }],
      call: { transfer_enabled: false, transfer_targets: [] },
    });
    const named = await other.send('POST', `/agent-shares/${token}/copy`, { name: 'Mine' });
    expect(named.body.name).toBe('Mine');
    expect((await other.send('GET', `/agents/${body.id}`)).status).toBe(200);
    expect((await acme.send('GET', `/agents/${body.id}`)).status).toBe(404);
    const shares = (await acme.send('GET', '/agent-shares')).body;
    expect(shares.find((each: { token: string }) => each.token === token).copies).toBe(2);
    const [audit] = await api.sql`select workspace_id, action, data from audit_events where target_id = ${body.id}`;
    expect(audit).toEqual({
      workspace_id: other.workspace_id,
      action: 'agent.created',
      data: { shared_agent: 'Asha', shared_by: 'Acme' },
    });
  });

  it('needs a valid name and a free place for another agent', async () => {
    const agent = await newAgent();
    const { token } = (await share(agent.id)).body;
    const path = `/agent-shares/${token}/copy`;
    expect((await other.send('POST', path, { name: '' })).body.detail[0].loc).toEqual(['body', 'name']);
    const crowded = await api.newWorkspace('Crowded');
    const first = (await crowded.send('POST', '/agents', { name: 'One' })).body;
    await api.sql`
      insert into agents
      select (jsonb_populate_record(agents, jsonb_build_object('id', lpad(to_hex(n), 32, '0')))).*
      from agents, generate_series(1, 199) n where id = ${first.id}
    `;
    expect((await crowded.send('POST', path)).body).toEqual({ detail: 'agent limit reached (200)' });
    expect((await acme.send('GET', '/agent-shares')).body[0].copies).toBe(0);
  });
});

describe('what may be shared', () => {
  it('is a whole configuration that keeps every rule', () => {
    const config = agentConfigSchema.parse({
      ...SECRET,
      knowledge_base_ids: ['a'.repeat(32)],
      call: { ...SECRET.call, ambient_sound: `upload:${'a'.repeat(32)}` },
    });
    const shared = shareable(config);
    expect(agentConfigSchema.parse(shared)).toEqual(shared);
    expect([shared.call.ambient_sound, shared.knowledge_base_ids, shared.status]).toEqual(['', [], 'active']);
    // What was given is left alone.
    expect(config.tools[0]?.headers).toEqual({ Authorization: 'Bearer 1' });
  });

  it('leaves an address without credentials as it was written', () => {
    const url = 'https://example.com/a%20b?page=1';
    const config = agentConfigSchema.parse({
      name: 'A',
      tools: [{ name: 'x', description: 'does x', url }],
    });
    expect(shareable(config).tools[0]?.url).toBe(url);
  });
});
