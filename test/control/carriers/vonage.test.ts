import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CarrierCallback, SignedCallback } from '../../../control/carriers/callback.ts';
import { CarrierError } from '../../../control/carriers/carrier.ts';
import { createVonage } from '../../../control/carriers/vonage.ts';
import { createRestDouble } from './rest-double.ts';

const rest = createRestDouble();
const WALL_MS = Date.UTC(2026, 10, 21, 12);
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = {
  application_id: 'app-1',
  private_key,
  signature_secret: 'secret-1',
  public_api_url: 'https://api.example.com/',
};
const vonage = (api_url = rest.url) => createVonage({ ...account, api_url }, { wall: () => WALL_MS });

const UUID = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab';
const request = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  answer_url: 'https://api.example.com/answer?call_id=1',
  status_url: 'https://api.example.com/status?call_id=1',
  ring_seconds: 60,
};
const call: CarrierCallback = {
  provider_call_id: UUID,
  provider_request_id: '',
  from_number: '',
  to_number: '',
  status: null,
  carrier_status: '',
};
const part = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;

describe('requests', () => {
  it('carry a JWT of the application, a new one each', async () => {
    rest.reply = { status: 201, body: JSON.stringify({ uuid: UUID, status: 'started' }) };
    await vonage().dial(request);
    await vonage().dial(request);
    const tokens = rest.seen.map(({ authorization }) => authorization.replace(/^Bearer /, '').split('.'));
    const [head, claims, signature = ''] = tokens[0]!;
    expect(part(head)).toEqual({ typ: 'JWT', alg: 'RS256' });
    const now = WALL_MS / 1000;
    expect(part(claims)).toEqual({ application_id: 'app-1', iat: now, exp: now + 120, jti: expect.any(String) });
    const right = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url');
    expect(right).toBe(true);
    expect(part(tokens[1]![1]).jti).not.toBe(part(claims).jti);
  });

  it('the private key may be written in one line, and must be valid', () => {
    const oneLine = private_key.replaceAll('\n', '\\n');
    expect(() => createVonage({ ...account, private_key: oneLine, api_url: rest.url })).not.toThrow();
    expect(() => createVonage({ ...account, private_key: 'x', api_url: rest.url })).toThrow('VONAGE_PRIVATE_KEY');
  });

  it('a dial has numbers without plus and POST callbacks', async () => {
    rest.reply = { status: 201, body: JSON.stringify({ uuid: UUID, status: 'started' }) };
    expect(await vonage().dial(request)).toEqual({ accepted: true, provider_call_id: UUID, provider_request_id: '' });
    expect(rest.seen[0]).toMatchObject({ method: 'POST', url: '/v1/calls', type: 'application/json' });
    expect(rest.json()).toEqual({
      to: [{ type: 'phone', number: '919811112222' }],
      from: { type: 'phone', number: '911140000001' },
      answer_url: [request.answer_url],
      answer_method: 'POST',
      event_url: [request.status_url],
      event_method: 'POST',
      ringing_timer: 60,
    });
  });

  it("gives the carrier's reason for a refusal", async () => {
    rest.reply = { status: 400, body: '{"title":"Bad Request","detail":"Invalid to"}' };
    expect(await vonage().dial(request)).toEqual({ accepted: false, reason: 'Invalid to' });
    rest.reply = { status: 429, body: '<html>' };
    const later = { accepted: 'later', reason: 'HTTP 429', retry_after_ms: null };
    expect(await vonage().dial(request)).toEqual(later);
    const away = await vonage('http://127.0.0.1:9').dial(request);
    expect(away).toMatchObject({ accepted: false, reason: expect.stringContaining('cannot be reached') });
  });

  it('hangs up, and reports a call that is over as gone', async () => {
    rest.reply = { status: 204, body: '' };
    expect(await vonage().hangUp(call)).toBe('done');
    expect(rest.seen[0]).toMatchObject({ method: 'PUT', url: `/v1/calls/${UUID}`, body: '{"action":"hangup"}' });
    rest.reply = { status: 404, body: '{}' };
    expect(await vonage().hangUp(call)).toBe('gone');
    rest.reply = { status: 500, body: '{}' };
    await expect(vonage().hangUp(call)).rejects.toBeInstanceOf(CarrierError);
  });
});

