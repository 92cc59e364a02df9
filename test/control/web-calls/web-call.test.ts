import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { endSilentWebCalls } from '../../../control/calls/lifecycle/end-silent-web-calls.ts';
import { parseIceUrls } from '../../../control/web-calls/web-session.ts';
import type { HangUpCommand } from '../../../shared/bus/messages.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { readMediaToken } from '../../../shared/media-token.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createShiftedClock } from '../calls/call-fixture.ts';

const SECRET = 'a secret of the tests';
const clock = createShiftedClock();
const log = createLogger('test', 'silent');
const commands: HangUpCommand[] = [];
const bus = {
  async sendHangUp(command: HangUpCommand) {
    commands.push(command);
    return { done: true, detail: '' };
  },
  /** Number of the last event that is on the bus and not read. */
  unreadSeq: 0,
  lastEventSeq: async (): Promise<number> => bus.unreadSeq,
  reachableForMs: () => Number.POSITIVE_INFINITY,
};
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi(
    bus,
    {
      PUBLIC_MEDIA_URL: 'wss://media.example.com/',
      ICE_SERVERS: 'stun:stun.example.com:3478, turn:turn.example.com:3478?transport=udp',
      TURN_SECRET: 'shared with the relay',
    },
    { clock },
  );
});

async function agentOf(client: Client, config: object = {}): Promise<string> {
  const { body } = await client.send('POST', '/agents', {
    name: 'Maya',
    welcome_message: 'Hello.',
    system_prompt: 'Be brief.',
    ...config,
  });
  return body.id;
}

const webCall = (client: Client, agentId: string, body: object = {}, headers: Record<string, string> = {}) =>
  client.send('POST', `/agents/${agentId}/web-call`, body, headers);

const setLimit = (client: Client, limit: number) =>
  api.sql`update workspaces set concurrency_limit = ${limit} where id = ${client.workspace_id}`;

const opens = (token: string, carrier = 'browser', wallMs = clock.wall()) => {
  const read = readMediaToken(SECRET, token, wallMs);
  if (typeof read === 'string') throw new Error(read);
  const { call_id, nonce } = read;
  const request = { call_id, nonce, engine_id: 'engine-1', carrier, provider_call_id: '' };
  return openSession({ sql: api.sql, clock: { ...clock, wall: () => wallMs }, log }, request);
};

const sweep = (wallMs = clock.wall()) =>
  endSilentWebCalls({ sql: api.sql, clock: { ...clock, wall: () => wallMs }, log, bus });

