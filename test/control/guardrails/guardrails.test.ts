import { beforeAll, describe, expect, it } from 'vitest';
import { decideAppeal } from '../../../control/guardrails/incidents.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

const OPERATOR = { kind: 'service' as const, id: 'operator', name: 'operator' };
const DAY_MS = 24 * 3_600_000;
let made = 0;

/** Inserts an incident as the check after a call does. */
async function insertIncident(workspaceId: string, fields: Record<string, unknown> = {}, agoMs = 0): Promise<string> {
  // Later ones have later ids.
  const atMs = Date.now() - agoMs;
  const id = newId(atMs + made++);
  const row = {
    workspace_id: workspaceId,
    id,
    rule_id: 'a'.repeat(32),
    rule_name: 'No medical advice',
    category: 'regulated_advice',
    severity: 'violation',
    agent_id: 'b'.repeat(32),
    agent_name: 'Asha',
    call_id: newId(),
    quote: 'take two of these',
    confidence: 0.9,
    action: 'notice',
    strike: 1,
    created_at: new Date(atMs),
    ...fields,
  };
  await api.sql`insert into guardrail_incidents ${api.sql(row)}`;
  return id;
}

/** An agent that this incident froze. */
async function freeze(owner: UserClient, incidentId: string, from: string): Promise<string> {
  const { id } = (await owner.send('POST', '/agents', { name: 'Asha' })).body;
  await api.sql`
    update agents set status = 'frozen', frozen_at = now(), frozen_reason = 'No medical advice',
      frozen_incident_id = ${incidentId}, frozen_from = ${from}
    where workspace_id = ${owner.workspace_id} and id = ${id}`;
  return id;
}

const decide = (incident_id: string, to: 'upheld' | 'dismissed') =>
  api.sql.begin((tx) =>
    decideAppeal(tx, { incident_id, to, answer: 'we listened', actor: OPERATOR, at_ms: Date.now() }),
  );

const url = (id: string, what = '') => `/guardrails/incidents/${id}${what}`;
const WORDS = 'The caller asked for the leaflet to be read.';

describe('rules', () => {
  it('can be read by all, and set by no member', async () => {
    const viewer = await api.asUser('viewer');
    expect((await viewer.send('GET', '/guardrails/rules')).body).toEqual([]);
    await api.sql`
      insert into guardrail_rules (id, name, description, category, severity, strikes, updated_at)
      values (${'c'.repeat(32)}, 'No threats', 'The agent never threatens.', 'abuse', 'violation', 3, now())`;
    expect((await viewer.send('GET', '/guardrails/rules')).body).toEqual([
      {
        id: 'c'.repeat(32),
        name: 'No threats',
        description: 'The agent never threatens.',
        category: 'abuse',
        severity: 'violation',
        strikes: 3,
        enabled: true,
        updated_at: expect.stringMatching(/\+05:30$/),
      },
    ]);
    expect((await viewer.send('POST', '/guardrails/rules', {})).status).toBe(404);
  });
});