describe('responses', () => {
  it('connect the stream with the call id in its headers', async () => {
    const response = await vonage().connect(call, 'wss://m.example/a');
    expect(response.content_type).toBe('application/json; charset=utf-8');
    expect(JSON.parse(response.text)).toEqual([
      {
        action: 'connect',
        eventType: 'synchronous',
        eventUrl: ['https://api.example.com/carriers/vonage/status'],
        eventMethod: 'POST',
        endpoint: [
          {
            type: 'websocket',
            uri: 'wss://m.example/a',
            'content-type': 'audio/l16;rate=8000',
            headers: { call_uuid: UUID },
          },
        ],
      },
    ]);
    const longest = vonage().parseCallback({ fields: {}, json: { uuid: 'u'.repeat(600) } })!;
    const [{ endpoint }] = JSON.parse((await vonage().connect(longest, 'wss://m.example/a')).text);
    expect(Buffer.byteLength(JSON.stringify(endpoint[0].headers))).toBeLessThanOrEqual(512);
  });

  it('end a call with an empty NCCO; a rejected one before it is answered', async () => {
    expect(await vonage().end(call)).toMatchObject({ text: '[]' });
    expect(rest.seen).toEqual([]);
    expect(await vonage().reject(call)).toMatchObject({ text: '[]' });
    expect(rest.seen[0]).toMatchObject({ method: 'PUT', url: `/v1/calls/${UUID}`, body: '{"action":"hangup"}' });
    rest.reply = { status: 500, body: '{}' };
    expect(await vonage().reject(call)).toMatchObject({ text: '[]' });
  });
});

describe('events', () => {
  const read = (json: Record<string, unknown> | null) => vonage().parseCallback({ fields: {}, json });

  it('of a call', () => {
    const event = {
      uuid: UUID,
      conversation_uuid: 'CON-1',
      from: '919811112222',
      to: '911140000001',
      status: 'ringing',
    };
    expect(read(event)).toEqual({
      provider_call_id: UUID,
      provider_request_id: '',
      from_number: '+919811112222',
      to_number: '+911140000001',
      status: 'ringing',
      carrier_status: 'ringing',
    });
    expect(read({ ...event, uuid: undefined, call_uuid: UUID, status: 'machine' })).toMatchObject({
      provider_call_id: UUID,
      status: null,
    });
  });

  it.each([
    ['started', 'queued'],
    ['answered', 'in-progress'],
    ['completed', 'completed'],
    ['busy', 'busy'],
    ['cancelled', 'canceled'],
    ['unanswered', 'no-answer'],
    ['timeout', 'no-answer'],
    ['rejected', 'failed'],
    ['failed', 'failed'],
    ['constructor', null],
  ])('%s is %s', (status, meaning) => {
    expect(read({ uuid: UUID, status })).toMatchObject({ status: meaning, carrier_status: status });
  });

  it('of a stream belong to its call and do not change its status', () => {
    const stream = { uuid: 'other', to: 'wss://m.example/a', headers: { call_uuid: UUID } };
    expect(read({ ...stream, status: 'completed' })).toMatchObject({
      provider_call_id: UUID,
      kind: 'status',
      status: null,
    });
    expect(read({ ...stream, status: 'disconnected' })).toMatchObject({ provider_call_id: UUID, kind: 'stream' });
    expect(read({ ...stream, headers: undefined, status: 'disconnected' })).toBeNull();
  });

  it.each([null, {}, { uuid: '' }, { conversation_uuid: 'CON-1', reason: 'Syntax error in NCCO' }])(
    '%j names no call',
    (json) => {
      expect(read(json)).toBeNull();
    },
  );
});

