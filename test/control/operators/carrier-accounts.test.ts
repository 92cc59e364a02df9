import { beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../../control/operator.ts';
import { accountsOf } from '../../../control/operators/carrier-accounts.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});

async function add(number: string, provider: string, env: Record<string, string>) {
  const { workspace_id } = await api.asUser('owner');
  const deps = { sql: api.sql, wallMs: Date.now(), hasAccount: accountsOf(env) };
  return runCommand(deps, ['number', 'add', number], { workspace: workspace_id, provider });
}

it('a number of a carrier without an account is added, with a warning that says what to set', async () => {
  const warning =
    'warning: the service has no account with Twilio: it cannot place calls from this number, and takes none to it. ' +
    'Set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN and start it again.';
  const added = await add('+918000000011', 'twilio', { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: '' });
  expect(added.lines).toEqual(['+918000000011 is added', warning]);
  expect(added.result).toMatchObject({ number: '+918000000011', warnings: [warning] });
});

it('a number of a carrier with an account is added without one', async () => {
  const added = await add('+918000000012', 'twilio', { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't' });
  expect(added.lines).toEqual(['+918000000012 is added']);
});
