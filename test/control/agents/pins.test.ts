import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let asha: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  asha = await api.asUser('viewer', acme.workspace_id);
});

const newAgent = async (by = acme) => (await by.send('POST', '/agents', { name: 'Asha' })).body.id as string;
const pins = async (by: Client) => (await by.send('GET', '/agents/pins')).body;

describe('pins', () => {
  it('belong to each member, newest first', async () => {
    const other = await api.asUser('developer', acme.workspace_id);
    const [first, second] = [await newAgent(), await newAgent()];
    expect((await asha.send('PUT', `/agents/${first}/pin`)).status).toBe(204);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await asha.send('PUT', `/agents/${second}/pin`)).status).toBe(204);
    expect(await pins(asha)).toEqual([second, first]);
    expect(await pins(other)).toEqual([]);
  });

  it('are idempotent, with one audit event each', async () => {
    const user = await api.asUser('viewer', acme.workspace_id);
    const agent = await newAgent();
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE']) {
      expect((await user.send(method, `/agents/${agent}/pin`)).status).toBe(204);
    }
    expect(await pins(user)).toEqual([]);
    const rows = await api.sql`
      select action, actor_id from audit_events where target_id = ${agent} and action like '%pinned' order by action
    `;
    expect(rows).toEqual([
      { action: 'agent.pinned', actor_id: user.user_id },
      { action: 'agent.unpinned', actor_id: user.user_id },
    ]);
  });

  it('need an agent of the workspace', async () => {
    const elsewhere = await api.newWorkspace('Elsewhere');
    const foreign = await newAgent(elsewhere);
    for (const id of [foreign, 'f'.repeat(32), 'x']) {
      for (const method of ['PUT', 'DELETE']) {
        const { status, body } = await asha.send(method, `/agents/${id}/pin`);
        expect([status, body]).toEqual([404, { detail: 'agent not found' }]);
      }
    }
  });

  it('are deleted with the agent', async () => {
    const user = await api.asUser('owner', acme.workspace_id);
    const agent = await newAgent();
    await user.send('PUT', `/agents/${agent}/pin`);
    expect((await user.send('DELETE', `/agents/${agent}`)).status).toBe(204);
    expect(await pins(user)).toEqual([]);
  });

  it('are deleted with the membership', async () => {
    const user = await api.asUser('viewer', acme.workspace_id);
    const agent = await newAgent();
    await user.send('PUT', `/agents/${agent}/pin`);
    await api.sql`delete from memberships where user_id = ${user.user_id}`;
    expect(await api.sql`select 1 from agent_pins where user_id = ${user.user_id}`).toHaveLength(0);
  });

  it('refuse API keys', async () => {
    const agent = await newAgent();
    const detail = 'your role cannot do this (agents.view): sign in, API keys are refused';
    for (const [method, url] of [
      ['GET', '/agents/pins'],
      ['PUT', `/agents/${agent}/pin`],
      ['DELETE', `/agents/${agent}/pin`],
    ] as const) {
      const { status, body } = await acme.send(method, url);
      expect([status, body]).toEqual([403, { detail }]);
    }
  });
});
