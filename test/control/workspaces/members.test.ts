import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../control/accounts/account.ts';
import type { HttpError } from '../../../control/http/errors.ts';
import { systemClock } from '../../../shared/clock.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

const setRole = (by: UserClient, { user_id }: UserClient, role: string) =>
  by.send('PATCH', `/members/${user_id}`, { role });
const remove = (by: UserClient, { user_id }: UserClient) => by.send('DELETE', `/members/${user_id}`);
const rolesIn = async (workspaceId: string) => {
  const rows = await api.sql<{ role: string }[]>`
    select role from memberships where workspace_id = ${workspaceId} order by role`;
  return rows.map(({ role }) => role);
};
const LAST_OWNER = [400, 'a workspace always needs an owner'];
const NOT_OWNER = 'your role cannot do this (members.manage): only owners make or unmake owners';

describe('members', () => {
  it('are listed newest first, with a mark for oneself', async () => {
    const owner = await api.asUser('owner');
    const viewer = await api.asUser('viewer', owner.workspace_id);
    await api.sql`update memberships set joined_at = now() - interval '1 day' where user_id = ${owner.user_id}`;
    await api.sql`update users set two_factor_enabled_at = now() where id = ${viewer.user_id}`;
    const { status, body } = await owner.send('GET', '/members');
    expect(status).toBe(200);
    expect(body[0]).toEqual({
      user_id: viewer.user_id,
      name: 'The viewer',
      email: viewer.email,
      role: 'viewer',
      two_factor: true,
      you: false,
      joined_at: expect.any(String),
      last_seen_at: null,
    });
    expect(body[1]).toMatchObject({ user_id: owner.user_id, you: true, role: 'owner' });
    expect((await viewer.send('GET', '/members')).body[0].you).toBe(true);
  });

  it('are not shown before activation, nor to other workspaces', async () => {
    const waiting = await api.signUp();
    expect((await waiting.send('GET', '/members')).body.code).toBe('workspace_inactive');
    const owner = await api.asUser('owner');
    const stranger = await api.asUser('owner');
    expect([(await setRole(stranger, owner, 'viewer')).status, (await remove(stranger, owner)).status]).toEqual([
      404, 404,
    ]);
    expect((await remove(stranger, owner)).body.detail).toBe('member not found');
    expect((await stranger.send('DELETE', '/members/nobody')).body.detail).toBe('member not found');
    expect(await rolesIn(owner.workspace_id)).toEqual(['owner']);
  });

  it('get another role from the next request on', async () => {
    const owner = await api.asUser('owner');
    const viewer = await api.asUser('viewer', owner.workspace_id);
    expect((await viewer.send('POST', '/agents', { name: 'Asha' })).status).toBe(403);
    const changed = await setRole(owner, viewer, 'developer');
    expect([changed.status, changed.body.role]).toEqual([200, 'developer']);
    expect((await viewer.send('POST', '/agents', { name: 'Asha' })).status).toBe(201);
    await setRole(owner, viewer, 'developer');
    expect((await setRole(owner, viewer, 'king')).status).toBe(422);
    const events = await api.sql`
      select changes, target_name from audit_events
      where workspace_id = ${owner.workspace_id} and action = 'member.role_changed'`;
    expect(events).toEqual([{ changes: { role: ['viewer', 'developer'] }, target_name: 'The viewer' }]);
  });

  it('lose access at once when removed; their keys still work', async () => {
    const owner = await api.asUser('owner');
    const developer = await api.asUser('developer', owner.workspace_id);
    const { key } = (await developer.send('POST', '/keys', { name: 'robot' })).body;
    expect((await remove(owner, developer)).status).toBe(204);
    expect((await developer.send('GET', '/agents')).status).toBe(400);
    const asKey = await api.http.inject({ url: '/api/v1/agents', headers: { 'x-api-key': key } });
    expect(asKey.statusCode).toBe(200);
    expect((await remove(owner, developer)).status).toBe(404);
    const events = await api.sql`
      select target_id, changes from audit_events
      where workspace_id = ${owner.workspace_id} and action = 'member.removed'`;
    expect(events).toEqual([{ target_id: developer.user_id, changes: { role: ['developer', null] } }]);
  });

  it('are managed by owners and admins; owners by owners only', async () => {
    const owner = await api.asUser('owner');
    const admin = await api.asUser('admin', owner.workspace_id);
    const viewer = await api.asUser('viewer', owner.workspace_id);
    const developer = await api.asUser('developer', owner.workspace_id);
    expect((await setRole(developer, viewer, 'admin')).status).toBe(403);
    expect((await setRole(admin, viewer, 'developer')).status).toBe(200);
    expect((await setRole(admin, viewer, 'owner')).body.detail).toBe(NOT_OWNER);
    expect((await setRole(admin, admin, 'owner')).status).toBe(403);
    expect((await setRole(admin, owner, 'viewer')).body.detail).toBe(NOT_OWNER);
    expect((await remove(admin, owner)).body.detail).toBe(NOT_OWNER);
    expect((await setRole(owner, admin, 'owner')).status).toBe(200);
    expect((await remove(admin, owner)).status).toBe(204);
    expect(await rolesIn(owner.workspace_id)).toEqual(['developer', 'developer', 'owner']);
  });
});

describe('the last owner', () => {
  it('stays', async () => {
    const owner = await api.asUser('owner');
    const admin = await api.asUser('admin', owner.workspace_id);
    const refused = [await setRole(owner, owner, 'admin'), await remove(owner, owner)];
    for (const { status, body } of refused) expect([status, body.detail]).toEqual(LAST_OWNER);
    await setRole(owner, admin, 'owner');
    expect((await setRole(owner, owner, 'viewer')).status).toBe(200);
    expect((await remove(admin, admin)).status).toBe(400);
  });

  it('cannot be removed by two concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await api.asUser('owner');
      const second = await api.asUser('owner', first.workspace_id);
      const answers = await Promise.all([
        remove(first, second),
        setRole(second, first, 'viewer'),
        remove(second, first),
        remove(first, first),
        remove(second, second),
        setRole(first, second, 'admin'),
      ]);
      const roles = await rolesIn(first.workspace_id);
      expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
      // Refused as the last owner, as no owner any more, or as no member any more.
      for (const { status } of answers) expect([200, 204, 400, 403, 404]).toContain(status);
      expect(answers.filter(({ status }) => status < 300)).not.toHaveLength(0);
    }
  });

  it('cannot delete the account while the other owner steps back', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await api.asUser('owner');
      const second = await api.asUser('owner', first.workspace_id);
      const requestContext = {
        address: '',
        client: '',
        request_id: '',
        from_browser: false,
        device: '',
        session_id: null,
      };
      const [left, stepped] = await Promise.all([
        deleteAccount(
          { sql: api.sql, clock: systemClock, onWorkspaceClosed: async () => {} } as never,
          requestContext,
          first.user_id,
        )
          .then(() => 204)
          .catch((error: HttpError) => error.status),
        setRole(second, second, 'viewer').then(({ status }) => status),
      ]);
      const roles = await rolesIn(first.workspace_id);
      expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
      expect([left, stepped].sort()).toEqual(left === 204 ? [204, 400] : [200, 400]);
    }
  });
});
