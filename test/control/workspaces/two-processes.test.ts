import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../control/accounts/account.ts';
import { buildApp } from '../../../control/app.ts';
import { readControlConfig } from '../../../control/config.ts';
import { onePool } from '../../../control/db/pools.ts';
import { suspend } from '../../../control/operators/workspaces.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { type Client, request, startTestApi, type TestApi } from '../../support/control-app.ts';

/** Two processes on one database: what one revokes, the other refuses from the next request on. */
let api: TestApi;
let other: FastifyInstance;

beforeAll(async () => {
  api = await startTestApi();
  const config = readControlConfig({
    DATABASE_URL: 'postgres://x',
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    RECORDINGS_DIR: '/nowhere',
  });
  const log = createLogger('control', 'silent');
  const app = await buildApp({
    pools: onePool(api.sql),
    bus: { connected: () => true } as Bus,
    clock: systemClock,
    log,
    config,
  });
  other = app.http;
  afterFile(async () => {
    await other.close();
    await app.stop();
  });
});

const askOther = (key: string) => request(other, { url: '/api/v1/agents', headers: { 'x-api-key': key } });

/** Uses the key at the other process all the while, so that it is always cached there. */
async function whileInUse(key: string, change: () => Promise<unknown>) {
  let changed = false;
  const asking = (async () => {
    const seen: number[] = [];
    while (!changed) seen.push((await askOther(key)).status);
    return seen;
  })();
  expect((await askOther(key)).status).toBe(200);
  await change();
  const after = await askOther(key);
  changed = true;
  expect((await asking)[0]).toBe(200);
  return after;
}

describe('another process refuses the very next request', () => {
  it.each([1, 2, 3, 4, 5])('of a revoked key, time %i', async () => {
    const acme = await api.asUser('owner');
    const { body } = await acme.send('POST', '/keys', { name: 'short-lived' });
    const after = await whileInUse(body.key, async () => {
      expect((await acme.send('DELETE', `/keys/${body.id}`)).status).toBe(204);
    });
    expect([after.status, after.body.detail]).toEqual([401, 'invalid, expired or revoked credentials']);
  });

  it('of a suspended workspace', async () => {
    const acme = await api.newWorkspace();
    const after = await whileInUse(acme.key, () =>
      suspend({ sql: api.sql, wallMs: Date.now() }, acme.workspace_id, 'unpaid'),
    );
    expect([after.status, after.body.code]).toEqual([403, 'workspace_inactive']);
  });

  it('of a workspace that was closed with its only member', async () => {
    const owner = await api.asUser('owner');
    const { body } = await owner.send('POST', '/keys', { name: 'robot' });
    const requestContext = {
      address: '',
      client: '',
      request_id: '',
      from_browser: false,
      device: '',
      session_id: null,
    };
    const accounts = { sql: api.sql, clock: systemClock, onWorkspaceClosed: async () => {} };
    const after = await whileInUse(body.key, () => deleteAccount(accounts as never, requestContext, owner.user_id));
    expect(after.status).toBe(403);
  });

  it('of an ended session, and of a member who was removed', async () => {
    const owner = await api.asUser('owner');
    const member = await api.asUser('developer', owner.workspace_id);
    const ask = () => request(other, { url: '/api/v1/agents', headers: { authorization: `Bearer ${member.token}` } });
    expect((await ask()).status).toBe(200);
    expect((await owner.send('PATCH', `/members/${member.user_id}`, { role: 'viewer' })).status).toBe(200);
    const headers = { authorization: `Bearer ${member.token}` };
    const saved = await request(other, { method: 'POST', url: '/api/v1/agents', headers, payload: { name: 'A' } });
    expect(saved.status).toBe(403);
    expect((await owner.send('DELETE', `/members/${member.user_id}`)).status).toBe(204);
    expect((await ask()).status).toBe(400);
    expect((await member.send('DELETE', `/account/sessions/${member.session_id}`)).status).toBe(204);
    expect((await ask()).status).toBe(401);
  });
});

