import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { handleCarrierStatus } from '../../../control/calls/lifecycle/carrier-status.ts';
import { handleInboundCall } from '../../../control/calls/lifecycle/inbound-call.ts';
import { createCallbackReplays, deleteOldCallbacks } from '../../../control/carriers/callback-replays.ts';
import type { Carrier } from '../../../control/carriers/carrier.ts';
import { createExotel } from '../../../control/carriers/exotel.ts';
import { createPlivo } from '../../../control/carriers/plivo.ts';
import { carrierRoutes } from '../../../control/carriers/routes.ts';
import { createTelnyx } from '../../../control/carriers/telnyx.ts';
import { createTwilio } from '../../../control/carriers/twilio.ts';
import { createVonage } from '../../../control/carriers/vonage.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { plivoSignatureV3, twilioSignature } from '../../../fixtures/simulators/signatures.ts';
import { type CallFixture, createCallFixture, createShiftedClock, log, type Tenant } from '../calls/call-fixture.ts';

/** Callbacks that come a second time, as anybody can send them who read one on its way. */

const PUBLIC = 'https://api.example.com';
const KEY = 'k'.repeat(16);
const api_url = 'http://127.0.0.1:1';
const telnyxKeys = generateKeyPairSync('ed25519');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let fixture: CallFixture;
let tenant: Tenant;
/** Two processes over one database. */
let apps: FastifyInstance[];
let handled: string[] = [];
let failing = false;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
  apps = await Promise.all([startProcess(), startProcess()]);
});
afterEach(() => {
  handled = [];
  failing = false;
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

async function startProcess(): Promise<FastifyInstance> {
  const { sql, clock } = fixture;
  const carriers = new Map<Carrier['name'], Carrier>([
    ['twilio', createTwilio({ account_sid: 'AC1', auth_token: 'tw', api_url })],
    ['plivo', createPlivo({ auth_id: 'MA1', auth_token: 'pl', api_url })],
    ['exotel', createExotel({ account_sid: 'E1', api_key: 'k', api_token: 't', api_url, callback_key: KEY })],
    [
      'telnyx',
      createTelnyx({
        ...{ api_key: 'te', connection_id: '7', api_url },
        public_key: telnyxKeys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
      }),
    ],
    [
      'vonage',
      createVonage({
        ...{ application_id: 'app', signature_secret: 'vs', api_url, public_api_url: PUBLIC },
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }),
    ],
  ]);
  const app = await createHttpApp({ log, findPrincipal: async () => null });
  const engines = { headroom: () => 1 };
  carrierRoutes(app, {
    carriers,
    publicApiUrl: PUBLIC,
    replays: createCallbackReplays({ sql, clock, log }),
    events: {
      async inbound(provider, callback) {
        handled.push('inbound');
        const streamUrl = () => 'wss://m.example/t';
        return handleInboundCall({ sql, clock, log, engines, streamUrl }, provider, callback);
      },
      async answered() {
        handled.push('answered');
        return null;
      },
      async status(provider, callId, callback) {
        handled.push('status');
        if (failing) throw new Error('the database is away');
        await handleCarrierStatus({ sql, clock, log, settleLater: () => {} }, provider, callId, callback);
      },
    },
  });
  await app.ready();
  return app;
}

interface Sent {
  path: string;
  payload: string;
  headers: Record<string, string>;
}

/** Sends to the process; the second one after the first by default. */
const deliver = async ({ path, payload, headers }: Sent, process = 0) =>
  (await apps[process]!.inject({ method: 'POST', url: path, payload, headers })).statusCode;

type Fields = [string, string][];
const form = (path: string, fields: Fields, headers: Record<string, string>): Sent => ({
  path,
  payload: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
});
const json = (path: string, payload: string, headers: Record<string, string>): Sent => ({
  ...{ path, payload },
  headers: { 'content-type': 'application/json', ...headers },
});

const fromTwilio = (path: string, fields: Fields) =>
  form(path, fields, { 'x-twilio-signature': twilioSignature('tw', PUBLIC + path, fields) });

function fromPlivo(path: string, nonce: string): Sent {
  const fields: Fields = [
    ['CallUUID', 'p1'],
    ['CallStatus', 'ringing'],
  ];
  const signature = plivoSignatureV3('pl', 'POST', PUBLIC + path, nonce, fields);
  return form(path, fields, { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce });
}

function fromVonage(path: string, jti: string): Sent {
  const payload = JSON.stringify({ uuid: 'v1', status: 'ringing' });
  const payload_hash = createHash('sha256').update(payload).digest('hex');
  const claims = { application_id: 'app', iat: Math.floor(fixture.clock.wall() / 1000), jti, payload_hash };
  const text = [{ alg: 'HS256' }, claims]
    .map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'))
    .join('.');
  const signature = createHmac('sha256', 'vs').update(text).digest('base64url');
  return json(path, payload, { authorization: `Bearer ${text}.${signature}` });
}

function fromTelnyx(path: string, id: string): Sent {
  const payload = JSON.stringify({ data: { id, event_type: 'call.hangup', payload: { call_control_id: 't1' } } });
  const timestamp = String(Math.floor(fixture.clock.wall() / 1000));
  const signature = sign(null, Buffer.from(`${timestamp}|${payload}`), telnyxKeys.privateKey).toString('base64');
  return json(path, payload, { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature });
}

const SIGNED = [
  ['plivo', fromPlivo],
  ['vonage', fromVonage],
  ['telnyx', fromTelnyx],
] as const;

it.each(SIGNED)('handles a callback of %s once, whichever process it comes to', async (provider, from) => {
  const sent = from(`/carriers/${provider}/status`, 'one');
  expect([await deliver(sent), await deliver(sent), await deliver(sent, 1)]).toEqual([200, 403, 403]);
  expect(handled).toHaveLength(1);
  expect(await deliver(from(`/carriers/${provider}/status`, 'two'), 1)).toBe(200);
});

it.each(SIGNED)('handles one of two copies of a callback of %s that come at once', async (provider, from) => {
  const sent = from(`/carriers/${provider}/status`, 'at once');
  const [one, other] = (await Promise.all([deliver(sent, 0), deliver(sent, 1)])).sort();
  expect(one).toBe(200);
  // 503 while the first is being handled.
  expect([403, 503]).toContain(other);
  expect(handled).toHaveLength(1);
});

it('handles a callback again whose process died over it, not before it can have', async () => {
  const { sql } = fixture;
  const clock = createShiftedClock();
  const replays = createCallbackReplays({ sql, clock, log });
  const proof = { text: 'died', remembered_ms: 3_600_000 };
  const died = new Promise<void>((started) => {
    void replays.once('plivo', proof, () => {
      started();
      return new Promise(() => {});
    });
  });
  await died;
  const again = () => replays.once('plivo', proof, async () => 'handled');
  await expect(again()).rejects.toMatchObject({ status: 503 });
  clock.shift(31_000);
  expect(await again()).toBe('handled');
  await expect(again()).rejects.toMatchObject({ status: 403 });
});

it.each(['vonage', 'telnyx'] as const)(
  'refuses a callback of %s at another address, which is not signed',
  async (provider) => {
    const from = provider === 'vonage' ? fromVonage : fromTelnyx;
    const sent = from(`/carriers/${provider}/status`, 'three');
    const moved = { ...sent, path: `/carriers/${provider}/answer?call_id=${'0'.repeat(32)}` };
    expect([await deliver(sent), await deliver(moved)]).toEqual([200, 403]);
  },
);

it('refuses a callback of Telnyx whose signature is written otherwise', async () => {
  const sent = fromTelnyx('/carriers/telnyx/status', 'four');
  expect(await deliver(sent)).toBe(200);
  const signature = sent.headers['telnyx-signature-ed25519']!;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = letters.indexOf(signature[85]!);
  const same = `${signature.slice(0, 85) + letters[(last & 0b110000) | ((last + 1) & 0b1111)]}==`;
  expect(await deliver({ ...sent, headers: { ...sent.headers, 'telnyx-signature-ed25519': same } })).toBe(403);
});

it('refuses a callback of Plivo whose nonce has taken a part of a field', async () => {
  const fields: Fields = [['CallUUID', 'p1.5']];
  const path = '/carriers/plivo/status';
  const signature = plivoSignatureV3('pl', 'POST', PUBLIC + path, '6', fields);
  const headers = (nonce: string) => ({ 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce });
  expect(await deliver(form(path, fields, headers('6')))).toBe(200);
  expect(await deliver(form(path, [['CallUUID', 'p1']], headers('5.6')))).toBe(403);
});

it('handles a callback again whose handling failed', async () => {
  const sent = fromPlivo('/carriers/plivo/status', 'again');
  failing = true;
  expect(await deliver(sent)).toBe(500);
  failing = false;
  expect([await deliver(sent, 1), await deliver(sent)]).toEqual([200, 403]);
});

it('remembers a callback until its end, and nothing of it after', async () => {
  const { sql, clock } = fixture;
  await deliver(fromPlivo('/carriers/plivo/status', 'old'));
  const count = async () =>
    (await sql<{ count: number }[]>`select count(*)::int as count from carrier_callbacks`)[0]!.count;
  const before = await count();
  await deleteOldCallbacks(sql, clock.wall() + 23 * 3_600_000);
  expect([before > 0, (await count()) > 0]).toEqual([true, true]);
  await deleteOldCallbacks(sql, clock.wall() + 25 * 3_600_000);
  expect(await count()).toBe(0);
});

/** What is known of the tenant's calls, and when it was last changed. */
async function everything() {
  const { sql } = fixture;
  const calls = await sql`select * from calls where workspace_id = ${tenant.workspace_id} order by id`;
  const events = await sql`select * from call_events where workspace_id = ${tenant.workspace_id} order by call_id, seq`;
  return JSON.stringify({ calls, events });
}

const carrierForms = [
  ['twilio', fromTwilio],
  ['exotel', (path: string, fields: Fields) => form(`${path}?key=${KEY}`, fields, {})],
] as const;

it.each(carrierForms)('changes nothing by replays of %s, which sends no nonce', async (provider, from) => {
  await fixture.sql`update numbers set provider = ${provider} where number = ${tenant.number}`;
  const sid = `sid of ${provider}`;
  const fieldsOf = (status: string): Fields => [
    ['CallSid', sid],
    ['From', '+919811112222'],
    ['To', tenant.number],
    ['CallStatus', status],
  ];
  const inbound = from(`/carriers/${provider}/inbound`, fieldsOf('ringing'));
  const statuses = ['ringing', 'no-answer'].map((status) => from(`/carriers/${provider}/status`, fieldsOf(status)));
  for (const sent of [inbound, ...statuses]) expect(await deliver(sent)).toBe(200);
  const before = await everything();
  expect(before).toContain(sid);
  for (const sent of [inbound, ...statuses, ...statuses.toReversed(), inbound])
    expect(await deliver(sent, 1)).toBe(200);
  expect(await everything()).toBe(before);
});
