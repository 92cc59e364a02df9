import { beforeAll, expect, it } from 'vitest';
import { createPlacer } from '../../../../control/calls/queue/gather-placements.ts';
import {
  type PlaceCallRequest,
  type PlacedCall,
  placeCall,
  placeCallsIn,
} from '../../../../control/calls/queue/place-call.ts';
import type { Sql, Transaction } from '../../../../control/db/connect.ts';
import {
  createIdempotency,
  fingerprintOf,
  KeyTakenError,
  type KeyToTake,
} from '../../../../control/http/idempotency.ts';
import { newId } from '../../../../shared/ids.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

const TO = '+919811112222';
const named = (name: string) => ({ kind: 'api_key', id: name, name }) as const;
const request = ({ workspace_id, agent_id }: Tenant, more: Partial<PlaceCallRequest> = {}): PlaceCallRequest => ({
  ...{ workspace_id, agent_id, to_number: TO, user_data: {}, actor: named('key one') },
  ...more,
});

function keyOf({ workspace_id }: Tenant, key: string) {
  const whose = { workspace_id, key, request_id: newId(), method: 'POST', path: '/', body: key };
  const responseTo = (call: unknown) => ({ status: 201, body: (call as PlacedCall).id });
  return { ...whose, fingerprint: fingerprintOf(whose), responseTo } satisfies KeyToTake & object;
}

const keysOf = async ({ workspace_id }: Tenant) =>
  fixture.sql`select key, carried_out, status, response from idempotency_keys where workspace_id = ${workspace_id}`;

/** A placer that never places a second set beside the first, however long the machine takes for that one. */
const createPatientPlacer = () =>
  createPlacer({ sql: fixture.sql, clock: { wall: fixture.clock.wall, after: () => ({ cancel() {} }) } });

/** What is in the database of the workspace's calls. */
async function written({ workspace_id }: Tenant) {
  const [row] = await fixture.sql`
    select
      (select count(*)::integer from calls where workspace_id = ${workspace_id}) as calls,
      (select count(*)::integer from call_events where workspace_id = ${workspace_id}) as events,
      (select count(*)::integer from audit_events where workspace_id = ${workspace_id} and action = 'call.placed') as audited,
      (select count(*)::integer from webhook_deliveries where workspace_id = ${workspace_id}) as deliveries`;
  return row!;
}

/** A pool that runs something once, between the first statement and what follows it. */
function afterTheFirst(happens: () => Promise<unknown>): Sql {
  let happened = false;
  return new Proxy(fixture.sql, {
    apply(target, self, args) {
      const query = Reflect.apply(target as never, self, args) as PromiseLike<unknown>;
      const words = args[0] as readonly string[] | undefined;
      if (happened || !Array.isArray(words) || !words.join('').includes('as calls_before')) return query;
      happened = true;
      return query.then(async (rows) => {
        await happens();
        return rows;
      });
    },
  });
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const { options } = fixture.sql;
  let statements = 0;
  options.debug = () => void statements++;
  await work();
  options.debug = false;
  return statements;
}

async function subscribe(workspace_id: string): Promise<void> {
  const row = { workspace_id, id: newId(), url: 'https://receiver.example/hook', description: '', events: ['*'] };
  const secret = {
    secret: Buffer.from('x'),
    secret_hint: '',
    created_at: new Date(),
    created_by: 'tests',
    active: true,
  };
  await fixture.sql`insert into webhook_endpoints ${fixture.sql({ ...row, ...secret } as never)}`;
}

