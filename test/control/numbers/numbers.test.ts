import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addNumber } from '../../../control/numbers/connect-number.ts';
import { ownerOfNumber } from '../../../control/numbers/number-lookups.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;
let acme: UserClient;
let agent: { id: string; name: string };
let count = 0;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  acme = await api.asUser('admin');
  agent = (await acme.send('POST', '/agents', { name: 'Asha' })).body;
});

const newNumber = () => `+9180${String(20_000_000 + count++)}`;
const add = async (number = newNumber(), to = acme) => {
  expect(await addNumber(api.sql, Date.now(), { number, workspace_id: to.workspace_id, provider: 'plivo' })).toBeNull();
  return number;
};
const at = (number: string, action = '') => `/numbers/${encodeURIComponent(number)}${action}`;
const connect = (number: string, by = acme, agent_id = agent.id) =>
  by.send('POST', at(number, '/connect'), { agent_id });
const list = async (by = acme) => (await by.send('GET', '/numbers')).body;
const phoneOf = async (id = agent.id) => (await acme.send('GET', `/agents/${id}`)).body.phone_number;
const actions = async () =>
  (await api.sql`select action, target_name from audit_events where workspace_id = ${acme.workspace_id} order by id`)
    .filter(({ action }) => action.startsWith('number.'))
    .map(({ action, target_name }) => `${action} ${target_name}`);

describe('GET /numbers', () => {
  it('shows a number that the service entered, without a fee', async () => {
    const number = await add();
    expect(await list()).toEqual([
      {
        ...{ number, country: 'IN', type: 'local', provider: 'plivo', status: 'active' },
        ...{ agent_id: null, agent_name: '', included: false, monthly_fee_paise: 0, currency: 'INR' },
        ...{ caller_verification: false, bought_by: '', bought_at: expect.any(String) },
        ...{ paid_until: null, past_due_since: null },
      },
    ]);
  });

  it('knows the Indian series and freephone by their digits', async () => {
    for (const number of ['+911401234567', '+911601234567', '+18005550100']) await add(number);
    const types = (await list()).map(({ type }: { type: string }) => type);
    expect(types.sort()).toEqual(['series_140', 'series_160', 'toll_free']);
  });

  it('shows no number of another workspace', async () => {
    await add(newNumber(), await api.asUser('admin'));
    expect(await list()).toEqual([]);
  });

  it('shows on which number a caller id is active', async () => {
    const number = await add();
    await api.sql`
      insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
        currency, created_by, created_at)
      values (${acme.workspace_id}, 'r', ${[number]}, 'Acme', 'Orders', '', 'image/png', 'active', 0, 'INR', '', now())`;
    await api.sql`
      insert into caller_id_numbers (workspace_id, number, request_id) values (${acme.workspace_id}, ${number}, 'r')`;
    expect(await list()).toMatchObject([{ number, caller_verification: true }]);
  });
});

describe('connect', () => {
  it('has the agent answer the number, and moves it off another one', async () => {
    const number = await add();
    const connected = await connect(number);
    expect([connected.status, connected.body]).toMatchObject([200, { number, agent_id: agent.id, agent_name: 'Asha' }]);
    const other = (await acme.send('POST', '/agents', { name: 'Ravi' })).body;
    await connect(number, acme, other.id);
    expect([await phoneOf(), await phoneOf(other.id)]).toEqual(['', number]);
    expect(await actions()).toEqual(Array(2).fill(`number.connected +91***${number.slice(-2)}`));
  });

  it('refuses the number of another workspace, one that nobody has, and a foreign agent', async () => {
    const other = await api.asUser('admin');
    const foreign = await add(newNumber(), other);
    const taken = { status: 409, body: { detail: 'the number is used by another workspace' } };
    expect(await connect(foreign)).toMatchObject(taken);
    expect(await connect(newNumber())).toMatchObject({ status: 404, body: { detail: 'number not found' } });
    expect(await connect(foreign, other)).toMatchObject({ status: 404, body: { detail: 'agent not found' } });
    expect(await actions()).toEqual([]);
  });

  it('is not for developers and keys', async () => {
    const number = await add();
    const developer = await api.asUser('developer', acme.workspace_id);
    expect((await connect(number, developer)).status).toBe(403);
  });
});

it('disconnect leaves the number without an agent', async () => {
  const number = await add();
  await connect(number);
  const { status, body } = await acme.send('POST', at(number, '/disconnect'));
  expect([status, body]).toMatchObject([200, { number, agent_id: null, agent_name: '' }]);
  expect(await phoneOf()).toBe('');
  expect(await ownerOfNumber(api.sql, 'plivo', number)).toMatchObject({ agent_id: null });
});

describe('release', () => {
  it('takes the number away from agent and workspace', async () => {
    const number = await add();
    await connect(number);
    expect((await acme.send('DELETE', at(number))).status).toBe(204);
    expect([await phoneOf(), await list(), await ownerOfNumber(api.sql, 'plivo', number)]).toEqual(['', [], null]);
    expect((await acme.send('DELETE', at(number))).status).toBe(404);
    expect(await actions()).toContain(`number.released +91***${number.slice(-2)}`);
  });

  it('lets another workspace have the number', async () => {
    const number = await add();
    await acme.send('DELETE', at(number));
    const other = await api.asUser('admin');
    await add(number, other);
    expect(await list(other)).toMatchObject([{ number, agent_id: null }]);
    expect(await list()).toEqual([]);
  });

  it('does not know the number of another workspace', async () => {
    const foreign = await add(newNumber(), await api.asUser('admin'));
    expect((await acme.send('DELETE', at(foreign))).status).toBe(404);
  });
});
