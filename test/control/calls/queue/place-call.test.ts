import { beforeAll, expect, it } from 'vitest';
import { createPlacer } from '../../../../control/calls/queue/gather-placements.ts';
import { type PlaceCallRequest, placeCall, placeCallsIn } from '../../../../control/calls/queue/place-call.ts';
import type { Sql } from '../../../../control/db/connect.ts';
import { createIdempotency } from '../../../../control/http/idempotency.ts';
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
  const { workspace_id } = tenant;
  await placeCall(sql, clock, request(tenant));
  const place = createPlacer({ sql, clock });
  const claims = await Promise.all(
    Array.from({ length: 20 }, async (_, nth) => {
      const claim = { workspace_id, key: `order ${nth}`, request_id: newId() };
      await createIdempotency({ sql, clock }).claim({ ...claim, method: 'POST', path: '/', body: nth });
      return claim;
    }),
  );
  let placed: Awaited<ReturnType<typeof place>>[] = [];
  const statements = await statementsOf(async () => {
    placed = await Promise.all(
      claims.map((claim, nth) =>
        place(request(tenant, { claim, to_number: `+9198111122${10 + nth}`, actor: named(`key ${nth}`) })),
      ),
    );
  });
  expect(statements).toBe(4);
  expect(placed.map(({ to_number, started_by }) => [to_number, started_by])).toEqual(
    claims.map((_, nth) => [`+9198111122${10 + nth}`, `key ${nth}`]),
  );
  expect(placed.map((call) => call.queue_position).sort((a, b) => a - b)).toEqual(claims.map((_, nth) => nth + 2));
  expect(await written(tenant)).toMatchObject({ calls: 21, events: 21, audited: 21 });
  const [marked] = await sql`
    select count(*)::integer as count from idempotency_keys where workspace_id = ${workspace_id} and carried_out`;
  expect(marked!.count).toBe(20);
});

it('refuses one of several that the database does not take, and places the others', async () => {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant();
  const place = createPlacer({ sql, clock });
  const values = ['a', 'b', '\0', 'c'];
  const results = await Promise.allSettled(values.map((value) => place(request(tenant, { user_data: { value } }))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await written(tenant)).toMatchObject({ calls: 3, events: 3, audited: 3 });
});

it('does not let one agent wait for another', async () => {
  const { sql, clock } = fixture;
  const [held, free] = [await fixture.tenant(), await fixture.tenant()];
  const place = createPlacer({ sql, clock });
  let waits: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`select 1 from agents where id = ${held.agent_id} for update`;
    waits = Promise.all([place(request(held)), place(request(held))]);
    await place(request(free));
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
  const claim = { workspace_id, key: 'order', request_id: newId() };
  await createIdempotency(fixture).claim({ ...claim, method: 'POST', path: '/', body: {} });
  const happens = async () => {
    await fixture.sql`update numbers set agent_id = null where agent_id = ${tenant.agent_id}`;
    await change(tenant);
  };
  const placing = placeCall(afterTheFirst(happens), fixture.clock, request(tenant, { claim }));
  await expect(placing).rejects.toMatchObject({ status, detail });
  expect(await written(tenant)).toEqual({ calls: 0, events: 0, audited: 0, deliveries: 0 });
  const [key] = await fixture.sql`select carried_out from idempotency_keys where workspace_id = ${workspace_id}`;
  expect(key).toEqual({ carried_out: false });
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