it('takes two statements, however much is written', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(5, {
    welcome_message: 'Hello {name}',
    webhook_url: 'https://agent.example/hook',
  });
  await subscribe(tenant.workspace_id);
  await placeCall(sql, clock, request(tenant));
  expect(await statementsOf(() => placeCall(sql, clock, request(tenant)))).toBe(2);
  expect(await written(tenant)).toEqual({ calls: 2, events: 2, audited: 2, deliveries: 4 });
  const calls = Array.from({ length: 30 }, () => ({ to_number: TO, user_data: {} }));
  const ofBatch = { ...tenant, batch_id: newId(), actor: named('a batch'), calls };
  // With `begin` and `commit`.
  expect(await statementsOf(() => sql.begin((tx) => placeCallsIn(tx, clock.wall(), ofBatch)))).toBe(4);
  expect(await written(tenant)).toEqual({ calls: 32, events: 32, audited: 2, deliveries: 64 });
});

it('knows the variables of the version that the call was placed with', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(5, { welcome_message: 'Hello {name}' });
  const missing = async () => (await fixture.timeline(await placeCall(sql, clock, request(tenant))))[0]!.data.missing;
  expect(await missing()).toEqual(['name']);
  await sql`update agents set welcome_message = 'Hello {first} {last}', version = version + 1 where id = ${tenant.agent_id}`;
  expect(await missing()).toEqual(['first', 'last']);
});

it('places requests that come together with the statements of two, each with its own author, key and position', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant();
  await placeCall(sql, clock, request(tenant));
  const place = createPatientPlacer();
  const keys = Array.from({ length: 20 }, (_, nth) => keyOf(tenant, `order ${nth}`));
  let placed: Awaited<ReturnType<typeof place>>[] = [];
  const statements = await statementsOf(async () => {
    placed = await Promise.all(
      keys.map((key, nth) =>
        place(request(tenant, { key, to_number: `+9198111122${10 + nth}`, actor: named(`key ${nth}`) })),
      ),
    );
  });
  expect(statements).toBe(4);
  expect(placed.map(({ to_number, started_by }) => [to_number, started_by])).toEqual(
    keys.map((_, nth) => [`+9198111122${10 + nth}`, `key ${nth}`]),
  );
  expect(placed.map((call) => call.queue_position).sort((a, b) => a - b)).toEqual(keys.map((_, nth) => nth + 2));
  expect(await written(tenant)).toMatchObject({ calls: 21, events: 21, audited: 21 });
  const stored = new Map((await keysOf(tenant)).map(({ key, ...rest }) => [key, rest]));
  expect(keys.map(({ key }) => stored.get(key))).toEqual(
    placed.map(({ id }) => ({ carried_out: true, status: 201, response: id })),
  );
});

