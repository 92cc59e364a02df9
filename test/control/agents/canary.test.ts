import { beforeAll, describe, expect, it } from 'vitest';
import { isInShare } from '../../../control/agents/canary-share.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
});

/** An agent whose version 1 is the older one, and 2 is in use. */
async function agentOfTwoVersions(by = acme): Promise<string> {
  const { id } = (await by.send('POST', '/agents', { name: 'Asha', system_prompt: 'Be brief.' })).body;
  await by.send('PUT', `/agents/${id}`, { name: 'Asha', system_prompt: 'Be kind.' });
  return id;
}

const start = (id: string, version = 1, percent = 10, by = acme) =>
  by.send('PUT', `/agents/${id}/canary`, { version, percent });
const read = (id: string, by = acme) => by.send('GET', `/agents/${id}/canary`);
const audited = (id: string) =>
  api.sql`select action, data, changes from audit_events where target_id = ${id} and action like 'agent.canary%' order by id`;

describe('a canary', () => {
  it('is started with a share, and shown', async () => {
    const id = await agentOfTwoVersions();
    const started = await start(id);
    expect([started.status, started.body]).toEqual([
      200,
      { version: 1, percent: 10, started_at: expect.any(String), started_by: 'first key' },
    ]);
    const { body } = await read(id);
    expect(body).toMatchObject({ ...started.body, currency: 'INR' });
    expect(await audited(id)).toMatchObject([{ action: 'agent.canary_started', data: { version: 1, percent: 10 } }]);
  });

  it('can get another share and stays the same canary', async () => {
    const id = await agentOfTwoVersions();
    const first = await start(id);
    const second = await start(id, 1, 50);
    expect(second.body).toEqual({ ...first.body, percent: 50 });
    expect((await audited(id))[1]).toMatchObject({ action: 'agent.canary_changed', changes: { percent: [10, 50] } });
  });

  it.each([0, 100, 2.5, '10'])('refuses a share of %s', async (percent) => {
    const id = await agentOfTwoVersions();
    expect((await acme.send('PUT', `/agents/${id}/canary`, { version: 1, percent })).status).toBe(422);
  });

  it('is not the version in use, nor one that is not stored', async () => {
    const id = await agentOfTwoVersions();
    expect(await start(id, 2)).toMatchObject({ status: 409, body: { detail: 'version 2 is in use' } });
    expect(await start(id, 3)).toMatchObject({ status: 404, body: { detail: 'version not found' } });
  });

  it('is one at a time', async () => {
    const id = await agentOfTwoVersions();
    await acme.send('PUT', `/agents/${id}`, { name: 'Asha', system_prompt: 'Be quick.' });
    await start(id, 1);
    expect(await start(id, 2)).toMatchObject({ status: 409, body: { detail: "version 1 is the agent's canary" } });
  });

  it('is dropped', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    expect((await acme.send('DELETE', `/agents/${id}/canary`)).status).toBe(204);
    expect(await read(id)).toMatchObject({ status: 404, body: { detail: 'canary not found' } });
    expect((await audited(id))[1]).toMatchObject({ action: 'agent.canary_dropped', data: { version: 1 } });
    expect((await acme.send('GET', `/agents/${id}`)).body.system_prompt).toBe('Be kind.');
  });

  it('is promoted to a new version that all calls use', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    const promoted = await acme.send('POST', `/agents/${id}/canary/promote`);
    expect([promoted.status, promoted.body]).toMatchObject([200, { version: 3, system_prompt: 'Be brief.' }]);
    const [newest] = (await acme.send('GET', `/agents/${id}/versions`)).body;
    expect(newest).toMatchObject({ version: 3, current: true, restored_from: 1 });
    expect((await read(id)).status).toBe(404);
    expect((await audited(id))[1]).toMatchObject({ action: 'agent.canary_promoted', data: { version: 1 } });
  });

  it('is promoted as it was, though its version is no longer stored', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    for (let n = 0; n < 10; n++) await acme.send('PUT', `/agents/${id}`, { name: 'Asha', system_prompt: `Try ${n}.` });
    expect((await acme.send('GET', `/agents/${id}/versions/1`)).status).toBe(404);
    expect((await acme.send('POST', `/agents/${id}/canary/promote`)).body.system_prompt).toBe('Be brief.');
  });

  it('is not promoted over a change that was not seen', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    const answer = await acme.send('POST', `/agents/${id}/canary/promote`, undefined, { 'if-match': '1' });
    expect(answer).toMatchObject({ status: 409, body: { detail: 'the agent was changed to version 2' } });
    expect((await read(id)).status).toBe(200);
  });

  it('is read by viewers and changed by those who edit agents', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await read(id, viewer)).status).toBe(200);
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/promote'],
      ['DELETE', ''],
    ] as const) {
      const body = method === 'PUT' ? { version: 1, percent: 20 } : undefined;
      expect((await viewer.send(method, `/agents/${id}/canary${path}`, body)).status).toBe(403);
    }
  });

  it('belongs to its workspace', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    const other = await api.newWorkspace('Other');
    for (const method of ['GET', 'DELETE']) {
      expect(await other.send(method, `/agents/${id}/canary`)).toMatchObject({ status: 404 });
    }
    expect(await start(id, 1, 20, other)).toMatchObject({ status: 404, body: { detail: 'agent not found' } });
  });

  it("keeps the values of tools' headers sealed, and restores them", async () => {
    const tools = [{ name: 'book', description: 'Books', url: 'https://example.com', headers: { Key: 'a secret' } }];
    const { id } = (await acme.send('POST', '/agents', { name: 'Asha', tools })).body;
    await acme.send('PUT', `/agents/${id}`, { name: 'Asha' });
    await start(id);
    const [row] = await api.sql`select config::text as text from agent_canaries where agent_id = ${id}`;
    expect(row!.text).not.toContain('a secret');
    const promoted = await acme.send('POST', `/agents/${id}/canary/promote`);
    expect(promoted.body.tools[0].headers).toEqual({ Key: 'a secret' });
  });

  it('goes with its agent', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    expect((await acme.send('DELETE', `/agents/${id}`)).status).toBe(204);
    expect(await api.sql`select 1 from agent_canaries where agent_id = ${id}`).toHaveLength(0);
  });
});

