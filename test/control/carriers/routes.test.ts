import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { CarrierCallback } from '../../../control/carriers/callback.ts';
import type { Carrier } from '../../../control/carriers/carrier.ts';
import { createExotel } from '../../../control/carriers/exotel.ts';
import { createPlivo } from '../../../control/carriers/plivo.ts';
import { carrierRoutes } from '../../../control/carriers/routes.ts';
import { createTwilio } from '../../../control/carriers/twilio.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { plivoSignatureV3, twilioSignature } from '../../../fixtures/simulators/signatures.ts';
import { createLogger } from '../../../shared/log.ts';

const PUBLIC = 'https://api.example.com';
const CALL_ID = '0'.repeat(32);
const EXOTEL_KEY = 'k'.repeat(16);
const api_url = 'http://127.0.0.1:1';
const carriers = new Map<Carrier['name'], Carrier>([
  ['twilio', createTwilio({ account_sid: 'AC1', auth_token: 'tw', api_url })],
  ['plivo', createPlivo({ auth_id: 'MA1', auth_token: 'pl', api_url })],
  ['exotel', createExotel({ account_sid: 'E1', api_key: 'k', api_token: 't', api_url, callback_key: EXOTEL_KEY })],
]);

let app: FastifyInstance;
let handled: [what: string, provider: string, callId: string, callback: CarrierCallback][] = [];
let stream: string | null = 'wss://m.example/t';

beforeAll(async () => {
  app = await createHttpApp({ log: createLogger('test', 'error'), findPrincipal: async () => null });
  carrierRoutes(app, {
    carriers,
    publicApiUrl: `${PUBLIC}/`,
    // They have their own tests.
    replays: { once: (_provider, _proof, handle) => handle() },
    events: {
      async inbound(provider, callback) {
        handled.push(['inbound', provider, '', callback]);
        return stream;
      },
      async answered(provider, callId, callback) {
        handled.push(['answered', provider, callId, callback]);
        return stream;
      },
      async status(provider, callId, callback) {
        handled.push(['status', provider, callId, callback]);
      },
    },
  });
  await app.ready();
});
afterEach(() => {
  handled = [];
  stream = 'wss://m.example/t';
});
afterAll(() => app.close());

type Fields = [string, string][];

function post(path: string, fields: Fields, headers: Record<string, string>) {
  const payload = new URLSearchParams(fields).toString();
  const type = 'application/x-www-form-urlencoded; charset=UTF-8';
  return app.inject({ method: 'POST', url: path, payload, headers: { 'content-type': type, ...headers } });
}

const fromTwilio = (path: string, fields: Fields) =>
  post(path, fields, { 'x-twilio-signature': twilioSignature('tw', PUBLIC + path, fields) });

