import { expect, it } from 'vitest';
import { startTestApi } from '../../support/control-app.ts';
import { createOperatorCommand } from '../../support/operator-command.ts';
import { createAuthenticator } from '../../support/software-authenticator.ts';
import { createTestUsers } from '../accounts/test-users.ts';

const ORIGIN = 'https://voice.example.com';
const api = await startTestApi({}, { PUBLIC_API_URL: ORIGIN });
const users = createTestUsers(api);
const { operator, refusal } = createOperatorCommand(api.sql);

it('a person who lost every second factor signs in with the password again; sessions end, and all is written down', async () => {
  const user = await users.register();
  const { options } = (await users.send(user.token, 'POST', '/account/passkeys/setup')).body;
  const response = createAuthenticator(ORIGIN).register(options);
  await users.send(user.token, 'POST', '/account/passkeys', { name: 'Lost', response });
  expect((await users.login(user.email)).body.two_factor_required).toBe(true);
  expect((await operator(`account recover ${user.email.toUpperCase()}`)).result).toEqual({ user_id: user.id });
  expect((await users.send(user.token, 'GET', '/account')).status).toBe(401);
  expect((await users.login(user.email)).body.token).toMatch(/^svcs_/);
  expect(await api.sql`select id from passkeys where user_id = ${user.id}`).toEqual([]);
  expect(await users.audit(user.workspace_id)).toContain('account.two_factor_disabled');
  expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('Two-step sign-in is off');
  const events = await api.sql`select target_id from service_events where action = 'account.recovered'`;
  expect([...events]).toEqual([{ target_id: user.id }]);
});

it('says when there is nobody, or nothing to switch off', async () => {
  const user = await users.register();
  expect(await refusal('account recover nobody@example.com')).toBe('nobody has an account with this email address');
  expect(await refusal(`account recover ${user.email}`)).toBe('two-step sign-in is off for this account');
});