describe('POST /agents/{agent_id}/web-call', () => {
  it("takes a slot at once and returns the engine's URL for the browser", async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    const { status, body } = await webCall(client, agent, { user_data: { name: 'Ravi', age: 31 } });
    expect(status).toBe(201);
    expect(body.call).toMatchObject({
      agent_id: agent,
      agent_name: 'Maya',
      direction: 'inbound',
      channel: 'web',
      status: 'ringing',
      from_number: '',
      to_number: '',
      provider: '',
      user_data: { name: 'Ravi', age: 31 },
      queue_position: null,
    });
    const { url, token, expires_at, ice_servers } = body.session;
    expect(url).toBe(`wss://media.example.com/web/${token}`);
    const leftMs = Date.parse(expires_at) - clock.wall();
    expect(leftMs).toBeGreaterThan(30_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect(readMediaToken(SECRET, token, clock.wall())).toMatchObject({ call_id: body.call.id });
    expect(readMediaToken(SECRET, token, clock.wall() + 61_000)).toBe('expired');

    expect(ice_servers).toHaveLength(2);
    expect(ice_servers[0]).toEqual({ urls: ['stun:stun.example.com:3478'] });
    const [, relay] = ice_servers;
    expect(relay.urls).toEqual(['turn:turn.example.com:3478?transport=udp']);
    const signed = createHmac('sha1', 'shared with the relay').update(relay.username).digest('base64');
    expect(relay.credential).toBe(signed);
    expect(Number(relay.username.split(':')[0]) * 1000).toBeGreaterThan(clock.wall());

    // The timeline begins with the engine's `call.started`.
    expect((await client.send('GET', `/calls/${body.call.id}/events`)).body).toEqual([]);
  });

  it('opens one session for its token', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client), { user_data: { name: 'Ravi' } });
    const reply = await opens(body.session.token);
    expect(reply.session).toMatchObject({ call_id: body.call.id, channel: 'web', direction: 'inbound' });
    expect(JSON.parse(reply.session!.user_data_json)).toEqual({ name: 'Ravi' });
    const second = { call_id: body.call.id, nonce: '0123456789abcdef', engine_id: 'engine-2' };
    const asked = { ...second, carrier: 'browser', provider_call_id: '' };
    const refused = await openSession({ sql: api.sql, clock, log }, asked);
    expect(refused.refused).toBe('the token was used before');
  });

  it('is started by the person, or by the key', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    const person = await api.asUser('developer', client.workspace_id);
    const { body } = await webCall(person, agent);
    expect(body.call.started_by).toBe('The developer');
    // The engine reports it with `call.started`.
    expect((await opens(body.session.token)).session?.started_by).toBe('The developer');
    const viewer = await api.asUser('viewer', client.workspace_id);
    expect((await webCall(viewer, agent)).status).toBe(403);
  });

  it('refuses unknown, paused and frozen agents', async () => {
    const client = await api.newWorkspace();
    expect(await webCall(client, newId())).toMatchObject({ status: 404, body: { detail: 'agent not found' } });
    const foreign = await agentOf(await api.newWorkspace());
    expect((await webCall(client, foreign)).status).toBe(404);
    const paused = await agentOf(client, { status: 'paused' });
    expect(await webCall(client, paused)).toMatchObject({ status: 409, body: { detail: 'the agent is paused' } });
    await api.sql`update agents set status = 'frozen' where id = ${paused}`;
    expect(await webCall(client, paused)).toMatchObject({ status: 409, body: { detail: 'the agent is frozen' } });
  });

  it('refuses a bad body', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    const manyKeys = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]));
    for (const user_data of [[], 'x', { a: null }, { a: 'x'.repeat(2001) }, { '': 1 }, manyKeys]) {
      expect((await webCall(client, agent, { user_data })).status).toBe(422);
    }
  });

  it('never exceeds the slots with concurrent requests', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    await setLimit(client, 3);
    const answers = await Promise.all(Array.from({ length: 12 }, () => webCall(client, agent)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(9);
    expect(refused[0]!.body.detail).toBe('all call slots are busy');
  });

  it('is refused without credits, after every other check', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    await setLimit(client, 1);
    await api.sql`
      update wallets set paid_paise = 0, free_paise = 0, plan_seconds_left = 0 where workspace_id = ${client.workspace_id}`;
    const refused = await webCall(client, agent);
    expect(refused).toMatchObject({ status: 402, body: { detail: 'out of credits: add credits in Billing' } });
    expect((await client.send('GET', '/calls')).body.total).toBe(0);
    await api.sql`update wallets set paid_paise = 100 where workspace_id = ${client.workspace_id}`;
    expect((await webCall(client, agent)).status).toBe(201);
    await api.sql`update wallets set paid_paise = 0 where workspace_id = ${client.workspace_id}`;
    expect((await webCall(client, agent)).status).toBe(409);
  });

  it('is created once for one Idempotency-Key', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    const first = await webCall(client, agent, {}, { 'idempotency-key': 'one' });
    const second = await webCall(client, agent, {}, { 'idempotency-key': 'one' });
    expect(second.status).toBe(201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await client.send('GET', '/calls')).body.total).toBe(1);
  });
});

describe('POST /agents/{agent_id}/stream-call', () => {
  it('returns a URL that opens this call over a stream only, once', async () => {
    const client = await api.newWorkspace();
    const { status, body } = await client.send('POST', `/agents/${await agentOf(client)}/stream-call`, {});
    expect(status).toBe(201);
    expect(body.call).toMatchObject({ channel: 'web', provider: 'stream', status: 'ringing', direction: 'inbound' });
    const { token, url } = body.session;
    expect(url).toMatch(new RegExp(`^wss://.*/stream/${token}$`));
    expect(Object.keys(body.session).sort()).toEqual(['expires_at', 'token', 'url']);
    expect((await opens(token)).refused).toBe('the call is another carrier call');
    expect((await opens(token, 'stream')).session).toMatchObject({ channel: 'web' });
  });

  it('is not what a browser got', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    expect((await opens(body.session.token, 'stream')).refused).toBe('the call is another carrier call');
  });

  it('is canceled without a stream, and says so', async () => {
    const client = await api.newWorkspace();
    const { body } = await client.send('POST', `/agents/${await agentOf(client)}/stream-call`, {});
    clock.shift(30_500);
    await sweep();
    const { body: events } = await client.send('GET', `/calls/${body.call.id}/events`);
    expect(events).toMatchObject([{ type: 'call.ended', message: 'not connected: no audio on the stream' }]);
  });
});

