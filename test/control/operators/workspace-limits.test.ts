import { beforeAll, beforeEach, expect, it } from 'vitest';
import { setPlan } from '../../../control/workspaces/plan.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

let api: TestApi;
let operator: OperatorCommand;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  operator = createOperatorCommand(api.sql);
});
beforeEach(async () => {
  owner = await api.asUser('owner');
});

const set = async (options: { concurrency?: string; requests?: string }) =>
  (await operator.operator(`workspace limits ${owner.workspace_id}`, options)).result;
const limit = async () => (await owner.send('GET', '/workspace/limits')).body.concurrency_limit;
const onPlan = (plan: string) => api.sql.begin((tx) => setPlan(tx, owner.workspace_id, plan));

it('the live calls of a workspace are set lower than its plan, and higher, whichever plan follows', async () => {
  expect([await limit(), await set({})]).toMatchObject([5, { concurrency_limit: 5, concurrency_fixed: false }]);
  expect(await set({ concurrency: '3' })).toMatchObject({
    concurrency_limit: 3,
    plan_limit: 5,
    concurrency_fixed: true,
  });
  await onPlan('growth');
  expect(await limit()).toBe(3);
  await set({ concurrency: '60' });
  expect(await limit()).toBe(60);
  await set({ concurrency: 'plan' });
  expect(await limit()).toBe(15);
});

it('lines that were bought are in addition to what is set', async () => {
  await api.sql`update workspaces set extra_lines = 2 where id = ${owner.workspace_id}`;
  expect(await set({ concurrency: '1' })).toMatchObject({ concurrency_limit: 3, extra_lines: 2 });
  expect(await set({ concurrency: '99' })).toMatchObject({ concurrency_limit: 100 });
});

it('a request that is approved raises what was set', async () => {
  await set({ concurrency: '2' });
  const asked = { requested_limit: 4, reason: 'More calls in the festive season' };
  const { body } = await owner.send('POST', '/workspace/limits/requests', asked);
  await operator.operator(`limit approve ${body.id}`);
  expect(await limit()).toBe(4);
});

it('the API requests of each key are set', async () => {
  const client = await api.newWorkspace();
  const { result } = await operator.operator(`workspace limits ${client.workspace_id}`, { requests: '7' });
  expect(result.api_requests_per_minute).toBe(7);
  expect((await client.send('GET', '/workspace/limits')).headers['x-ratelimit-limit']).toBe('7');
});

it('a change is audited and mailed, and none is neither', async () => {
  await set({ concurrency: '5' });
  await set({ concurrency: '4', requests: '60' });
  await set({ requests: '60' });
  const events = await api.sql`
    select changes from audit_events where workspace_id = ${owner.workspace_id} and action = 'workspace.limits_set'`;
  expect(events.map(({ changes }) => changes.concurrency_limit)).toEqual([[5, 4]]);
  const emails = await api.sql`select subject from mail_outbox where workspace_id = ${owner.workspace_id}`;
  expect(emails.map(({ subject }) => subject)).toEqual(['Your limit of live calls is changed']);
});

it('what is no such limit is refused', async () => {
  const words = `workspace limits ${owner.workspace_id}`;
  expect(await operator.refusal(words, { concurrency: '0' })).toBe('--concurrency is from 1 to 100');
  expect(await operator.refusal(words, { concurrency: 'many' })).toBe('--concurrency is a whole number');
  expect(await operator.refusal(words, { requests: '0' })).toBe('--requests is from 1 to 1000000');
});
