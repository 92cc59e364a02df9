import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../control/carriers/carrier.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { createPlivo } from '../../../control/carriers/plivo.ts';
import { transferRoutes } from '../../../control/carriers/transfer-routes.ts';
import type { DialEvent, TargetStep } from '../../../control/carriers/transfers.ts';
import { createTwilio } from '../../../control/carriers/twilio.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { readDocument, type XmlElement } from '../../../fixtures/simulators/carrier-document.ts';
import { plivoSignatureV3, twilioSignature } from '../../../fixtures/simulators/signatures.ts';
import { createLogger } from '../../../shared/log.ts';

const PUBLIC = 'https://api.example.com';
const ID = 'a'.repeat(32);
const caller = { provider_call_id: 'CA/7', provider_request_id: '' };
const target = { provider_call_id: 'CA8', provider_request_id: '' };
const request = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  ring_seconds: 28,
  caller_url: `${PUBLIC}/caller?transfer_id=1&x=<2>`,
  dial_url: `${PUBLIC}/dial?transfer_id=1&x=2`,
  dialled_url: `${PUBLIC}/dialled?transfer_id=1&x=2`,
};

let seen: { method: string; url: string; body: string }[] = [];
let reply = { status: 200, body: '{}' };
const server = createServer((request, response) => {
  void read(request).then((body) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', body });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
});

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

let carriers: Record<'twilio' | 'plivo', Carrier>;
let app: FastifyInstance;
let handled: unknown[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  carriers = {
    twilio: createTwilio({ account_sid: 'AC1', auth_token: 'tw', api_url }),
    plivo: createPlivo({ auth_id: 'MA1', auth_token: 'pl', api_url }),
  };
  app = await createHttpApp({ log: createLogger('test', 'silent'), findPrincipal: async () => null });
  const { transfers: _, ...without } = createTwilio({ account_sid: 'AC1', auth_token: 'tw', api_url });
  const listen: TargetStep = { do: 'listen', text: 'Asha & co', language: 'hi', next_url: `${PUBLIC}/next` };
  const handler = (name: string, result: unknown) => async (provider: string, id: string, more?: unknown) => {
    handled.push([name, provider, id, more]);
    return result as never;
  };
  const deps = {
    publicApiUrl: `${PUBLIC}/`,
    replays: { once: <Result>(_provider: string, _proof: unknown, handle: () => Promise<Result>) => handle() },
    events: {
      targetAnswered: handler('answered', listen),
      targetBriefed: handler('briefed', { do: 'wait in room', room: ID }),
      targetStatus: handler('status', undefined),
      callerMoved: handler('moved', { do: 'dial', ...request }),
      dialStatus: handler('dial', undefined),
    },
  };
  transferRoutes(app, { ...deps, carriers: new Map(Object.entries(carriers) as ['twilio', Carrier][]) });
  await app.register(
    async (bare) => transferRoutes(bare as never, { ...deps, carriers: new Map([['twilio', without]]) }),
    {
      prefix: '/bare',
    },
  );
  await app.ready();
});
afterEach(() => {
  seen = [];
  handled = [];
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const documents = (name: 'twilio' | 'plivo') => carriers[name].transfers!.documents!;
const elements = (xml: string): XmlElement[] => readDocument(xml).children;

describe.each(['twilio', 'plivo'] as const)('%s', (name) => {
  it.each(['connect', 'join'] as const)('takes the caller from the agent to %s', async (what) => {
    const { transfers } = carriers[name];
    const move = () =>
      what === 'connect'
        ? transfers!.connect(caller, request)
        : transfers!.join(caller, target, { room: ID, caller_url: request.caller_url });
    reply = { status: name === 'twilio' ? 200 : 202, body: '{"message":"call transferred"}' };
    expect(await move()).toBe('done');
    if (name === 'twilio') {
      expect(seen[0]).toMatchObject({ method: 'POST', url: '/2010-04-01/Accounts/AC1/Calls/CA%2F7.json' });
      expect(Object.fromEntries(new URLSearchParams(seen[0]!.body))).toEqual({
        Url: request.caller_url,
        Method: 'POST',
      });
    } else {
      expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/Account/MA1/Call/CA%2F7/' });
      const body = { legs: 'aleg', aleg_url: request.caller_url, aleg_method: 'POST' };
      expect(JSON.parse(seen[0]!.body)).toEqual(body);
    }
    reply = { status: 404, body: '{}' };
    expect(await move()).toBe('gone');
    reply = { status: 500, body: '{}' };
    await expect(move()).rejects.toMatchObject({ name: 'CarrierError', status: 500 });
  });

  it('briefs the target in their language, escaped, and then redirects', () => {
    const text = 'Asha & Ravi <2> "people"';
    const listen = { do: 'listen', text, language: 'hi-IN', next_url: request.dial_url } as const;
    const [pause, say, redirect] = elements(documents(name).target(listen).text);
    expect(pause!.attributes).toEqual({ length: '1' });
    expect(say).toMatchObject({ text, attributes: { language: 'hi-IN', voice: 'Polly.Aditi' } });
    expect(redirect).toMatchObject({ name: 'Redirect', text: request.dial_url, attributes: { method: 'POST' } });
    const [, plain] = elements(documents(name).target({ ...listen, language: 'ta' }).text);
    expect(plain!.attributes).toEqual({});
  });

  it('connects both in a conference that ends when either leaves', () => {
    for (const document of [
      documents(name).target({ do: 'wait in room', room: ID }),
      documents(name).caller({ do: 'enter room', room: ID }),
    ]) {
      const [first] = elements(document.text);
      const conference = name === 'twilio' ? first!.children[0] : first;
      expect(conference).toMatchObject({ name: 'Conference', text: ID, attributes: { endConferenceOnExit: 'true' } });
    }
    expect(elements(documents(name).caller({ do: 'hang up' }).text)[0]?.name).toBe('Hangup');
    expect(elements(documents(name).target({ do: 'hang up' }).text)[0]?.name).toBe('Hangup');
  });

  it('dials the target for the caller', () => {
    const [dial] = elements(documents(name).caller({ do: 'dial', ...request }).text);
    const [number] = dial!.children;
    const plus = name === 'twilio' ? '+' : '';
    expect(dial).toMatchObject({
      name: 'Dial',
      attributes: { callerId: `${plus}911140000001`, timeout: '28', action: request.dialled_url },
    });
    expect(number!.text).toBe(`${plus}919811112222`);
    expect({ ...dial!.attributes, ...number!.attributes }).toMatchObject(
      name === 'twilio' ? { statusCallback: request.dial_url } : { callbackUrl: request.dial_url },
    );
  });
});

describe('callbacks about the second leg', () => {
  const callbacks: [name: 'twilio' | 'plivo', fields: Record<string, string>, event: DialEvent | null][] = [
    ['twilio', { CallSid: 'C', ParentCallSid: 'P', CallStatus: 'ringing' }, null],
    [
      'twilio',
      { ParentCallSid: 'P', CallStatus: 'in-progress' },
      { event: 'answered', status: null, dial_status: 'in-progress' },
    ],
    ['twilio', { ParentCallSid: 'P', CallStatus: 'busy' }, { event: 'over', status: 'busy', dial_status: 'busy' }],
    [
      'twilio',
      { CallStatus: 'in-progress', DialCallStatus: 'no-answer' },
      { event: 'over', status: 'no-answer', dial_status: 'no-answer' },
    ],
    [
      'twilio',
      { CallStatus: 'in-progress', DialCallStatus: 'completed' },
      { event: 'over', status: 'answered', dial_status: 'completed' },
    ],
    ['twilio', { CallStatus: 'in-progress' }, null],
    ['plivo', { DialAction: 'answer' }, { event: 'answered', status: null, dial_status: 'answer' }],
    ['plivo', { DialAction: 'connected' }, { event: 'answered', status: null, dial_status: 'connected' }],
    ['plivo', { DialAction: 'hangup' }, { event: 'over', status: null, dial_status: 'hangup' }],
    ['plivo', { DialAction: 'digits' }, null],
    ['plivo', { DialStatus: 'timeout' }, { event: 'over', status: 'no-answer', dial_status: 'timeout' }],
    ['plivo', { DialStatus: 'cancel' }, { event: 'over', status: 'canceled', dial_status: 'cancel' }],
    ['plivo', { DialStatus: 'completed' }, { event: 'over', status: 'answered', dial_status: 'completed' }],
    ['plivo', { DialStatus: 'something new' }, { event: 'over', status: 'failed', dial_status: 'something new' }],
    ['plivo', {}, null],
  ];
  it.each(callbacks)('%s %j', (name, fields, event) => {
    expect(carriers[name].transfers!.parseDialCallback({ fields, json: null })).toEqual(event);
  });
});

describe('the transfer URLs', () => {
  const post = (path: string, fields: [string, string][], headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: path,
      payload: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const twilio = (path: string, fields: [string, string][]) =>
    post(path, fields, { 'x-twilio-signature': twilioSignature('tw', PUBLIC + path, fields) });

  it('are the ones given to carriers', () => {
    const { transferUrl } = carrierUrls(`${PUBLIC}/`, 'wss://media.example.com');
    expect(transferUrl('twilio', 'answer', ID)).toBe(`${PUBLIC}/carriers/twilio/transfer/answer?transfer_id=${ID}`);
  });

  it('respond with the next step of the target or the caller', async () => {
    const at = (what: string) => `/carriers/twilio/transfer/${what}?transfer_id=${ID}`;
    const answered = await twilio(at('answer'), [['CallSid', 'CA1']]);
    expect(answered.headers['content-type']).toContain('text/xml');
    expect(answered.body).toContain('Asha &amp; co');
    expect((await twilio(at('briefed'), [['CallSid', 'CA1']])).body).toContain(ID);
    expect((await twilio(at('caller'), [['CallSid', 'CA2']])).body).toContain('<Dial');
    const dialled = await twilio(at('dialled'), [
      ['CallSid', 'CA2'],
      ['DialCallStatus', 'busy'],
    ]);
    expect(dialled.body).toContain('<Hangup/>');
    await twilio(at('status'), [
      ['CallSid', 'CA1'],
      ['CallStatus', 'busy'],
    ]);
    expect(handled).toMatchObject([
      ['answered', 'twilio', ID, { provider_call_id: 'CA1' }],
      ['briefed', 'twilio', ID, { provider_call_id: 'CA1' }],
      ['moved', 'twilio', ID, undefined],
      ['dial', 'twilio', ID, { event: 'over', status: 'busy' }],
      ['status', 'twilio', ID, { status: 'busy' }],
    ]);
  });

  it('accept the signature of Plivo, and pass an invalid id on as empty', async () => {
    const path = '/carriers/plivo/transfer/caller?transfer_id=xyz';
    const signature = plivoSignatureV3('pl', 'POST', PUBLIC + path, '42', [['CallUUID', 'u']]);
    const headers = { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': '42' };
    expect((await post(path, [['CallUUID', 'u']], headers)).statusCode).toBe(200);
    expect(handled).toEqual([['moved', 'plivo', '', undefined]]);
  });

  it('refuse wrong signatures, malformed bodies and carriers without transfers', async () => {
    for (const what of ['answer', 'briefed', 'status', 'caller', 'dial', 'dialled']) {
      const path = `/carriers/twilio/transfer/${what}?transfer_id=${ID}`;
      expect((await post(path, [['CallSid', 'C']], { 'x-twilio-signature': 'no' })).statusCode).toBe(403);
      expect((await post(path.replace('twilio', 'nobody'), [], {})).statusCode).toBe(404);
      const json = await app.inject({
        method: 'POST',
        url: path,
        payload: '{"a":',
        headers: { 'content-type': 'application/json' },
      });
      expect(json.statusCode).toBeGreaterThanOrEqual(400);
      expect(json.statusCode).toBeLessThan(500);
    }
    const status = await twilio(`/carriers/twilio/transfer/status?transfer_id=${ID}`, [['CallStatus', 'busy']]);
    expect(status.statusCode).toBe(422);
    const without = await twilio(`/bare/carriers/twilio/transfer/caller?transfer_id=${ID}`, [['CallSid', 'C']]);
    expect(without.statusCode).toBe(404);
    expect(handled).toEqual([]);
  });
});
