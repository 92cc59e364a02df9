import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CarrierCallback, SignedCallback } from '../../../control/carriers/callback.ts';
import { CarrierError } from '../../../control/carriers/carrier.ts';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import { createExotel } from '../../../control/carriers/exotel.ts';
import { readControlConfig } from '../../../control/config.ts';

interface Seen {
  method: string;
  url: string;
  authorization: string;
  type: string;
  body: string;
}

let seen: Seen[] = [];
let reply = { status: 200, body: '{}' };
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
  api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
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

const KEY = 'a key of our own, long enough';
const exotel = () => createExotel({ account_sid: 'acme1', api_key: 'k', api_token: 't', api_url, callback_key: KEY });
const REQUEST = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  answer_url: 'https://api.example.com/carriers/exotel/answer?call_id=c1',
  status_url: 'https://api.example.com/carriers/exotel/status?call_id=c1',
  ring_seconds: 60,
  stream_url: 'wss://media.example.com/carrier/exotel/a.pass',
};
const CALL: CarrierCallback = {
  provider_call_id: 's1',
  provider_request_id: '',
  from_number: '',
  to_number: '',
  status: null,
  carrier_status: '',
};
const called = (url: string): SignedCallback => ({ url, fields: {}, json: null, raw: '', header: () => '' });
const REF = { provider_call_id: 's1', provider_request_id: '' };

async function statusAddress(): Promise<string> {
  reply = { status: 200, body: '{"Call":{"Sid":"s1","Status":"in-progress"}}' };
  await exotel().dial(REQUEST);
  return new URLSearchParams(seen.at(-1)!.body).get('StatusCallback')!;
}

describe('dialling', () => {
  it('sends the stream URL, the ExoPhone in its national form, and a status URL with a key', async () => {
    reply = { status: 200, body: '{"Call":{"Sid":"s1","Status":"in-progress"}}' };
    expect(await exotel().dial(REQUEST)).toEqual({ accepted: true, provider_call_id: 's1', provider_request_id: '' });
    const { method, url, authorization, type, body } = seen[0]!;
    expect(`${method} ${url}`).toBe('POST /v1/Accounts/acme1/Calls/connect.json');
    expect(authorization).toBe(`Basic ${Buffer.from('k:t').toString('base64')}`);
    expect(type).toBe('application/x-www-form-urlencoded');
    const form = new URLSearchParams(body);
    expect(form.getAll('StatusCallbackEvents[]')).toEqual(['ringing', 'answered', 'terminal']);
    const { StatusCallback, ...rest } = Object.fromEntries(form);
    expect(rest).toEqual({
      From: '+919811112222',
      CallerId: '01140000001',
      StreamUrl: 'wss://media.example.com/carrier/exotel/a.pass?sample-rate=8000',
      StreamType: 'bidirectional',
      TimeOut: '60',
      StatusCallbackContentType: 'application/json',
      'StatusCallbackEvents[]': 'terminal',
    });
    expect(StatusCallback).toMatch(/^https:\/\/api\.example\.com\/carriers\/exotel\/status\?call_id=c1&key=[\w]{40,}$/);
    expect(StatusCallback).not.toContain(encodeURIComponent(KEY));
  });

  it("gives the carrier's reason for a refusal", async () => {
    reply = { status: 403, body: '{"RestException":{"Status":403,"Message":"Insufficient\\n balance","Code":34}}' };
    expect(await exotel().dial(REQUEST)).toEqual({ accepted: false, reason: 'Insufficient balance' });
    reply = { status: 502, body: '<html>' };
    expect(await exotel().dial(REQUEST)).toEqual({ accepted: 'unknown', reason: 'HTTP 502' });
    reply = { status: 200, body: '{"Call":{}}' };
    expect(await exotel().dial(REQUEST)).toMatchObject({ accepted: 'unknown' });
  });
});

describe('hanging up', () => {
  it('fails, except for a call that is over', async () => {
    reply = { status: 200, body: '{"Call":{"Sid":"s1","Status":"in-progress"}}' };
    await expect(exotel().hangUp(REF)).rejects.toThrow(CarrierError);
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/v1/Accounts/acme1/Calls/s1.json' });
    reply = { status: 200, body: '{"Call":{"Sid":"s1","Status":"no-answer"}}' };
    expect(await exotel().hangUp(REF)).toBe('gone');
    reply = { status: 404, body: '{}' };
    expect(await exotel().hangUp(REF)).toBe('gone');
  });
});

