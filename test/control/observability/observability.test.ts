import { beforeAll, describe, expect, it } from 'vitest';
import { writeAudit } from '../../../control/audit/write-audit.ts';
import { insertDeadEvent, oldestDeadEvents } from '../../../control/calls/events/dead-events.ts';
import { deleteExpired } from '../../../control/observability/housekeeping.ts';
import { createServerLog, redactPhoneNumbers } from '../../../control/observability/server-log.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';

let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace();
});

/** A workspace without audit events. */
async function newWorkspace(): Promise<Client> {
  const workspace = await api.newWorkspace();
  await api.sql`delete from audit_events where workspace_id = ${workspace.workspace_id}`;
  return workspace;
}

const events = async (query = '', client = acme) => (await client.send('GET', `/audit-events${query}`)).body;

/** Waits for lines, which are written a moment later. */
const logged = (client: Client, query: string, count: number) =>
  eventually(`${count} lines of the log`, 60_000, async () => {
    const { status, body } = await client.send('GET', `/logs${query}`);
    return status === 200 && body.total >= count ? body : null;
  });

describe('audit events', () => {
  it('show who changed what of an agent, never its prompts', async () => {
    const made = await acme.send('POST', '/agents', { name: 'Asha', system_prompt: 'a secret prompt' });
    const agentId = made.body.id;
    const changed = await acme.send('PUT', `/agents/${agentId}`, {
      name: 'Asha 2',
      system_prompt: 'another secret',
      tools: [
        { name: 'find', description: 'Finds it', url: 'https://example.com', headers: { authorization: 'a password' } },
      ],
      call: { max_duration_seconds: 60 },
    });
    expect(changed.status).toBe(200);
    await acme.send('PUT', `/agents/${agentId}`, { name: '' });
    await acme.send('DELETE', `/agents/${agentId}`);
    const { items, total } = await events(`?target_id=${agentId}`);
    expect(total).toBe(3);
    const actions: string[] = items.map((each: { action: string }) => each.action);
    expect(actions.toSorted()).toEqual(['agent.created', 'agent.deleted', 'agent.updated']);
    expect(items[actions.indexOf('agent.updated')]).toMatchObject({
      actor: { kind: 'api_key', name: 'first key', id: expect.stringMatching(/^[a-f0-9]{32}$/) },
      target: { kind: 'agent', id: agentId, name: 'Asha 2' },
      changes: {
        name: ['Asha', 'Asha 2'],
        system_prompt: ['changed', 'changed'],
        tools: ['changed', 'changed'],
        'call.max_duration_seconds': [600, 60],
      },
      address: '127.0.0.1',
      request_id: changed.headers['x-request-id'],
      at: expect.stringMatching(/\+05:30$/),
    });
    expect(JSON.stringify(items)).not.toMatch(/secret|password/);
  });

  it('show calls, knowledge and ambient sounds', async () => {
    const workspace = await newWorkspace();
    await api.sql`insert into numbers ${api.sql({
      ...{ number: '+919811110001', workspace_id: workspace.workspace_id, agent_id: null, provider: 'twilio' },
      created_at: new Date(),
    })}`;
    const agent = await workspace.send('POST', '/agents', { name: 'Asha' });
    const call = await workspace.send('POST', `/agents/${agent.body.id}/call`, { to_number: '+919811112222' });
    await workspace.send('POST', `/calls/${call.body.id}/hangup`);
    const base = await workspace.send('POST', '/knowledge-bases', { name: 'Base' });
    await workspace.send('PATCH', `/knowledge-bases/${base.body.id}`, { name: 'Base 2' });
    const text = { name: 'T', text: 'One. Two.' };
    const source = await workspace.send('POST', `/knowledge-bases/${base.body.id}/sources/text`, text);
    await workspace.send('DELETE', `/knowledge-bases/${base.body.id}/sources/${source.body.id}`);
    await workspace.send('DELETE', `/knowledge-bases/${base.body.id}`);
    const { items } = await events('', workspace);
    const actions: string[] = items.map((each: { action: string }) => each.action);
    // Events of one millisecond have no order.
    expect(actions.sort()).toEqual([
      'agent.created',
      'call.hung_up',
      'call.placed',
      'knowledge_base.created',
      'knowledge_base.deleted',
      'knowledge_base.updated',
      'source.added',
      'source.deleted',
    ]);
    const updated = items.find((each: { action: string }) => each.action === 'knowledge_base.updated');
    expect(updated.changes).toEqual({ name: ['Base', 'Base 2'] });
    // The number that was called is part of the call only.
    expect(JSON.stringify(items)).not.toContain('9811112222');
  });

  it('are filtered by the beginning of the action, by actor and by time, with paging', async () => {
    const workspace = await newWorkspace();
    const { workspace_id } = workspace;
    const startMs = Date.UTC(2026, 0, 1);
    for (let i = 0; i < 7; i++) {
      await writeAudit(api.sql, {
        workspace_id,
        actor: { kind: 'user', id: `u${i % 2}`, name: 'U' },
        action: i < 3 ? 'member.removed' : 'key.created',
        target: { kind: 'x', id: `t${i}`, name: '' },
        // Three at the same time are sorted by id.
        at_ms: startMs + (i < 3 ? 0 : i * 1_000),
      });
    }
    const targets = async (query: string) => {
      const { items, total } = await events(query, workspace);
      return [items.map((each: { target: { id: string } }) => each.target.id).join(' '), total];
    };
    expect((await targets('?action=member.'))[1]).toBe(3);
    expect(await targets('?action=key.c')).toEqual(['t6 t5 t4 t3', 4]);
    expect((await targets('?action=ember'))[1]).toBe(0);
    expect((await targets('?actor_id=u1'))[1]).toBe(3);
    expect(await targets('?since=2026-01-01T00:00:04Z&until=2026-01-01T00:00:05Z')).toEqual(['t5 t4', 2]);
    const pages = await Promise.all([0, 2, 4, 6].map((skip) => targets(`?limit=2&skip=${skip}`)));
    expect(pages.map(([, total]) => total)).toEqual([7, 7, 7, 7]);
    expect(new Set(pages.flatMap(([ids]) => String(ids).split(' ')))).toHaveProperty('size', 7);
  });

  it('are rolled back with the change', async () => {
    const workspace = await newWorkspace();
    await expect(
      api.sql.begin(async (tx) => {
        await writeAudit(tx, {
          ...{
            workspace_id: workspace.workspace_id,
            actor: { kind: 'service', id: 's', name: 'S' },
            action: 'sound.deleted',
          },
          ...{ target: { kind: 'x', id: 'x', name: '' }, at_ms: Date.now() },
        });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect((await events('', workspace)).total).toBe(0);
  });
});

describe('server logs', () => {
  it('hold each request with its id, its status and its subject', async () => {
    const workspace = await newWorkspace();
    const agent = await workspace.send('POST', '/agents', { name: 'Asha' });
    const refused = await workspace.send('PUT', `/agents/${agent.body.id}`, { name: 42 });
    const { items } = await logged(workspace, '', 2);
    const line = items.find((each: { status: number }) => each.status === 422);
    expect(line).toMatchObject({
      level: 'warning',
      source: 'api',
      message: 'PUT /api/v1/agents/{agent_id}: 422',
      request_id: refused.headers['x-request-id'],
      agent_id: agent.body.id,
      call_id: '',
      method: 'PUT',
      path: '/api/v1/agents/{agent_id}',
      status: 422,
      duration_ms: expect.any(Number),
      data: { by: 'first key', detail: 'body.name: string_type' },
    });
    const found = await logged(workspace, `?request_id=${refused.headers['x-request-id']}`, 1);
    expect(found.total).toBe(1);
    expect((await logged(workspace, '?level=info,error', 1)).items[0].status).toBe(201);
    expect((await logged(workspace, '?q=STRING_type', 1)).total).toBe(1);
    expect((await workspace.send('GET', '/logs?source=webhook')).body).toEqual({ items: [], total: 0 });
    expect((await workspace.send('GET', '/logs?level=loud')).status).toBe(422);
  });

  it('follow the settings of the workspace', async () => {
    const clock = systemClock;
    const log = createServerLog({ sql: api.sql, clock, log: createLogger('control', 'silent') });
    const workspace = await newWorkspace();
    const { workspace_id } = workspace;
    const write = async (message: string) => {
      for (const level of ['info', 'warning', 'error'] as const)
        log.write({ workspace_id, level, message, source: 'job' });
      await log.stop();
    };
    await api.sql`update workspaces set system_logs_level = 'warning' where id = ${workspace_id}`;
    await write('first');
    await api.sql`update workspaces set system_logs_enabled = false where id = ${workspace_id}`;
    await write('second');
    const { items } = (await workspace.send('GET', '/logs?source=job')).body;
    const shown: string[] = items.map((each: { message: string; level: string }) => `${each.message} ${each.level}`);
    expect(shown.sort()).toEqual(['first error', 'first warning']);
  });

  it('contain no phone numbers', () => {
    expect(redactPhoneNumbers('calling +919811112222 now')).toBe('calling …222 now');
    expect(redactPhoneNumbers('call 0123456789abcdef0123456789abcdef at 17:00')).toContain('0123456789abcdef');
  });
});

it('logs are deleted after 14 days, audit events after 2 years, events put aside after as many days as are set', async () => {
  const workspace = await newWorkspace();
  const { workspace_id } = workspace;
  const nowMs = Date.now();
  const dayMs = 86_400_000;
  for (const days of [1, 13, 15, 700, 731]) {
    const at = new Date(nowMs - days * dayMs);
    await api.sql`
      insert into server_logs (workspace_id, id, at, level, message, source)
      values (${workspace_id}, ${`log ${days}`}, ${at}, 'info', 'm', 'job')`;
    await writeAudit(api.sql, {
      ...{ workspace_id, actor: { kind: 'service', id: 's', name: 'S' }, action: 'sound.deleted' },
      ...{ target: { kind: 'x', id: String(days), name: '' }, at_ms: at.getTime() },
    });
  }
  for (const days of [6, 8]) {
    await insertDeadEvent(
      api.sql,
      { reason: 'r', call_id: 'c', seq: days, position: days, raw: Buffer.from('') },
      nowMs - days * dayMs,
    );
  }
  await deleteExpired(api.sql, nowMs, 7);
  expect((await oldestDeadEvents(api.sql, 10)).map(({ seq }) => seq)).toEqual([6]);
  const logs =
    await api.sql`select id from server_logs where workspace_id = ${workspace_id} and source = 'job' order by 1`;
  expect(logs.map(({ id }) => id)).toEqual(['log 1', 'log 13']);
  expect(
    (await events('?action=sound.deleted', workspace)).items.map((each: { target: { id: string } }) => each.target.id),
  ).toEqual(['1', '13', '15', '700']);
});
