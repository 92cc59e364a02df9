import { beforeAll, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../../control/accounts/totp.ts';
import { openSecretKeys } from '../../../control/db/secret-keys.ts';
import { runCommand } from '../../../control/operator.ts';
import { resealSecrets } from '../../../control/operators/reseal-secrets.ts';
import { SEALED_COLUMNS } from '../../../control/operators/sealed-columns.ts';
import { ownerOfDefaultSecret } from '../../../control/webhooks/webhook-secrets.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, PASSWORD } from '../accounts/test-users.ts';

const clock = createManualClock();
let api: TestApi;
let workspaceId: string;

/** A database with a secret of every kind, sealed for the key `first`. */
beforeAll(async () => {
  api = await startTestApi({}, { SECRETS_KEY: 'first' }, { clock });
  const users = createTestUsers(api);
  const [enabled, offered] = [await users.register(), await users.register()];
  for (const { token } of [enabled, offered])
    await users.send(token, 'POST', '/account/2fa/setup', { password: PASSWORD });
  const { secret } = (await users.send(enabled.token, 'POST', '/account/2fa/setup', { password: PASSWORD })).body;
  const code = totpCode(secret, stepAt(clock.wall()));
  expect((await users.send(enabled.token, 'POST', '/account/2fa/enable', { code })).status).toBe(200);
  const acme = await api.newWorkspace();
  workspaceId = acme.workspace_id;
  const tool = { name: 'book', description: 'Books.', url: 'https://shop.example.com/', headers: { key: 'a secret' } };
  const server = { name: 'shop', url: tool.url };
  const saved = await Promise.all([
    acme.send('POST', '/webhooks', { url: 'https://93.184.215.14/hook', events: ['*'] }),
    acme.send('GET', '/webhooks/default-secret'),
    acme.send('POST', '/tools', tool),
    acme.send('POST', '/agents', { name: 'Asha', tools: [tool], mcp_servers: [{ ...server, headers: tool.headers }] }),
  ]);
  expect(saved.map(({ status }) => status)).toEqual([201, 200, 201, 201]);
  const agent = `/agents/${saved[3].body.id}`;
  await acme.send('PUT', agent, {
    name: 'Asha',
    tools: [tool],
    mcp_servers: saved[3].body.mcp_servers,
    status: 'paused',
  });
  expect((await acme.send('PUT', `${agent}/canary`, { version: 1, percent: 10 })).status).toBe(200);
});

const run = (command: string, SECRETS_KEY: string, onProgress = (_line: string) => {}) => {
  const secretKeys = () => openSecretKeys({ SECRETS_KEY, SECRETS_KMS_COMMAND: '', MEDIA_TOKEN_SECRET: '' });
  return runCommand({ sql: api.sql, wallMs: clock.wall(), secretKeys, onProgress }, ['secrets', command]);
};
/** Where secrets are, by the name of their key. */
async function places(SECRETS_KEY: string) {
  const secrets = (await run('status', SECRETS_KEY)).result as { table: string; column: string; key: string }[];
  const keys = [...new Set(secrets.map(({ key }) => key))].sort();
  return { keys, columns: secrets.map(({ table, column }) => `${table}.${column}`).sort() };
}
const ALL = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();

it('every column with a sealed secret is in the list', async () => {
  const columns = await api.sql<{ table_name: string; column_name: string }[]>`
    select table_name, column_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE' and data_type in ('text', 'bytea', 'jsonb', 'json', 'ARRAY')`;
  // How a sealed secret begins, as bytes and in base64.
  const begins = `(${Buffer.from('env1').toString('hex')}|${Buffer.from('env1').toString('base64').slice(0, 5)})`;
  const found: string[] = [];
  for (const { table_name, column_name } of columns) {
    const [row] = await api.sql`
      select 1 from ${api.sql(table_name)} where ${api.sql(column_name)}::text ~ ${begins} limit 1`;
    if (row) found.push(`${table_name}.${column_name}`);
  }
  expect(found.sort()).toEqual(ALL);
});

it('resealing needs a key', async () => {
  await expect(run('reseal', ' ')).rejects.toThrow('SECRETS_KEY is empty');
});

it('a secret whose key is not there is shown, left as it is, and makes the exit code 1', async () => {
  expect(await places('another')).toEqual({ keys: ['no configured key'], columns: ALL });
  expect(await run('reseal', 'another')).toMatchObject({ failed: true, result: { resealed: 0 } });
  expect(await places('first')).toEqual({ keys: ['SECRETS_KEY, the newest'], columns: ALL });
});

it('header values that an earlier version stored are sealed', async () => {
  await api.sql`update tools set headers = '{"key":"a secret","empty":""}'`;
  expect((await places('first')).keys).toEqual(['SECRETS_KEY, the newest', 'not sealed']);
  await run('reseal', 'first');
  expect((await places('first')).keys).toEqual(['SECRETS_KEY, the newest']);
  const [tool] = await api.sql`select headers from tools`;
  expect(tool!.headers).toEqual({ key: expect.stringMatching(/^🔒/), empty: '' });
});

it('a secret that is changed while it is resealed stays as it was changed', async () => {
  const { box } = await openSecretKeys({ SECRETS_KEY: 'second', SECRETS_KMS_COMMAND: '', MEDIA_TOKEN_SECRET: '' });
  const rotated = box.seal('whsec_rotated', ownerOfDefaultSecret(workspaceId));
  const unsafe = async (text: string, values: never[]) => {
    if (text.startsWith('update webhook_default_secrets')) {
      await api.sql`update webhook_default_secrets set secret = ${rotated} where workspace_id = ${workspaceId}`;
    }
    return api.sql.unsafe(text, values);
  };
  const sql = new Proxy(api.sql, { get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)) });
  const { box: both } = await openSecretKeys({
    ...{ SECRETS_KEY: 'second,first', SECRETS_KMS_COMMAND: '', MEDIA_TOKEN_SECRET: '' },
  });
  await resealSecrets(sql, both, () => {});
  const [row] = await api.sql`select secret from webhook_default_secrets where workspace_id = ${workspaceId}`;
  expect(row!.secret.equals(rotated)).toBe(true);
});

it('after resealing the older key is not needed, and a second run finds nothing to do', async () => {
  await run('reseal', 'second,first');
  expect(await places('second')).toEqual({ keys: ['SECRETS_KEY, the newest'], columns: ALL });
  expect(await run('reseal', 'second')).toMatchObject({ failed: false, result: { resealed: 0, unreadable: 0 } });
  const [event] = await api.sql`select target_id from service_events where action = 'secrets.resealed' limit 1`;
  expect(event).toBeDefined();
});