describe('incidents', () => {
  it('are listed newest first, by status and agent', async () => {
    const owner = await api.asUser('owner');
    const agent_id = 'd'.repeat(32);
    const first = await insertIncident(owner.workspace_id);
    const second = await insertIncident(owner.workspace_id, { agent_id });
    const third = await insertIncident(owner.workspace_id, { agent_id, status: 'upheld' });
    const ids = async (query = '') => {
      const { status, body } = await owner.send('GET', `/guardrails/incidents${query}`);
      return status === 200 ? body.map(({ id }: { id: string }) => id) : status;
    };
    expect(await ids()).toEqual([third, second, first]);
    expect(await ids('?status=open')).toEqual([second, first]);
    expect(await ids('?status=open,upheld')).toEqual([third, second, first]);
    expect(await ids(`?agent_id=${agent_id}`)).toEqual([third, second]);
    expect(await ids(`?agent_id=${agent_id}&status=upheld`)).toEqual([third]);
    expect(await ids('?agent_id=nobody')).toEqual([]);
    expect(await ids('?status=closed')).toBe(422);
    const { body } = await owner.send('GET', url(first));
    expect(body).toEqual({
      id: first,
      rule_id: 'a'.repeat(32),
      rule_name: 'No medical advice',
      category: 'regulated_advice',
      severity: 'violation',
      agent_id: 'b'.repeat(32),
      agent_name: 'Asha',
      call_id: expect.any(String),
      quote: 'take two of these',
      confidence: 0.9,
      action: 'notice',
      strike: 1,
      status: 'open',
      appeal_text: '',
      answer: '',
      created_at: expect.stringMatching(/\+05:30$/),
      acknowledged_at: null,
      appealed_at: null,
      resolved_at: null,
      acknowledged_by: '',
      appealed_by: '',
    });
  });

  it('are the last 200', async () => {
    const owner = await api.asUser('owner');
    for (let i = 0; i < 205; i++) await insertIncident(owner.workspace_id);
    expect((await owner.send('GET', '/guardrails/incidents')).body).toHaveLength(200);
  });

  it('are counted', async () => {
    const owner = await api.asUser('owner');
    const of = (fields: Record<string, unknown>, agoMs = 0) => insertIncident(owner.workspace_id, fields, agoMs);
    const threats = { rule_id: 'e'.repeat(32), rule_name: 'No threats', category: 'abuse' };
    const frozen = await of({});
    await of({ status: 'acknowledged' });
    await of({ status: 'appealed' });
    await of({ status: 'upheld', ...threats });
    await of({ status: 'dismissed', ...threats });
    await of({ severity: 'warning', action: 'warning', strike: 0, ...threats });
    await of({ status: 'open' }, 31 * DAY_MS);
    await freeze(owner, frozen, 'active');
    expect((await owner.send('GET', '/guardrails/summary')).body).toEqual({
      open: 3,
      acknowledged: 1,
      appealed: 1,
      violations_30_days: 4,
      warnings_30_days: 1,
      frozen_agents: 1,
      by_rule: [
        { rule_id: 'a'.repeat(32), rule_name: 'No medical advice', count: 3 },
        { rule_id: 'e'.repeat(32), rule_name: 'No threats', count: 2 },
      ],
    });
  });

  it('are written once for a rule and a call', async () => {
    const owner = await api.asUser('owner');
    const call_id = newId();
    await insertIncident(owner.workspace_id, { call_id });
    await expect(insertIncident(owner.workspace_id, { call_id })).rejects.toThrow('duplicate key');
  });
});