const fromPlivo = (path: string, fields: Fields) => {
  const signature = plivoSignatureV3('pl', 'POST', PUBLIC + path, '42', fields);
  return post(path, fields, { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': '42' });
};

it('reads no more than 64 KB, also of a body without a length', async () => {
  for (const path of ['/carriers/twilio/status', '/carriers/twilio/inbound']) {
    // As text it has a length, as a stream it has none.
    const body = `CallSid=${'x'.repeat(70 * 1024)}`;
    for (const payload of [body, Readable.from([Buffer.from(body)])]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await app.inject({ method: 'POST', url: path, payload, headers });
      expect([response.statusCode, response.json()]).toEqual([
        413,
        { detail: 'the request body is larger than 64 KB' },
      ]);
    }
  }
});

it.each(['multipart', 'form', 'json'])('reads a callback of Exotel that is sent as %s', async (kind) => {
  const fields = { CallSid: 'c1', Status: 'no-answer', 'Legs[0][Status]': 'no-answer', From: '09800000001' };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('recording', new Blob(['RIFF']), 'a.wav');
  const body = {
    multipart: form,
    form: new URLSearchParams(fields),
    json: new Blob([JSON.stringify(fields)], { type: 'application/json' }),
  }[kind]!;
  const sent = new Response(body);
  const response = await app.inject({
    method: 'POST',
    url: `/carriers/exotel/status?call_id=${CALL_ID}&key=${EXOTEL_KEY}`,
    payload: Buffer.from(await sent.arrayBuffer()),
    headers: { 'content-type': sent.headers.get('content-type')! },
  });
  expect(response.statusCode).toBe(200);
  expect(handled).toMatchObject([['status', 'exotel', CALL_ID, { provider_call_id: 'c1', status: 'no-answer' }]]);
});

it('refuses multipart that cannot be read, and beyond 64 KB', async () => {
  const post = (payload: string) =>
    app.inject({
      ...{ method: 'POST', url: `/carriers/exotel/status?key=${EXOTEL_KEY}`, payload },
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
  expect((await post('no form')).statusCode).toBe(422);
  expect((await post('x'.repeat(70 * 1024))).statusCode).toBe(413);
});

it('answers an inbound call with the stream', async () => {
  const response = await fromTwilio('/carriers/twilio/inbound', [
    ['CallSid', 'CA1'],
    ['To', '+911140000001'],
  ]);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toContain('text/xml');
  expect(response.body).toContain('<Stream url="wss://m.example/t"/>');
  expect(handled[0]).toMatchObject(['inbound', 'twilio', '', { provider_call_id: 'CA1', to_number: '+911140000001' }]);
});

it('rejects as busy', async () => {
  stream = null;
  const plivo = await fromPlivo('/carriers/plivo/inbound', [['CallUUID', 'u']]);
  expect(plivo.body).toContain('<Hangup reason="busy"/>');
  const twilio = await fromTwilio('/carriers/twilio/inbound', [['CallSid', 'CA1']]);
  expect(twilio.body).toContain('<Reject reason="busy"/>');
});

it('passes on the call named in the URL', async () => {
  const path = `/carriers/plivo/answer?call_id=${CALL_ID}`;
  const response = await fromPlivo(path, [
    ['CallUUID', 'u'],
    ['RequestUUID', 'r'],
  ]);
  expect(response.body).toContain('>wss://m.example/t</Stream>');
  const callback = { provider_call_id: 'u', provider_request_id: 'r' };
  expect(handled[0]).toMatchObject(['answered', 'plivo', CALL_ID, callback]);
  const status = await fromTwilio(`/carriers/twilio/status?call_id=${CALL_ID}`, [
    ['CallSid', 'CA1'],
    ['CallStatus', 'busy'],
  ]);
  expect(status.statusCode).toBe(200);
  expect(handled[1]).toMatchObject(['status', 'twilio', CALL_ID, { status: 'busy' }]);
});

it('refuses wrong signatures', async () => {
  const fields: Fields = [['CallSid', 'CA1']];
  const path = '/carriers/twilio/inbound';
  const right = twilioSignature('tw', PUBLIC + path, fields);
  const wrong = [
    post(path, fields, {}),
    post(path, fields, { 'x-twilio-signature': 'no' }),
    post(path, [...fields, ['To', '+911']], { 'x-twilio-signature': right }),
    post(`${path}?call_id=${CALL_ID}`, fields, { 'x-twilio-signature': right }),
    post(path, fields, { 'x-twilio-signature': twilioSignature('other', PUBLIC + path, fields) }),
  ];
  for (const response of await Promise.all(wrong)) expect(response.statusCode).toBe(403);
  expect(handled).toEqual([]);
});

it('answers 4xx to malformed callbacks', async () => {
  const json = { 'content-type': 'application/json' };
  const payloads: [string, Record<string, string>][] = [
    ['{"CallSid":{"a":1}}', json],
    ['[1,2]', json],
    ['{broken', json],
    ['%%%=%zz&&&=', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['__proto__=1&constructor=2', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['x'.repeat(70_000), { 'content-type': 'application/x-www-form-urlencoded' }],
    ['<xml/>', { 'content-type': 'text/xml' }],
    ['', {}],
  ];
  for (const provider of ['twilio', 'plivo', 'nobody', '__proto__']) {
    for (const [payload, headers] of payloads) {
      const url = `/carriers/${provider}/inbound`;
      const response = await app.inject({ method: 'POST', url, payload, headers });
      expect(response.statusCode, `${provider} ${payload.slice(0, 20)}`).toBeGreaterThanOrEqual(400);
      expect(response.statusCode, `${provider} ${payload.slice(0, 20)}`).toBeLessThan(500);
    }
  }
  expect(handled).toEqual([]);
});

it('needs a callback that names a call', async () => {
  expect((await fromTwilio('/carriers/twilio/status', [['CallStatus', 'busy']])).statusCode).toBe(422);
});

it('hangs up an answered call whose URL names no call', async () => {
  const response = await fromTwilio('/carriers/twilio/answer?call_id=xyz', [['CallSid', 'CA1']]);
  expect(response.body).toContain('<Hangup/>');
});
