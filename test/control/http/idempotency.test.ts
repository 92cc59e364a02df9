import { beforeAll, describe, expect, it } from 'vitest';
import { createIdempotency, markCarriedOut } from '../../../control/http/idempotency.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let api: TestApi;
let acme: Client;
let agentId: string;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace();
  agentId = await furnish(acme, '+919811110001');
});

async function furnish(client: Client, number: string): Promise<string> {
  const { workspace_id } = client;
  await api.sql`insert into numbers ${api.sql({
    ...{ number, workspace_id, agent_id: null, provider: 'twilio', created_at: new Date() },
  })}`;
  return (await client.send('POST', '/agents', { name: 'Asha' })).body.id;
}

const placeCall = (key: string, body: object = { to_number: '+919811112222' }, client = acme, agent = agentId) =>
  client.send('POST', `/agents/${agent}/call`, body, { 'idempotency-key': key });
const callsOf = async ({ workspace_id }: Client) => {
  const [row] = await api.sql`select count(*)::integer as count from calls where workspace_id = ${workspace_id}`;
  return row!.count;
};

describe('a call with an Idempotency-Key', () => {
  it('is placed once, and its response is replayed', async () => {
    const first = await placeCall('order 42');
    const again = await placeCall('order 42');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(await callsOf(acme)).toBe(1);
  });

  it('is the same with its fields in another order, and conflicts with another body', async () => {
    const body = { to_number: '+919811113333', user_data: { a: 1, b: 2 } };
    const first = await placeCall('order 43', body);
    const same = await placeCall('order 43', { user_data: { b: 2, a: 1 }, to_number: '+919811113333' });
    expect(same.body.id).toBe(first.body.id);
    const { status, body: refusal } = await placeCall('order 43', { ...body, to_number: '+919811114444' });
    expect(status).toBe(422);
    expect(refusal.detail[0]).toMatchObject({ type: 'value_error', loc: ['header', 'idempotency-key'] });
  });

  it('is placed once when it is sent many times at once', async () => {
    const other = await api.newWorkspace();
    const agent = await furnish(other, '+919811110002');
    const answers = await Promise.all(Array.from({ length: 12 }, () => placeCall('at once', undefined, other, agent)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
    expect(answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed'])).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status === 409) expect(body.detail).toBe('the first request with this Idempotency-Key is still running');
    }
    expect(await callsOf(other)).toBe(1);
  });

  it('is placed once while another process works on it', async () => {
    const body = { to_number: '+919811115555' };
    const { workspace_id } = acme;
    const path = `/api/v1/agents/${agentId}/call`;
    const elsewhere = { workspace_id, key: 'elsewhere', request_id: newId(), method: 'POST', path, body };
    const idempotency = createIdempotency({ sql: api.sql, clock: createVirtualClock(Date.now()) });
    await idempotency.claim(elsewhere);
    const before = await callsOf(acme);
    expect((await placeCall('elsewhere', body)).status).toBe(409);
    expect((await placeCall('elsewhere', { to_number: '+919811116666' })).status).toBe(422);
    await idempotency.store(elsewhere, { status: 201, body: '{"id":"theirs"}' });
    const again = await placeCall('elsewhere', body);
    expect([again.status, again.body, await callsOf(acme)]).toEqual([201, { id: 'theirs' }, before]);
  });

  it('is separate for each workspace', async () => {
    const other = await api.newWorkspace();
    const agent = await furnish(other, '+919811110003');
    expect((await placeCall('shared', undefined, acme)).status).toBe(201);
    const theirs = await placeCall('shared', undefined, other, agent);
    expect([theirs.status, theirs.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('replays a 4xx too', async () => {
    await acme.send('PUT', `/agents/${agentId}`, { name: 'Asha', status: 'paused' });
    expect((await placeCall('paused')).status).toBe(409);
    await acme.send('PUT', `/agents/${agentId}`, { name: 'Asha', status: 'active' });
    const again = await placeCall('paused');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([409, 'true']);
    expect(again.body).toEqual({ detail: 'the agent is paused' });
  });

  it('is free after a validation error', async () => {
    expect((await placeCall('broken', { to_number: 'x' })).status).toBe(422);
    expect((await placeCall('broken')).status).toBe(201);
  });

  it('must be printable ASCII', async () => {
    for (const key of ['x'.repeat(201), 'ключ', 'a\tb']) {
      const { status, body } = await placeCall(key);
      expect([status, body.detail?.[0]?.loc]).toEqual([422, ['header', 'idempotency-key']]);
    }
    expect((await placeCall('x'.repeat(200))).status).toBe(201);
  });
});

describe('a key', () => {
  const request = (workspace_id: string, request_id: string) => ({
    ...{ workspace_id, request_id, key: 'k', method: 'POST', path: '/x', body: { a: 1 } },
  });

  it('is free again after a day', async () => {
    const clock = createVirtualClock();
    const idempotency = createIdempotency({ sql: api.sql, clock });
    const { workspace_id } = await api.newWorkspace();
    const first = request(workspace_id, newId());
    expect(await idempotency.claim(first)).toBeNull();
    await idempotency.store(first, { status: 201, body: '{}' });
    await clock.advance(24 * 3_600_000 - 1_000);
    expect(await idempotency.claim(request(workspace_id, newId()))).toEqual({ status: 201, body: '{}' });
    await clock.advance(2_000);
    expect(await idempotency.claim({ ...request(workspace_id, newId()), body: { b: 2 } })).toBeNull();
  });

  it('whose request died is free after a minute, unless the change was committed', async () => {
    const clock = createVirtualClock();
    const idempotency = createIdempotency({ sql: api.sql, clock });
    const { workspace_id } = await api.newWorkspace();
    const dead = request(workspace_id, newId());
    await idempotency.claim(dead);
    await expect(idempotency.claim(request(workspace_id, newId()))).rejects.toMatchObject({ status: 409 });
    await clock.advance(61_000);
    const second = request(workspace_id, newId());
    expect(await idempotency.claim(second)).toBeNull();
    // The first one was only slow: its response must not become the second one's.
    await idempotency.store(dead, { status: 201, body: '{}' });
    await markCarriedOut(api.sql, second);
    await clock.advance(61_000);
    await expect(idempotency.claim(request(workspace_id, newId()))).rejects.toMatchObject({
      status: 409,
      detail: 'the first request with this Idempotency-Key was carried out, but its response was lost',
    });
  });

  it('is free after a 500, unless the change was committed', async () => {
    const idempotency = createIdempotency({ sql: api.sql, clock: createVirtualClock() });
    const { workspace_id } = await api.newWorkspace();
    const first = request(workspace_id, newId());
    await idempotency.claim(first);
    await idempotency.release(first);
    const second = request(workspace_id, newId());
    expect(await idempotency.claim(second)).toBeNull();
    await markCarriedOut(api.sql, second);
    await idempotency.release(second);
    await expect(idempotency.claim(request(workspace_id, newId()))).rejects.toMatchObject({ status: 409 });
  });
});
