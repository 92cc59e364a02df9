import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveControlRoutes } from '../../../control/calls/live-control/routes.ts';
import type { Principal } from '../../../control/http/authenticate.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { liveOrder } from '../../../shared/live-control.ts';
import {
  type CallFixture,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  log,
  type Tenant,
} from './call-fixture.ts';

let fixture: CallFixture;
let app: FastifyInstance;
let tenant: Tenant;
const bus = createTestBus();

beforeAll(async () => {
  fixture = await createCallFixture();
  app = await createHttpApp({ log, findPrincipal: async (key) => callerOf(key) });
  const { carriers } = createTestCarrier();
  liveControlRoutes(app, { sql: fixture.sql, clock: fixture.clock, bus, carriers });
  await app.ready();
  tenant = await fixture.tenant(50);
});
afterAll(() => app.close());

function callerOf(workspace_id: string): Principal {
  return {
    ...{ workspace_id, workspace_state: 'active', role: 'api_key', user_id: null, session_id: null, key_id: 'k' },
    actor: { kind: 'api_key', id: 'k', name: 'Key one' },
  } as Principal;
}

async function send(who: Tenant, url: string, payload: object, headers = {}) {
  const auth = { 'x-api-key': who.workspace_id };
  const answer = await app.inject({
    method: 'POST',
    url: `/api/v1/calls/${url}`,
    headers: { ...auth, ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}

const ORDERS: [path: string, body: object, action: string][] = [
  ['say', { text: ' Hello. ' }, 'call.said'],
  ['instructions', { text: 'Be brief.' }, 'call.instructed'],
  ['variables', { values: { name: 'Ravi' } }, 'call.variables_set'],
  ['mute', { side: 'caller', muted: true }, 'call.muted'],
  ['dtmf', { digits: '12#' }, 'call.keys_pressed'],
  ['transfer', { number: '+919800022222' }, 'call.transferred'],
];

it('every order goes to the engine that holds the call, as the engine reads it, and is in the audit trail without its words', async () => {
  const call = await fixture.opened(tenant);
  bus.reply = { done: true, detail: 'it is said next' };
  for (const [path, body] of ORDERS) {
    const answer = await send(tenant, `${call.id}/${path}`, body);
    expect([path, answer]).toEqual([path, { status: 200, body: { done: true, detail: 'it is said next' } }]);
  }
  const taken = bus.liveOrders.splice(0);
  expect(taken.every(({ call_id, by, by_id }) => call_id === call.id && by === 'api_key' && by_id === 'k')).toBe(true);
  const orders = taken.map(({ order_json }) => liveOrder.parse(JSON.parse(order_json)));
  expect(orders[0]).toEqual({ action: 'say', text: 'Hello.', interrupt: false });
  expect(orders.map(({ action }) => action)).toEqual([
    'say',
    'instruct',
    'set_variables',
    'mute',
    'press_keys',
    'transfer',
  ]);
  const audited = await fixture.sql`
    select action, data from audit_events where target_id = ${call.id} and action <> 'call.placed' order by id`;
  expect(audited.map(({ action }) => action)).toEqual(ORDERS.map(([, , action]) => action));
  expect(JSON.stringify(audited)).not.toMatch(/Hello|brief|Ravi|9198000/);
});

it('the same Idempotency-Key is the same order to the engine', async () => {
  const call = await fixture.opened(tenant);
  bus.reply = { done: true, detail: '' };
  const key = { 'idempotency-key': 'once' };
  for (const headers of [key, key, {}]) await send(tenant, `${call.id}/say`, { text: 'Hello.' }, headers);
  const [first, second, third] = bus.liveOrders.splice(0).map(({ order_id }) => order_id);
  expect(first).toBe(second);
  expect(third).not.toBe(first);
});

it('says why nothing was done', async () => {
  const call = await fixture.opened(tenant);
  const say = (id: string, who = tenant) => send(who, `${id}/say`, { text: 'Hello.' });
  bus.reply = { done: false, detail: 'the agent is muted' };
  expect((await say(call.id)).body.detail).toBe('the agent is muted');
  bus.reply = null;
  const silent = await say(call.id);
  expect([silent.status, silent.body.detail]).toEqual([
    409,
    'the engine of the call does not answer; look at the call, and try again',
  ]);
  const queued = await fixture.queue(tenant);
  expect((await say(queued.id)).body.detail).toBe('the call is not live yet');
  expect((await say(call.id, await fixture.tenant(1))).status).toBe(404);
  expect((await send(tenant, `${call.id}/say`, { text: 'x'.repeat(1_001) })).status).toBe(422);
  const audited = await fixture.sql`select action from audit_events where target_id = ${call.id}`;
  expect(audited.map(({ action }) => action)).toEqual(['call.placed']);
});