describe('the states of an incident', () => {
  it('open, acknowledged, appealed, upheld', async () => {
    const owner = await api.asUser('owner');
    const id = await insertIncident(owner.workspace_id);
    const seen = await owner.send('POST', url(id, '/acknowledge'));
    expect(seen).toMatchObject({ status: 200, body: { status: 'acknowledged', acknowledged_by: 'The owner' } });
    expect(await owner.send('POST', url(id, '/acknowledge'))).toMatchObject({
      status: 409,
      body: { detail: 'the incident is already acknowledged' },
    });
    expect(await decide(id, 'upheld')).toBe('the incident is acknowledged: only an appeal can be decided');
    for (const text of ['too short', 'x'.repeat(2_001), undefined, 7]) {
      expect((await owner.send('POST', url(id, '/appeal'), { text })).status).toBe(422);
    }
    const appealed = await owner.send('POST', url(id, '/appeal'), { text: WORDS });
    expect(appealed.body).toMatchObject({ status: 'appealed', appeal_text: WORDS, appealed_by: 'The owner' });
    expect((await owner.send('POST', url(id, '/appeal'), { text: WORDS })).body).toEqual({
      detail: 'the incident is already appealed',
    });
    expect(await decide(id, 'upheld')).toMatchObject({ status: 'upheld', strike: 1 });
    expect((await owner.send('GET', url(id))).body).toMatchObject({
      status: 'upheld',
      answer: 'we listened',
      resolved_at: expect.any(String),
    });
    expect((await owner.send('POST', url(id, '/appeal'), { text: WORDS })).status).toBe(409);
    expect((await owner.send('POST', url(id, '/acknowledge'))).status).toBe(409);
    expect(await decide(id, 'dismissed')).toBe('the incident is upheld: only an appeal can be decided');
    const rows = await api.sql<{ action: string; actor_kind: string }[]>`
      select action, actor_kind from audit_events where target_id = ${id}`;
    expect(rows.map(({ action, actor_kind }) => `${action} by ${actor_kind}`).sort()).toEqual([
      'incident.acknowledged by user',
      'incident.appealed by user',
      'incident.upheld by service',
    ]);
  });

  it.each([
    ['active', 'active'],
    ['paused', 'paused'],
  ])('dismissed: the agent it froze is %s again', async (from, now) => {
    const owner = await api.asUser('owner');
    const id = await insertIncident(owner.workspace_id);
    const agent_id = await freeze(owner, id, from);
    await api.sql`update guardrail_incidents set agent_id = ${agent_id} where id = ${id}`;
    expect((await owner.send('GET', `/agents/${agent_id}`)).body).toMatchObject({ status: 'frozen' });
    await owner.send('POST', url(id, '/appeal'), { text: WORDS });
    expect(await decide(id, 'dismissed')).toMatchObject({ status: 'dismissed', strike: 0 });
    expect((await owner.send('GET', `/agents/${agent_id}`)).body).toMatchObject({
      status: now,
      frozen_at: null,
      frozen_reason: '',
      frozen_incident_id: '',
      frozen_from: '',
    });
    const [row] =
      await api.sql`select action from audit_events where target_id = ${agent_id} and actor_kind = 'service'`;
    expect(row).toEqual({ action: 'agent.unfrozen' });
  });

  it('dismissed: an agent that another incident froze stays frozen', async () => {
    const owner = await api.asUser('owner');
    const [early, late] = [await insertIncident(owner.workspace_id), await insertIncident(owner.workspace_id)];
    const agent_id = await freeze(owner, late, 'active');
    await api.sql`update guardrail_incidents set agent_id = ${agent_id} where workspace_id = ${owner.workspace_id}`;
    await owner.send('POST', url(early, '/appeal'), { text: WORDS });
    await decide(early, 'dismissed');
    expect((await owner.send('GET', `/agents/${agent_id}`)).body.status).toBe('frozen');
    await owner.send('POST', url(late, '/appeal'), { text: WORDS });
    await decide(late, 'upheld');
    expect((await owner.send('GET', `/agents/${agent_id}`)).body.status).toBe('frozen');
  });

  it('appealed by one of two concurrent requests', async () => {
    const owner = await api.asUser('owner');
    const id = await insertIncident(owner.workspace_id);
    const both = await Promise.all([1, 2].map(() => owner.send('POST', url(id, '/appeal'), { text: WORDS })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('permissions', () => {
  it('to read: all; to acknowledge: agents.edit; to appeal: signed-in members', async () => {
    const key = await api.newWorkspace();
    const viewer = await api.asUser('viewer', key.workspace_id);
    const developer = await api.asUser('developer', key.workspace_id);
    const stranger = await api.asUser('owner');
    const id = await insertIncident(key.workspace_id);
    expect((await viewer.send('GET', url(id))).status).toBe(200);
    expect((await viewer.send('POST', url(id, '/acknowledge'))).status).toBe(403);
    expect((await viewer.send('POST', url(id, '/appeal'), { text: WORDS })).status).toBe(403);
    expect((await key.send('POST', url(id, '/acknowledge'))).status).toBe(200);
    const signIn = { detail: 'your role cannot do this (agents.edit): sign in, API keys are refused' };
    expect((await key.send('POST', url(id, '/appeal'), { text: WORDS })).body).toEqual(signIn);
    for (const [method, what] of [
      ['GET', ''],
      ['POST', '/acknowledge'],
      ['POST', '/appeal'],
    ] as const) {
      const { status, body } = await stranger.send(method, url(id, what), { text: WORDS });
      expect([status, body]).toEqual([404, { detail: 'incident not found' }]);
    }
    expect((await developer.send('POST', url(id, '/appeal'), { text: WORDS })).status).toBe(200);
  });
});