describe('a browser call without audio', () => {
  it('is canceled after 30 seconds, not before, and frees its slot', async () => {
    const client = await api.newWorkspace();
    const agent = await agentOf(client);
    await setLimit(client, 1);
    const { body } = await webCall(client, agent);
    const [row] = await api.sql`select ringing_at from calls where id = ${body.call.id}`;
    const endMs = row!.ringing_at.getTime() + 30_000;
    await sweep(endMs - 1);
    expect((await client.send('GET', `/calls/${body.call.id}`)).body.status).toBe('ringing');
    await sweep(endMs);
    const { body: call } = await client.send('GET', `/calls/${body.call.id}`);
    expect(call).toMatchObject({ status: 'canceled', hangup_by: 'service', hangup_reason: 'canceled', cost_paise: 0 });
    const { body: events } = await client.send('GET', `/calls/${body.call.id}/events`);
    expect(events).toMatchObject([{ type: 'call.ended', level: 'warning' }]);
    // The token is valid for 60 seconds, but its call has ended.
    expect(readMediaToken(SECRET, body.session.token, endMs)).toMatchObject({ call_id: body.call.id });
    const late = await opens(body.session.token, 'browser', endMs);
    expect(late).toEqual({ refused: 'the call was canceled: no audio within 30 seconds' });
    const { body: after } = await client.send('GET', `/calls/${body.call.id}`);
    expect(after).toEqual(call);
    expect((await webCall(client, agent)).status).toBe(201);
  });

  it('is connected by audio at the last moment, and not after it', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    clock.shift(30_500);
    // The first to lock the row wins: the call is either canceled or connected.
    const [, opened] = await Promise.all([sweep(), opens(body.session.token)]);
    const { body: call } = await client.send('GET', `/calls/${body.call.id}`);
    if (opened.refused === '') expect(call.status).toBe('ringing');
    else expect(call).toMatchObject({ status: 'canceled', hangup_reason: 'canceled' });
  });

  it('is canceled when a member hangs up', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    await client.send('POST', `/calls/${body.call.id}/hangup`);
    expect((await opens(body.session.token)).refused).toBe('the call is being hung up');
    await sweep();
    expect((await opens(body.session.token)).refused).toBe('the call is canceled');
  });

  it('is left to the engine after its first audio, and ended when the engine does not', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    await opens(body.session.token);
    clock.shift(40_000);
    await sweep();
    expect((await client.send('GET', `/calls/${body.call.id}`)).body.status).toBe('ringing');
    clock.shift(31_000);
    commands.length = 0;
    await sweep();
    expect((await client.send('GET', `/calls/${body.call.id}`)).body.status).toBe('canceled');
    expect(commands).toContainEqual(expect.objectContaining({ call_id: body.call.id }));
  });

  it('is left to its events on the bus, however late they are read', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    await opens(body.session.token);
    bus.unreadSeq = 1;
    clock.shift(3_600_000);
    await sweep();
    expect((await client.send('GET', `/calls/${body.call.id}`)).body.status).toBe('ringing');
    bus.unreadSeq = 0;
    await sweep();
    expect((await client.send('GET', `/calls/${body.call.id}`)).body.status).toBe('canceled');
  });

  it('ends at once when it was hung up before its session was opened', async () => {
    const client = await api.newWorkspace();
    const { body } = await webCall(client, await agentOf(client));
    expect((await client.send('POST', `/calls/${body.call.id}/hangup`)).status).toBe(200);
    await sweep();
    const { body: call } = await client.send('GET', `/calls/${body.call.id}`);
    expect(call).toMatchObject({ status: 'canceled', hangup_by: 'member' });
    expect(call.hangup_reason).toMatch(/^hung up by /);
  });
});

describe('ICE_SERVERS', () => {
  it('accepts ICE servers and refuses everything else', () => {
    expect(parseIceUrls('')).toEqual([]);
    expect(parseIceUrls('turns:t.example.com:5349?transport=tcp')).toEqual(['turns:t.example.com:5349?transport=tcp']);
    for (const wrong of ['https://t.example.com', 'turn:', 'turn:a?transport=quic', 'stun:a/b']) {
      expect(() => parseIceUrls(wrong)).toThrow('ICE_SERVERS');
    }
    expect(() => parseIceUrls(Array.from({ length: 9 }, () => 'stun:a').join())).toThrow('more than 8');
  });
});
