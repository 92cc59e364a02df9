import { beforeAll, describe, expect, it } from 'vitest';
import { decideLimitRequest } from '../../../control/workspaces/limit-requests.ts';
import { setPlan } from '../../../control/workspaces/plan.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.asUser('owner');
});

const trail = (workspaceId: string, action: string) => api.sql`
  select * from audit_events where workspace_id = ${workspaceId} and action = ${action} order by id`;

describe('the workspace', () => {
  it('is shown, with alerts to the owner by default', async () => {
    const { status, body } = await owner.send('GET', '/workspace');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: owner.workspace_id,
      name: 'Acme',
      state: 'active',
      kyc_status: expect.any(String),
      currency: 'INR',
      timezone: 'Asia/Kolkata',
      plan_id: 'starter',
      plan_name: 'Starter',
      alert_emails: [owner.email],
      profile: {
        company_name: '',
        website: '',
        industry: '',
        use_case: '',
        team_size: '',
        monthly_calls: '',
        phone: '',
        country: '',
      },
      system_logs: { enabled: true, level: 'info' },
      security: { keys_may_make_keys: false, confirm_password: true },
      created_at: expect.stringMatching(/\+05:30$/),
    });
  });

  it('is changed field by field, with an audit event for each change', async () => {
    const changed = await owner.send('PATCH', '/workspace', {
      name: 'Acme Ltd',
      alert_emails: ['Ops@Example.com', 'ops@example.com', 'b@example.com'],
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: 'Acme Ltd', timezone: 'Asia/Kolkata' });
    expect(changed.body.alert_emails).toEqual(['ops@example.com', 'b@example.com']);
    await owner.send('PATCH', '/workspace', { name: 'Acme Ltd' });
    await owner.send('PATCH', '/workspace', {});
    const events = await trail(owner.workspace_id, 'workspace.updated');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ actor_kind: 'user', actor_id: owner.user_id, target_id: owner.workspace_id });
    expect(events[0]!.changes.name).toEqual(['Acme', 'Acme Ltd']);
    const back = await owner.send('PATCH', '/workspace', { alert_emails: [] });
    expect(back.body.alert_emails).toEqual([owner.email]);
  });

  it.each([
    [{ name: ' ' }, ['body', 'name'], 'string_too_short'],
    [{ name: 'x'.repeat(121) }, ['body', 'name'], 'string_too_long'],
    [{ timezone: '+05:30' }, ['body', 'timezone'], 'value_error'],
    [{ alert_emails: ['nobody'] }, ['body', 'alert_emails', 0], 'string_pattern_mismatch'],
    [{ alert_emails: Array(6).fill('a@example.com') }, ['body', 'alert_emails'], 'too_long'],
  ])('rejects %j', async (body, loc, type) => {
    const refused = await owner.send('PATCH', '/workspace', body);
    expect(refused.status).toBe(422);
    expect(refused.body.detail[0]).toMatchObject({ loc, type });
  });

  it('has a profile of the business', async () => {
    await owner.send('PATCH', '/workspace/profile', { company_name: 'Acme Foods', team_size: '11-50' });
    const { body } = await owner.send('PATCH', '/workspace/profile', { team_size: '2-10', unknown: 'ignored' });
    expect(body.profile).toMatchObject({ company_name: 'Acme Foods', team_size: '2-10', industry: '' });
    expect(body.profile).not.toHaveProperty('unknown');
    expect(await trail(owner.workspace_id, 'workspace.profile_updated')).toHaveLength(2);
    const long = await owner.send('PATCH', '/workspace/profile', { website: 'x'.repeat(201) });
    expect(long.status).toBe(422);
  });

  it('has a switch for server logs', async () => {
    const { body } = await owner.send('PATCH', '/workspace/system-logs', { level: 'error' });
    expect(body.system_logs).toEqual({ enabled: true, level: 'error' });
    const off = await owner.send('PATCH', '/workspace/system-logs', { enabled: false });
    expect(off.body.system_logs).toEqual({ enabled: false, level: 'error' });
    expect((await owner.send('PATCH', '/workspace/system-logs', { level: 'debug' })).status).toBe(422);
    expect(await trail(owner.workspace_id, 'workspace.system_logs_updated')).toHaveLength(2);
  });

  it('is changed by signed-in owners and admins, also before activation', async () => {
    const waiting = await api.signUp();
    expect((await waiting.send('PATCH', '/workspace', { name: 'New' })).status).toBe(200);
    expect((await waiting.send('PATCH', '/workspace/profile', {})).status).toBe(200);
    expect((await waiting.send('GET', '/workspace/limits')).status).toBe(200);
    const logs = await waiting.send('PATCH', '/workspace/system-logs', {});
    expect([logs.status, logs.body.code]).toEqual([403, 'workspace_inactive']);
    const developer = await api.asUser('developer', owner.workspace_id);
    const refused = await developer.send('PATCH', '/workspace', { name: 'Mine' });
    expect([refused.status, refused.body.detail]).toEqual([403, 'your role cannot do this (members.manage)']);
    const acme = await api.newWorkspace();
    const key = await acme.send('PATCH', '/workspace', { name: 'Mine' });
    expect(key.body.detail).toBe('your role cannot do this (members.manage): sign in, API keys are refused');
    expect((await acme.send('GET', '/workspace')).status).toBe(200);
  });
});