interface Made {
  version: number;
  status?: string;
  first_audio_ms?: number;
  cost_paise?: number;
  at?: string;
  live?: boolean;
}

/** A call of the agent; with `first_audio_ms` it was answered. */
async function addCall(agent_id: string, { version, status = 'completed', at, live = false, ...made }: Made) {
  const { first_audio_ms, cost_paise = 0 } = made;
  const [id, created_at, { workspace_id }] = [newId(), at ?? new Date().toISOString(), acme];
  const started_at = first_audio_ms === undefined ? null : created_at;
  const row = {
    ...{
      workspace_id,
      id,
      agent_id,
      agent_name: 'Asha',
      agent_version: version,
      direction: 'outbound',
      channel: 'phone',
    },
    ...{
      status,
      from_number: '',
      to_number: '',
      started_by: '',
      provider: 'twilio',
      created_at,
      queued_at: created_at,
    },
    ...{
      started_at,
      ended_at: live ? null : created_at,
      cost_paise,
      duration_seconds: 60,
      currency: 'INR',
      finished: !live,
    },
  };
  if (first_audio_ms !== undefined) {
    const event = { workspace_id, call_id: id, seq: 1, id: newId(), source: 'media', source_seq: 1, created_at };
    const first = {
      type: 'tts.first_audio',
      message: '',
      level: 'info',
      latency_ms: first_audio_ms,
      data: '{"parts":{}}',
    };
    await api.sql`insert into call_events ${api.sql({ ...event, ...first })}`;
  }
  await api.sql`insert into calls ${api.sql(row)}`;
}