it('places calls of many agents and workspaces with the statements of one, and refuses each for its own reason', async () => {
  const { sql } = fixture;
  const tenants = await Promise.all(Array.from({ length: 4 }, () => fixture.tenant()));
  const [first, paused, poor, gone] = tenants as [Tenant, Tenant, Tenant, Tenant];
  const second = { ...first, agent_id: await fixture.agent(first.workspace_id) };
  await sql`update agents set status = 'paused' where id = ${paused.agent_id}`;
  await sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${poor.workspace_id}`;
  const place = createPatientPlacer();
  const tenantsOfCalls = [first, second, paused, poor, { ...gone, agent_id: newId() }, first, gone];
  let results: PromiseSettledResult<PlacedCall>[] = [];
  const statements = await statementsOf(async () => {
    results = await Promise.allSettled([first, ...tenantsOfCalls].map((tenant) => place(request(tenant))));
  });
  expect(statements).toBe(4);
  const answers = results.map((result) =>
    result.status === 'fulfilled' ? result.value.queue_position : result.reason.status,
  );
  expect(answers.slice(3, 6)).toEqual([409, 402, 404]);
  expect(answers.at(-1)).toBe(1);
  // Ids of the same millisecond are in any order.
  expect([0, 1, 2, 6].map((nth) => answers[nth]).toSorted()).toEqual([1, 2, 3, 4]);
  expect(await written(first)).toMatchObject({ calls: 4, events: 4, audited: 4 });
});

it('returns what it has written', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant();
  const not_before = new Date(clock.wall() + 60_000);
  const user_data = { name: 'Ravi', order: 4.5, first: true };
  const { queue_position, ...call } = await placeCall(sql, clock, request(tenant, { not_before, user_data }));
  expect(queue_position).toBe(1);
  // A column that no program uses any more.
  expect(await fixture.read(call.id)).toEqual({ ...call, heartbeat_at: null });
});

it('places no call whose key is in use, and those that came with it', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant();
  const place = createPatientPlacer();
  const used = keyOf(tenant, 'used');
  await createIdempotency({ sql, clock }).claim(used);
  const keys = [keyOf(tenant, 'a'), keyOf(tenant, 'b'), keyOf(tenant, 'used'), keyOf(tenant, 'c')];
  const results = await Promise.allSettled(keys.map((key) => place(request(tenant, { key }))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: expect.any(KeyTakenError) });
  expect(await written(tenant)).toEqual({ calls: 3, events: 3, audited: 3, deliveries: 0 });
});

it('refuses one of several that the database does not take, and places the others', async () => {
  const tenant = await fixture.tenant();
  const place = createPatientPlacer();
  const values = ['a', 'b', '\0', 'c'];
  const results = await Promise.allSettled(values.map((value) => place(request(tenant, { user_data: { value } }))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await written(tenant)).toMatchObject({ calls: 3, events: 3, audited: 3 });
});

it.each([
  ['agent', (tx: Transaction, { agent_id }: Tenant) => tx`select 1 from agents where id = ${agent_id} for update`],
  [
    'workspace',
    (tx: Transaction, { workspace_id }: Tenant) => tx`select 1 from workspaces where id = ${workspace_id} for update`,
  ],
])('lets no call wait for the row of another %s', async (_, lock) => {
  const { sql, clock } = fixture;
  const [held, free] = [await fixture.tenant(), await fixture.tenant()];
  const place = createPlacer({ sql, clock });
  let waits: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await lock(tx, held);
    waits = Promise.all([place(request(held)), place(request(held))]);
    await Promise.all([place(request(free)), place(request(free))]);
    expect(await written(held)).toMatchObject({ calls: 0 });
  });
  await waits;
  expect(await written(held)).toMatchObject({ calls: 2 });
});

it.each([
  [
    'deleted',
    404,
    'agent not found',
    (tenant: Tenant) => fixture.sql`delete from agents where id = ${tenant.agent_id}`,
  ],
  [
    'paused',
    409,
    'the agent is paused',
    (tenant: Tenant) => fixture.sql`update agents set status = 'paused' where id = ${tenant.agent_id}`,
  ],
] as const)('writes nothing for an agent that is %s meanwhile', async (_, status, detail, change) => {
  const tenant = await fixture.tenant();
  const { workspace_id } = tenant;
  await subscribe(workspace_id);
  const happens = async () => {
    await fixture.sql`update numbers set agent_id = null where agent_id = ${tenant.agent_id}`;
    await change(tenant);
  };
  const placing = placeCall(afterTheFirst(happens), fixture.clock, request(tenant, { key: keyOf(tenant, 'order') }));
  await expect(placing).rejects.toMatchObject({ status, detail });
  expect(await written(tenant)).toEqual({ calls: 0, events: 0, audited: 0, deliveries: 0 });
  expect(await keysOf(tenant)).toEqual([]);
});

it('calls from another number when the first is released meanwhile', async () => {
  const tenant = await fixture.tenant();
  const other = await fixture.number(tenant.workspace_id, tenant.agent_id);
  const release = () => fixture.sql`update numbers set status = 'released' where number = ${tenant.number}`;
  const call = await placeCall(
    afterTheFirst(async () => release()),
    fixture.clock,
    request(tenant),
  );
  expect(call.from_number).toBe(other);
  const { number } = tenant;
  const placing = placeCall(fixture.sql, fixture.clock, request(tenant, { from_number: number }));
  await expect(placing).rejects.toMatchObject({
    status: 400,
    detail: `${number} is not an active number of this workspace`,
  });
});
