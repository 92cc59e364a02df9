import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { openSession } from '../../../../control/calls/engines/sessions.ts';
import { requestSession } from '../../../../media/session-request.ts';
import {
  type OpenSessionRequest,
  openSessionReplyCodec,
  openSessionRequestCodec,
} from '../../../../shared/bus/messages.ts';
import { toolHeaders } from '../../../support/tool-headers.ts';
import { type CallFixture, createCallFixture, log, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});

it("has the values of tools' headers, which are sealed in the database", async () => {
  const tools = [
    { name: 'book', description: 'Books.', url: 'https://shop.example.com/', headers: { key: 'a secret' } },
  ];
  const shop = await fixture.tenant(1, { tools });
  const { session } = await open(await fixture.ringing(shop));
  expect(JSON.parse(session!.agent_json).tools).toMatchObject(tools);
});

it("has the values of tools' headers sealed for an engine that sends a key, which opens them", async () => {
  const tools = [
    { name: 'book', description: 'Books.', url: 'https://shop.example.com/', headers: { key: 'a secret' } },
  ];
  const call = await fixture.ringing(await fixture.tenant(1, { tools }));
  const bus = {
    async openSession(request: OpenSessionRequest) {
      const sent = openSessionRequestCodec.decode(openSessionRequestCodec.encode(request));
      const bytes = openSessionReplyCodec.encode(await open(call, sent));
      expect(Buffer.from(bytes).includes('a secret')).toBe(false);
      return openSessionReplyCodec.decode(bytes);
    },
  };
  const { id: call_id, provider_call_id } = call;
  const request = { call_id, nonce: 'n'.repeat(16), engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
  const { session } = await requestSession(request, { bus, clock: fixture.clock, log });
  expect(JSON.parse(session!.agent_json).tools).toMatchObject(tools);
});

function open({ id, provider_call_id }: CallRow, more: Partial<OpenSessionRequest> = {}) {
  const request = { call_id: id, nonce: 'n'.repeat(16), engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
  return openSession({ sql: fixture.sql, clock: fixture.clock, log, toolHeaders }, { ...request, ...more });
}
async function ringing(change: Partial<CallRow> = {}): Promise<CallRow> {
  const { id } = await fixture.ringing(tenant);
  if (Object.keys(change).length > 0)
    await fixture.sql`update live_calls set ${fixture.sql(change as never)} where id = ${id}`;
  return fixture.read(id);
}

describe('a token', () => {
  it('opens the session for its engine again, and for no other engine or token', async () => {
    const call = await ringing();
    const first = await open(call);
    expect(first.refused).toBe('');
    expect(await open(call)).toEqual(first);
    const used = { refused: 'the token was used before' };
    expect(await open(call, { engine_id: 'engine-2' })).toEqual(used);
    expect(await open(call, { nonce: 'm'.repeat(16) })).toEqual(used);
    expect(await fixture.read(call.id)).toMatchObject({ media_nonce: 'n'.repeat(16), engine_id: 'engine-1' });
  });

  it.each<[string, Partial<CallRow>, Partial<OpenSessionRequest>]>([
    ["of a phone call with a browser's stream", {}, { carrier: 'browser' }],
    ["of a browser call with a carrier's stream", { channel: 'web', provider: '' }, {}],
  ])('is refused: %s', async (_, change, request) => {
    expect(await open(await ringing(change), request)).toEqual({ refused: 'the call is another carrier call' });
  });

  it.each<[string, Partial<CallRow>]>([
    ['the call is being hung up', { hangup_requested_reason: 'hung up by Ravi' }],
    ['the agent was deleted', { agent_id: null }],
    ['the agent was deleted', { agent_id: 'e'.repeat(32) }],
    ['the call is in-progress', { status: 'in-progress' }],
    ['the call is canceled', { status: 'canceled', hangup_reason: 'canceled' }],
    [
      'the call was canceled: no audio within 30 seconds',
      { status: 'canceled', channel: 'web', hangup_reason: 'canceled' },
    ],
    ['the call is busy', { status: 'busy', channel: 'web', hangup_reason: 'busy' }],
  ])('is refused: %s', async (refused, change) => {
    const call = await ringing(change);
    expect(await open(call)).toEqual({ refused });
    expect((await fixture.read(call.id)).media_nonce).toBeNull();
  });
});

describe('a session', () => {
  it('names who started a browser call, and not who placed a phone call', async () => {
    const web = await ringing({ channel: 'web', provider: '' });
    expect((await open(web, { carrier: 'browser' })).session).toMatchObject({ started_by: 'key one' });
    expect((await open(await ringing())).session).toMatchObject({ started_by: '' });
  });

  it('has the configuration of the agent where nothing is left out of it', async () => {
    const { session } = await open(await ringing());
    expect(JSON.parse(session!.agent_json)).toMatchObject({ name: 'Asha', call: { transfer_enabled: false } });
  });
});