describe('the figures of a canary', () => {
  it('are those of its calls, beside the others since it began', async () => {
    const id = await agentOfTwoVersions();
    await addCall(id, { version: 1, at: '2026-01-01T00:00:00Z' });
    await start(id);
    await addCall(id, { version: 1, first_audio_ms: 400, cost_paise: 100 });
    await addCall(id, { version: 1, status: 'no-answer' });
    await addCall(id, { version: 2, first_audio_ms: 800, cost_paise: 300 });
    await addCall(id, { version: 2, first_audio_ms: 900, cost_paise: 300, status: 'failed' });
    const { figures } = (await read(id)).body;
    expect(figures.canary).toMatchObject({ calls: 2, connected: 1, answer_rate: 0.5, no_answer: 1, cost_paise: 100 });
    expect(figures.canary).toMatchObject({ first_audio_p50_ms: 400, avg_duration_seconds: 60 });
    expect(figures.others).toMatchObject({
      calls: 2,
      connected: 2,
      failed: 1,
      cost_paise: 600,
      first_audio_p50_ms: 800,
    });
  });

  it('have live calls, and none that wait', async () => {
    const id = await agentOfTwoVersions();
    await start(id);
    await addCall(id, { version: 1, status: 'in-progress', first_audio_ms: 300, live: true });
    await addCall(id, { version: 1, status: 'queued', live: true });
    const { figures } = (await read(id)).body;
    expect(figures.canary).toMatchObject({ calls: 1, connected: 1, answer_rate: 0 });
    expect(figures.others).toMatchObject({ calls: 0, first_audio_p50_ms: null });
  });
});

describe('the share', () => {
  const ids = Array.from({ length: 4_000 }, () => newId());

  it('is about as large as it says', () => {
    for (const percent of [1, 10, 50, 99]) {
      const share = ids.filter((id) => isInShare('agent', id, percent)).length / ids.length;
      expect(Math.abs(share * 100 - percent)).toBeLessThan(4);
    }
  });

  it('only grows when it is raised', () => {
    const small = ids.filter((id) => isInShare('agent', id, 10));
    expect(small.every((id) => isInShare('agent', id, 30))).toBe(true);
  });

  it('is another one for another agent', () => {
    expect(ids.filter((id) => isInShare('a', id, 50))).not.toEqual(ids.filter((id) => isInShare('b', id, 50)));
  });
});

describe('a version that no call uses yet', () => {
  it('is saved beside the one in use', async () => {
    const id = await agentOfTwoVersions();
    const saved = await acme.send('POST', `/agents/${id}/versions`, { name: 'Asha', system_prompt: 'Be quick.' });
    expect([saved.status, saved.body]).toMatchObject([201, { version: 3, current: false, changes: ['system_prompt'] }]);
    expect((await acme.send('GET', `/agents/${id}`)).body).toMatchObject({ version: 2, system_prompt: 'Be kind.' });
    expect((await start(id, 3)).status).toBe(200);
  });

  it('has a number of its own, also when the agent is saved after it', async () => {
    const id = await agentOfTwoVersions();
    await acme.send('POST', `/agents/${id}/versions`, { name: 'Asha', system_prompt: 'Be quick.' });
    expect((await acme.send('PUT', `/agents/${id}`, { name: 'Asha' })).body.version).toBe(4);
  });

  it('is refused when it is the one in use', async () => {
    const id = await agentOfTwoVersions();
    const same = await acme.send('POST', `/agents/${id}/versions`, { name: 'Asha', system_prompt: 'Be kind.' });
    expect(same).toMatchObject({ status: 409, body: { detail: 'nothing differs from the version in use' } });
  });

  it('never pushes out the one in use', async () => {
    const id = await agentOfTwoVersions();
    for (let n = 0; n < 11; n++) {
      await acme.send('POST', `/agents/${id}/versions`, { name: 'Asha', system_prompt: `Try ${n}.` });
    }
    const versions: { version: number; current: boolean }[] = (await acme.send('GET', `/agents/${id}/versions`)).body;
    expect(versions.find(({ current }) => current)?.version).toBe(2);
    expect(versions).toHaveLength(11);
  });
});