describe('transfers', () => {
  const transfers = () => vonage().transfers!;
  const urls = {
    caller_url: 'https://api.example.com/caller',
    dial_url: 'https://api.example.com/dial?transfer_id=1',
    dialled_url: 'https://api.example.com/dialled',
  };
  const conference = [{ action: 'conversation', name: 't-1', startOnEnter: true, endOnExit: true }];
  const inline = (ncco: unknown) => ({ action: 'transfer', destination: { type: 'ncco', ncco } });

  it('transfer the caller with the next actions', async () => {
    rest.reply = { status: 204, body: '' };
    expect(await transfers().connect(call, { ...request, ...urls })).toBe('done');
    expect(rest.seen[0]).toMatchObject({ method: 'PUT', url: `/v1/calls/${UUID}` });
    expect(rest.json()).toEqual(
      inline([
        {
          action: 'connect',
          from: '911140000001',
          timeout: 60,
          eventUrl: [urls.dial_url],
          eventMethod: 'POST',
          endpoint: [{ type: 'phone', number: '919811112222' }],
        },
      ]),
    );
    expect(await transfers().join(call, call, { room: 't-1', caller_url: '' })).toBe('done');
    expect(rest.json(1)).toEqual(inline(conference));
    rest.reply = { status: 404, body: '{}' };
    expect(await transfers().connect(call, { ...request, ...urls })).toBe('gone');
  });

  it('brief the target, and then call next_url', () => {
    const { target, caller } = transfers().documents!;
    const step = { do: 'listen', text: 'Asha "asks"', language: 'en-IN', next_url: 'https://x.example/next' } as const;
    expect(JSON.parse(target(step).text)).toEqual([
      { action: 'talk', text: 'Asha "asks"', language: 'en-IN' },
      { action: 'notify', payload: { briefed: true }, eventUrl: ['https://x.example/next'], eventMethod: 'POST' },
    ]);
    expect(JSON.parse(target({ do: 'wait in room', room: 't-1' }).text)).toEqual(conference);
    expect(JSON.parse(caller({ do: 'hang up' }).text)).toEqual([]);
  });

  it.each([
    ['answered', { event: 'answered', status: null }],
    ['completed', { event: 'over', status: 'answered' }],
    ['timeout', { event: 'over', status: 'no-answer' }],
    ['busy', { event: 'over', status: 'busy' }],
    ['rejected', { event: 'over', status: 'failed' }],
    ['ringing', null],
  ])('a second leg that is %s', (status, event) => {
    const read = transfers().parseDialCallback({ fields: {}, json: { uuid: 'b', direction: 'outbound', status } });
    expect(read).toEqual(event && { ...event, dial_status: status });
    expect(transfers().parseDialCallback({ fields: {}, json: { uuid: 'b', direction: 'inbound', status } })).toBeNull();
  });
});

describe('the signature', () => {
  const raw = `{"uuid":"${UUID}"}`;
  const nowSeconds = WALL_MS / 1000;
  const right = {
    iss: 'Vonage',
    api_key: 'k',
    application_id: 'app-1',
    payload_hash: createHash('sha256').update(raw).digest('hex'),
    iat: nowSeconds,
    jti: 'j-1',
  };
  const token = (claims: object, { alg = 'HS256', secret = 'secret-1' } = {}) => {
    const text = [{ typ: 'JWT', alg }, claims]
      .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
      .join('.');
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const genuine = (authorization: string, text = raw) => {
    const callback: SignedCallback = {
      url: 'https://api.example.com/carriers/vonage/inbound',
      fields: {},
      json: null,
      raw: text,
      header: (name) => (name === 'authorization' ? authorization : ''),
    };
    return vonage().verifyCallback(callback);
  };

  it('covers the body, the application and the secret', () => {
    expect(genuine(`Bearer ${token(right)}`)).toBe(true);
    expect(genuine(`Bearer ${token(right)}`, `${raw} `)).toBe(false);
    expect(genuine(`Bearer ${token({ ...right, payload_hash: undefined })}`)).toBe(false);
    expect(genuine(`Bearer ${token({ ...right, application_id: 'app-2' })}`)).toBe(false);
    expect(genuine(`Bearer ${token(right, { secret: 'secret-2' })}`)).toBe(false);
    expect(genuine(`Bearer ${token({ ...right, payload_hash: createHash('sha256').digest('hex') })}`, '')).toBe(false);
  });

  it('is valid for five minutes', () => {
    expect(genuine(`Bearer ${token({ ...right, iat: nowSeconds - 299 })}`)).toBe(true);
    for (const iat of [nowSeconds - 301, nowSeconds + 301, String(nowSeconds), undefined]) {
      expect(genuine(`Bearer ${token({ ...right, iat })}`)).toBe(false);
    }
  });

  it('is refused when it is malformed', () => {
    expect(genuine(`Bearer ${token(right, { alg: 'none' })}`)).toBe(false);
    const [head, claims] = token(right).split('.');
    const malformed = ['', 'Bearer ', 'Bearer a.b.c', `Bearer ${head}.${claims}.`, `Bearer ${head}.${claims}`];
    for (const authorization of [...malformed, `Basic ${token(right)}`, `Bearer ${token(right)}.x`]) {
      expect(genuine(authorization)).toBe(false);
    }
  });

  it('accepts the scheme Bearer in any case', () => {
    expect(genuine(`bearer ${token(right)}`)).toBe(true);
  });
});