describe('an agent is never stale, whichever process changed it', () => {
  let acme: Client;
  let id: string;
  const read = (headers: Record<string, string> = {}) =>
    request(other, { url: `/api/v1/agents/${id}`, headers: { 'x-api-key': acme.key, ...headers } });
  /** The list is never cached. */
  const listed = async () => (await acme.send('GET', '/agents')).body.find((agent: { id: string }) => agent.id === id);

  beforeAll(async () => {
    acme = await api.newWorkspace();
    const tools = [
      {
        name: 'look_up',
        description: 'Looks something up',
        url: 'https://example.com',
        headers: { Authorization: 'Bearer 1' },
      },
    ];
    const made = await acme.send('POST', '/agents', { name: 'Asha', tools });
    expect(made.status).toBe(201);
    id = made.body.id;
  });

  it('after a saved change, a freeze, and a number added or removed', async () => {
    const { sql } = api;
    const { workspace_id } = acme;
    const changes: [what: string, change: () => Promise<unknown>][] = [
      ['saved', () => acme.send('PUT', `/agents/${id}`, { name: 'Asha 2' })],
      ['restored', () => acme.send('POST', `/agents/${id}/versions/1/restore`)],
      ['frozen', () => sql`update agents set status = 'frozen', frozen_reason = 'rule' where id = ${id}`],
      [
        'twice in a transaction',
        () =>
          sql.begin(async (tx) => {
            await tx`update agents set frozen_reason = 'one' where id = ${id}`;
            await tx`update agents set frozen_reason = 'two' where id = ${id}`;
          }),
      ],
      [
        'numbered',
        () => sql`
        insert into numbers (workspace_id, number, provider, agent_id, connected_at, created_at)
        values (${workspace_id}, '+911140000007', 'twilio', ${id}, now(), now())`,
      ],
      ['disconnected', () => sql`update numbers set agent_id = null where workspace_id = ${workspace_id}`],
    ];
    for (const [what, change] of changes) {
      await read();
      const cached = await read();
      expect(cached.status, what).toBe(200);
      await change();
      const [after, fresh] = [await read(), await listed()];
      expect(after.body, what).toEqual(fresh);
      expect(after.body, what).not.toEqual(cached.body);
    }
  });

  it('in another time zone, by another role, and with the same headers', async () => {
    const tools = [
      {
        name: 'look_up',
        description: 'Looks something up',
        url: 'https://example.com',
        headers: { Authorization: 'Bearer 1' },
      },
    ];
    await acme.send('PUT', `/agents/${id}`, { name: 'Asha', tools });
    const viewer = await api.asUser('viewer', acme.workspace_id);
    for (let time = 0; time < 2; time++) {
      const own = await read();
      expect(own.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(own.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(own.body))));
      expect(own.headers).toMatchObject({ 'x-timezone': 'Asia/Kolkata', 'x-ratelimit-limit': '1000000' });
      expect(own.body.created_at).toMatch(/\+05:30$/);
      expect((await read({ 'x-timezone': 'UTC' })).body.created_at).toMatch(/\+00:00$/);
      expect(own.body.tools[0].headers).toEqual({ Authorization: 'Bearer 1' });
      const shown = await viewer.send('GET', `/agents/${id}`);
      expect(shown.body.tools[0].headers).toEqual({ Authorization: '***' });
    }
    const stranger = await api.newWorkspace();
    expect((await stranger.send('GET', `/agents/${id}`)).status).toBe(404);
  });

  it('after its deletion', async () => {
    expect((await read()).status).toBe(200);
    expect((await acme.send('DELETE', `/agents/${id}`)).status).toBe(204);
    const gone = await read();
    expect([gone.status, gone.body.detail]).toEqual([404, 'agent not found']);
  });
});