describe('callback keys', () => {
  const inbound = 'https://api.example.com/carriers/exotel/inbound';

  it('accept the key of the setting on every URL', () => {
    expect(exotel().verifyCallback(called(`${inbound}?key=${encodeURIComponent(KEY)}&CallSid=s1`))).toBe(true);
    expect(exotel().verifyCallback(called(`${inbound}?CallSid=s1&key=${encodeURIComponent(KEY)}`))).toBe(true);
  });

  it('accept the key of a call for that call', async () => {
    const address = await statusAddress();
    expect(exotel().verifyCallback(called(address))).toBe(true);
    expect(exotel().verifyCallback(called(address.replace('call_id=c1', 'call_id=c2')))).toBe(false);
    expect(exotel().verifyCallback(called(address.replace('call_id=c1&', '')))).toBe(false);
  });

  it('refuse anything else', () => {
    for (const query of ['', '?key=', '?key=wrong', '?call_id=c1', `?key=${encodeURIComponent(`${KEY} `)}`]) {
      expect(exotel().verifyCallback(called(inbound + query))).toBe(false);
    }
    const keyless = createExotel({ account_sid: 'a', api_key: 'k', api_token: 't', api_url, callback_key: '' });
    expect(keyless.verifyCallback(called(`${inbound}?key=`))).toBe(false);
  });
});

describe('callbacks', () => {
  const question = (fields: Record<string, string>) => exotel().parseCallback({ fields, json: null });

  it('of an applet have numbers in the national form', () => {
    expect(question({ CallSid: 's1', CallFrom: '09811112222', CallTo: '01140000001', CallStatus: 'ringing' })).toEqual({
      provider_call_id: 's1',
      provider_request_id: '',
      from_number: '+919811112222',
      to_number: '+911140000001',
      status: 'ringing',
      carrier_status: 'ringing',
    });
    expect(question({ CallSid: 's1', From: '+6598765432', To: '9811112222' })).toMatchObject({
      from_number: '+6598765432',
      to_number: '+919811112222',
    });
    expect(question({ CallFrom: '09811112222' })).toBeNull();
  });

  it.each([
    ['in-progress', 'in-progress'],
    ['completed', 'completed'],
    ['no-answer', 'no-answer'],
    ['busy', 'busy'],
    ['failed', 'failed'],
    ['constructor', null],
  ])('a status callback as JSON: %s', (Status, status) => {
    const json = { CallSid: 's1', EventType: 'terminal', Status, Legs: [{ OnCallDuration: 3 }] };
    expect(exotel().parseCallback({ fields: {}, json })).toMatchObject({
      provider_call_id: 's1',
      status,
      carrier_status: Status,
    });
  });

  it('are answered with a stream URL, or an empty one', () => {
    expect(exotel().connect(CALL, 'wss://m.example/x')).toEqual({
      content_type: 'application/json',
      text: '{"url":"wss://m.example/x?sample-rate=8000"}',
    });
    expect(exotel().reject(CALL)).toEqual({ content_type: 'application/json', text: '{"url":""}' });
    expect(exotel().end(CALL)).toEqual(exotel().reject(CALL));
    expect(exotel().transfers).toBeUndefined();
  });
});

describe('settings', () => {
  const env = {
    DATABASE_URL: 'x',
    MEDIA_TOKEN_SECRET: 'x'.repeat(16),
    RECORDINGS_DIR: 'x',
    EXOTEL_ACCOUNT_SID: 'acme1',
    EXOTEL_API_KEY: 'k',
    EXOTEL_API_TOKEN: 't',
  };

  it('need a callback key', async () => {
    await expect(configuredCarriers(readControlConfig(env))).rejects.toThrow('EXOTEL_CALLBACK_KEY');
    const whole = readControlConfig({ ...env, EXOTEL_CALLBACK_KEY: KEY });
    expect([...(await configuredCarriers(whole)).keys()]).toEqual(['exotel']);
  });
});