describe('limits', () => {
  it('show the limits and their use', async () => {
    const user = await api.asUser('owner');
    await user.send('POST', '/agents', { name: 'Asha' });
    await user.send('POST', '/invites', { email: 'one@example.com', role: 'viewer' });
    const { body } = await user.send('GET', '/workspace/limits');
    expect(body).toEqual({
      concurrency_limit: 5,
      active_calls: 0,
      queued_calls: 0,
      pending_request: null,
      plan_limit: 5,
      extra_lines: 0,
      api_requests_per_minute: expect.any(Number),
      agents: { used: 1, limit: 200 },
      members: { used: 2, limit: 5 },
    });
  });

  it('follow the plan, with the extra lines', async () => {
    const user = await api.asUser('owner');
    await api.sql`update workspaces set extra_lines = 3 where id = ${user.workspace_id}`;
    expect(await api.sql.begin((tx) => setPlan(tx, user.workspace_id, 'scale'))).toBe(true);
    expect(await api.sql.begin((tx) => setPlan(tx, user.workspace_id, 'nothing'))).toBe(false);
    const { body } = await user.send('GET', '/workspace/limits');
    expect(body).toMatchObject({ concurrency_limit: 43, plan_limit: 40, members: { used: 1, limit: null } });
  });

  it('are raised on request, one request at a time', async () => {
    const user = await api.asUser('admin');
    const ask = (requested_limit: unknown, reason = 'a campaign in May') =>
      user.send('POST', '/workspace/limits/requests', { requested_limit, reason });
    const low = await ask(5);
    expect([low.status, low.body.detail[0].msg]).toEqual([422, 'requested_limit must be above the present limit (5)']);
    expect((await ask(101)).body.detail[0].type).toBe('less_than_equal');
    expect((await ask(20, 'short')).body.detail[0].type).toBe('string_too_short');

    const both = await Promise.all([ask(20), ask(30)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const made = both.find(({ status }) => status === 201)!.body;
    expect(made).toMatchObject({ status: 'open', answer: '', decided_at: null, requested_by: 'The admin' });
    expect((await user.send('GET', '/workspace/limits')).body.pending_request).toEqual(made);

    const actor = { kind: 'service', id: '', name: 'operator' } as const;
    const decision = { workspace_id: user.workspace_id, request_id: made.id, approved: true, answer: 'Granted', actor };
    const decided = await api.sql.begin((tx) => decideLimitRequest(tx, { ...decision, at_ms: Date.now() }));
    expect(decided?.status).toBe('approved');
    expect(await api.sql.begin((tx) => decideLimitRequest(tx, { ...decision, at_ms: Date.now() }))).toBeNull();
    const limits = (await user.send('GET', '/workspace/limits')).body;
    expect(limits).toMatchObject({ concurrency_limit: made.requested_limit, plan_limit: 5, pending_request: null });
    // A granted limit outlasts a change of the plan.
    await api.sql.begin((tx) => setPlan(tx, user.workspace_id, 'growth'));
    expect((await user.send('GET', '/workspace/limits')).body.concurrency_limit).toBe(made.requested_limit);
    const listed = (await user.send('GET', '/workspace/limits/requests')).body;
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ id: made.id, status: 'approved', answer: 'Granted' });
    expect(await trail(user.workspace_id, 'limit_request.created')).toHaveLength(1);
    expect(await trail(user.workspace_id, 'limit_request.approved')).toMatchObject([
      { actor_name: 'operator', changes: { concurrency_limit: [5, made.requested_limit] } },
    ]);
    // A declined request changes nothing.
    const next = (await ask(90)).body;
    const no = { ...decision, request_id: next.id, approved: false, answer: 'Not yet' };
    await api.sql.begin((tx) => decideLimitRequest(tx, { ...no, at_ms: Date.now() }));
    expect((await user.send('GET', '/workspace/limits')).body.concurrency_limit).toBe(made.requested_limit);
  });
});
