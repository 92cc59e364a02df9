import { afterEach, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

let api: TestApi;
let line: OperatorCommand;

beforeAll(async () => {
  api = await startTestApi();
  line = createOperatorCommand(api.sql);
});
afterEach(() => {
  delete process.env.PUBLIC_API_URL;
  delete process.env.CONSOLE_ORIGINS;
});

let people = 0;
const someone = () => `owner${++people}@example.com`;
const NEW_USER = { name: 'Asha', password: 'correct horse battery' };
const tokenOf = (link: string) => link.split('/').at(-1)!;
const accept = (token: string, payload: object = NEW_USER, headers: Record<string, string> = {}) =>
  request(api.http, { method: 'POST', url: `/api/v1/invites/${token}/accept`, headers, payload });
const membersOf = (workspaceId: string) =>
  api.sql<{ email: string; role: string }[]>`
    select u.email, m.role from memberships m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} order by u.email`;

/** As `workspace create` leaves it: nobody belongs to it. */
async function emptyWorkspace(): Promise<string> {
  return (await line.operator("workspace create 'My company'")).result.workspace_id;
}

it('invites an email address without an account, and signs the user in', async () => {
  const workspace_id = await emptyWorkspace();
  process.env.PUBLIC_API_URL = 'https://voice.example.com';
  const email = someone();
  const { result, text } = await line.operator(`workspace owner ${workspace_id} ${email.toUpperCase()}`);
  expect(result).toEqual({
    ...{ workspace_id, email, user_id: null },
    link: expect.stringMatching(/^https:\/\/voice\.example\.com\/invites\/[a-f0-9]{32}$/),
  });
  expect(text).toContain(`link       ${result.link}`);
  const [letter] = await api.sql`select body from mail_outbox where recipient = ${email}`;
  expect(letter!.body).toContain(result.link);
  expect(letter!.body).toContain('as owner');

  const page = await request(api.http, { method: 'GET', url: new URL(result.link).pathname });
  expect(page.body).toContain('as owner');
  const { status, body } = await accept(tokenOf(result.link));
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain(workspace_id);
  expect(await membersOf(workspace_id)).toEqual([{ email, role: 'owner' }]);
  expect((await accept(tokenOf(result.link))).status).toBe(404);
  expect(await line.trailOf(workspace_id)).toEqual(['invite.created', 'workspace.created']);
  const events = await api.sql`
    select action, data from audit_events where workspace_id = ${workspace_id} and action like 'invite.%' order by id`;
  expect(events).toEqual([
    { action: 'invite.created', data: { role: 'owner' } },
    { action: 'invite.accepted', data: { role: 'owner' } },
  ]);
});

it('makes an existing user or member an owner at once', async () => {
  const workspace_id = await emptyWorkspace();
  const asha = await api.asUser('owner');
  const made = await line.operator(`workspace owner ${workspace_id} ${asha.email}`);
  expect(made.result).toEqual({ workspace_id, email: asha.email, user_id: asha.user_id, link: null });
  expect(made.text).toBe(`${asha.email} is an owner`);
  const viewer = await api.asUser('viewer', workspace_id);
  await api.sql`update users set email_verified_at = null where id = ${viewer.user_id}`;
  await line.operator(`workspace owner ${workspace_id} ${viewer.email}`);
  expect((await membersOf(workspace_id)).map(({ role }) => role)).toEqual(['owner', 'owner']);
  // Once more changes nothing, and is not written down.
  await line.operator(`workspace owner ${workspace_id} ${asha.email}`);
  expect(await line.trailOf(workspace_id)).toEqual(['member.added', 'member.role_changed', 'workspace.created']);
  const headers = { 'x-workspace-id': workspace_id };
  expect((await asha.send('GET', '/members', undefined, headers)).body).toHaveLength(2);
});

it('invites a user whose email address was never confirmed: the link proves the mailbox', async () => {
  const workspace_id = await emptyWorkspace();
  const stranger = await api.asUser('owner');
  await api.sql`update users set email_verified_at = null where id = ${stranger.user_id}`;
  const { result } = await line.operator(`workspace owner ${workspace_id} ${stranger.email}`);
  expect([result.user_id, await membersOf(workspace_id)]).toEqual([null, []]);
  const joined = await accept(tokenOf(result.link), {}, { authorization: `Bearer ${stranger.token}` });
  expect(joined.status).toBe(200);
  expect(await membersOf(workspace_id)).toEqual([{ email: stranger.email, role: 'owner' }]);
});

it('replaces a pending invite by a new link', async () => {
  const owner = await api.asUser('owner');
  const { workspace_id } = owner;
  const email = someone();
  const invited = await owner.send('POST', '/invites', { email, role: 'viewer' });
  process.env.CONSOLE_ORIGINS = 'https://console.example.com, https://other.example.com';
  const first = (await line.operator(`workspace owner ${workspace_id} ${email}`)).result.link;
  const second = (await line.operator(`workspace owner ${workspace_id} ${email}`)).result.link;
  expect(first).toMatch(/^https:\/\/console\.example\.com\/invites\//);
  for (const link of [invited.body.link, first]) expect((await accept(tokenOf(link))).status).toBe(404);
  // The API knows no invited owners: it shows one more like any other.
  expect((await owner.send('GET', '/invites')).body).toMatchObject([{ email, role: 'admin', status: 'pending' }]);
  expect((await accept(tokenOf(second))).status).toBe(200);
  expect(await membersOf(workspace_id)).toContainEqual({ email, role: 'owner' });
});

it('keeps to the member limit of the plan, whether somebody is invited or made a member', async () => {
  const owner = await api.asUser('owner');
  const { workspace_id } = owner;
  const invited = [someone(), someone(), someone(), someone()];
  for (const email of invited) await owner.send('POST', '/invites', { email, role: 'viewer' });
  const full = 'member limit of the plan reached (5)';
  expect(await line.refusal(`workspace owner ${workspace_id} ${someone()}`)).toBe(full);
  const other = await api.asUser('owner');
  expect(await line.refusal(`workspace owner ${workspace_id} ${other.email}`)).toBe(full);
  // Whose place is counted already is let in.
  expect(await line.refusal(`workspace owner ${workspace_id} ${invited[0]}`)).toBe('succeeded');
});

it('is refused for an invalid email address, and for missing or closed workspaces', async () => {
  const workspace_id = await emptyWorkspace();
  expect(await line.refusal(`workspace owner ${workspace_id} asha`)).toContain('an email address is needed');
  const nobody = newId();
  expect(await line.refusal(`workspace owner ${nobody} a@example.com`)).toBe(`workspace ${nobody} not found`);
  await api.sql`update workspaces set state = 'closed' where id = ${workspace_id}`;
  expect(await line.refusal(`workspace owner ${workspace_id} ${someone()}`)).toBe('workspace not found');
});
