import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallbackFields, CarrierCallback } from '../../../control/carriers/callback.ts';
import { CarrierError } from '../../../control/carriers/carrier.ts';
import { createPlivo } from '../../../control/carriers/plivo.ts';
import { createTwilio } from '../../../control/carriers/twilio.ts';

interface Seen {
  method: string;
  url: string;
  authorization: string;
  type: string;
  body: string;
}

let seen: Seen[] = [];
let reply: { status: number; body: string } = { status: 200, body: '{}' };
const server = createServer((request, response) => {
  void read(request).then((body) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, authorization: headers.authorization ?? '', type: headers['content-type'] ?? '', body });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
});
let api_url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  seen = [];
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

const request = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  answer_url: 'https://api.example.com/answer?call_id=1',
  status_url: 'https://api.example.com/status?call_id=1',
  ring_seconds: 60,
};
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const form = (fields: CallbackFields) => ({ fields, json: null });
const CALL: CarrierCallback = {
  provider_call_id: 'CA7',
  provider_request_id: '',
  from_number: '',
  to_number: '',
  status: null,
  carrier_status: '',
};

describe('Twilio', () => {
  const twilio = () => createTwilio({ account_sid: 'AC1', auth_token: 'secret', api_url });

  it('places a call with a form', async () => {
    reply = { status: 201, body: '{"sid":"CA7","status":"queued"}' };
    expect(await twilio().dial(request)).toEqual({ accepted: true, provider_call_id: 'CA7', provider_request_id: '' });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/2010-04-01/Accounts/AC1/Calls.json' });
    expect(seen[0]!.authorization).toBe(basic('AC1:secret'));
    const form = new URLSearchParams(seen[0]!.body);
    expect(form.get('To')).toBe('+919811112222');
    expect(form.get('Url')).toBe(request.answer_url);
    expect(form.getAll('StatusCallbackEvent')).toEqual(['initiated', 'ringing', 'answered', 'completed']);
  });

  it("gives the carrier's reason for a refusal", async () => {
    reply = { status: 400, body: '{"code":21211,"message":"Invalid \'To\'\\n Phone Number","status":400}' };
    expect(await twilio().dial(request)).toEqual({ accepted: false, reason: "Invalid 'To' Phone Number" });
    reply = { status: 503, body: '<html>' };
    expect(await twilio().dial(request)).toEqual({ accepted: 'unknown', reason: 'HTTP 503' });
    reply = { status: 400, body: '{"code":10004,"message":"Call concurrency limit exceeded"}' };
    expect(await twilio().dial(request)).toMatchObject({
      accepted: 'later',
      reason: 'Call concurrency limit exceeded',
    });
  });

  it('hangs up, and reports a call that is over as gone', async () => {
    reply = { status: 200, body: '{}' };
    const call = { provider_call_id: 'CA7', provider_request_id: '' };
    expect(await twilio().hangUp(call)).toBe('done');
    expect(seen[0]).toMatchObject({ url: '/2010-04-01/Accounts/AC1/Calls/CA7.json', body: 'Status=completed' });
    reply = { status: 404, body: '{"code":20404}' };
    expect(await twilio().hangUp(call)).toBe('gone');
    reply = { status: 500, body: '{}' };
    await expect(twilio().hangUp(call)).rejects.toBeInstanceOf(CarrierError);
  });

  it('gives a reason when the carrier cannot be reached', async () => {
    const away = createTwilio({ account_sid: 'AC1', auth_token: 'secret', api_url: 'http://127.0.0.1:9' });
    const outcome = await away.dial(request);
    expect(outcome).toMatchObject({ accepted: false, reason: expect.stringContaining('cannot be reached') });
  });

  it('escapes URLs in documents', () => {
    expect(twilio().connect(CALL, 'wss://m.example/a?b="1"&c=<2>')).toMatchObject({
      content_type: 'text/xml; charset=utf-8',
      text: expect.stringContaining(
        '<Connect><Stream url="wss://m.example/a?b=&quot;1&quot;&amp;c=&lt;2&gt;"/></Connect>',
      ),
    });
    expect(twilio().reject(CALL)).toMatchObject({ text: expect.stringContaining('<Reject reason="busy"/>') });
  });

  it('parses a callback; one that names no call is null', () => {
    const read = twilio().parseCallback(
      form({ CallSid: 'CA7', From: 'anonymous', To: '+911140000001', CallStatus: 'initiated' }),
    );
    expect(read).toMatchObject({ provider_call_id: 'CA7', from_number: '', to_number: '+911140000001' });
    expect(read).toMatchObject({ status: 'queued', carrier_status: 'initiated' });
    expect(twilio().parseCallback(form({ CallStatus: 'ringing' }))).toBeNull();
    expect(twilio().parseCallback(form({ CallSid: 'CA7', CallStatus: 'constructor' }))).toMatchObject({ status: null });
  });
});

describe('Plivo', () => {
  const plivo = () => createPlivo({ auth_id: 'MA1', auth_token: 'secret', api_url });

  it('places a call with JSON, numbers without plus', async () => {
    reply = { status: 201, body: '{"message":"call fired","request_uuid":"r-1","api_id":"x"}' };
    expect(await plivo().dial(request)).toEqual({ accepted: true, provider_call_id: '', provider_request_id: 'r-1' });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/Account/MA1/Call/', type: 'application/json' });
    const body = { from: '911140000001', to: '919811112222', answer_url: request.answer_url, ring_timeout: 60 };
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ ...body, hangup_url: request.status_url });
  });

  it("gives the carrier's reason for a refusal", async () => {
    reply = { status: 400, body: '{"api_id":"x","error":"insufficient credit"}' };
    expect(await plivo().dial(request)).toEqual({ accepted: false, reason: 'insufficient credit' });
  });

  it('deletes the request of a call that has no id yet', async () => {
    reply = { status: 204, body: '' };
    expect(await plivo().hangUp({ provider_call_id: '', provider_request_id: 'r-1' })).toBe('done');
    expect(await plivo().hangUp({ provider_call_id: 'u-1', provider_request_id: 'r-1' })).toBe('done');
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'DELETE /v1/Account/MA1/Request/r-1/',
      'DELETE /v1/Account/MA1/Call/u-1/',
    ]);
  });

  it('connects both ways in mu-law', () => {
    expect(plivo().connect(CALL, 'wss://m.example/a&b')).toMatchObject({
      text: expect.stringContaining(
        '<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000">wss://m.example/a&amp;b</Stream>',
      ),
    });
    expect(plivo().reject(CALL)).toMatchObject({ text: expect.stringContaining('<Hangup reason="busy"/>') });
  });

  it('maps its own statuses of ended calls', () => {
    const status = (word: string) =>
      plivo().parseCallback(form({ CallUUID: 'u', From: '911140000001', CallStatus: word }));
    expect(status('timeout')).toMatchObject({ status: 'no-answer', from_number: '+911140000001' });
    expect(status('cancel')).toMatchObject({ status: 'canceled', carrier_status: 'cancel' });
    expect(status('busy')?.status).toBe('busy');
  });
});
