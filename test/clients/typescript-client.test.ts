import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AntiphonApiError,
  AntiphonConnectionError,
  AntiphonTimeoutError,
  createClient,
  verifyWebhook,
  WebhookSignatureError,
} from '../../clients/typescript/src/antiphon-client.ts';
import { retryDelayMs } from '../../clients/typescript/src/retry.ts';
import { pingEnvelope } from '../../control/webhooks/envelope.ts';
import { signatureHeader } from '../../control/webhooks/webhook-secrets.ts';
import { afterFile } from '../support/after-file.ts';
import { type ListeningApi, startListeningApi } from '../support/listening-api.ts';

let api: ListeningApi;

beforeAll(async () => {
  api = await startListeningApi();
});

async function newClient() {
  const { key } = await api.newCallingWorkspace();
  return createClient({ url: api.url, key });
}

/** A server that gives these answers one after the other, and counts requests by their idempotency keys. */
async function scripted(...answers: [status: number, headers?: Record<string, string>][]) {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers['idempotency-key']));
    const [status, headers = {}] = answers[keys.length - 1] ?? [200];
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"detail": "not now"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { client: createClient({ url: `http://127.0.0.1:${port}`, key: 'svc_x' }), keys };
}

const NOW = { 'retry-after': '0' };
const ID = '0'.repeat(32);
const CALL = { agent_id: ID, body: { to_number: '+919811112222' } };

describe('errors', () => {
  it('have status, details and request id', async () => {
    const client = await newClient();
    const error = await client.createAgent({ body: { name: '' } }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AntiphonApiError);
    expect(error).toMatchObject({
      status: 422,
      details: [{ loc: ['body', 'name'], type: 'string_too_short' }],
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
      message: expect.stringMatching(/^422 body\.name: /),
    });
  });

  it('have the code that the API gives', async () => {
    const { token } = await api.signUp();
    const client = createClient({ url: api.url, key: token });
    await expect(client.listAgents()).rejects.toMatchObject({ status: 403, code: 'workspace_inactive' });
  });

  it('say that no answer came', async () => {
    const client = createClient({ url: 'http://127.0.0.1:9', key: 'svc_x', maxRetries: 0 });
    await expect(client.listAgents()).rejects.toBeInstanceOf(AntiphonConnectionError);
  });

  it('say that it came too late', async () => {
    const never = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
      });
    const client = createClient({ url: api.url, key: 'svc_x', timeoutMs: 1, maxRetries: 0, fetch: never });
    await expect(client.listAgents()).rejects.toBeInstanceOf(AntiphonTimeoutError);
  });

  it('are the reason of the signal when it was aborted', async () => {
    const client = await newClient();
    const signal = AbortSignal.abort(new Error('closed'));
    await expect(client.listAgents({}, { signal })).rejects.toThrow('closed');
  });
});

describe('another attempt', () => {
  it('is made after 429, whatever was asked', async () => {
    const { client, keys } = await scripted([429, NOW], [429, NOW]);
    await client.createAgent({ body: { name: 'A' } });
    expect(keys).toHaveLength(3);
  });

  it('is made after 503 with the same idempotency key', async () => {
    const { client, keys } = await scripted([503, NOW]);
    await client.placeCall(CALL);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has the key that was given', async () => {
    const { client, keys } = await scripted([503, NOW]);
    await client.placeCall(CALL, { idempotencyKey: 'order 17' });
    expect(keys).toEqual(['order 17', 'order 17']);
  });

  it('is not made after 503 where the change may have been carried out', async () => {
    const { client, keys } = await scripted([503, NOW]);
    await expect(client.createAgent({ body: { name: 'A' } })).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: 0,
    });
    expect(keys).toHaveLength(1);
  });

  it('is not made when it would have to wait too long', async () => {
    const { client, keys } = await scripted([429, { 'retry-after': '3600' }]);
    await expect(client.listAgents()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 });
    expect(keys).toHaveLength(1);
  });

  it('waits longer each time', () => {
    const delays = [0, 1, 2, 3, 9].map((attempt) => retryDelayMs(new Error('lost'), attempt, true)!);
    const most = [500, 1_000, 2_000, 4_000, 8_000];
    expect(delays.every((delay, nth) => delay <= most[nth]! && delay >= most[nth]! / 2)).toBe(true);
  });
});

it('a call with the same idempotency key is placed once', async () => {
  const client = await newClient();
  const { id: agent_id } = await client.createAgent({ body: { name: 'A' } });
  const place = () => client.placeCall({ ...CALL, agent_id }, { idempotencyKey: 'order 18' });
  expect((await place()).id).toBe((await place()).id);
});

it('pages are walked to the end', async () => {
  const client = await newClient();
  const { id: agent_id } = await client.createAgent({ body: { name: 'A' } });
  const placed = new Set<string>();
  for (let nth = 0; nth < 5; nth++) placed.add((await client.placeCall({ ...CALL, agent_id })).id);
  const found: string[] = [];
  for await (const call of client.each('listCalls', { limit: 2, status: ['queued', 'failed'] })) found.push(call.id);
  expect(found.toSorted()).toEqual([...placed].toSorted());
});

describe('a webhook', () => {
  const body = pingEnvelope(ID, new Date(0));
  const nowMs = Date.parse('2026-11-28T12:00:00Z');
  const delivery = {
    secret: 'whsec_x',
    body,
    signature: signatureHeader('whsec_x', body, nowMs),
    nowSeconds: nowMs / 1_000,
  };

  it('is the event when its signature is right', async () => {
    expect(await verifyWebhook(delivery)).toMatchObject({ type: 'ping', data: { level: 'info' } });
  });

  it.each([
    ['of another secret', { secret: 'whsec_y' }],
    ['of another body', { body: `${body} ` }],
    ['six minutes old', { nowSeconds: nowMs / 1_000 + 360 }],
    ['without a signature', { signature: null }],
    ['with a signature of nothing', { signature: `t=${nowMs / 1_000},v1=` }],
  ])('%s is refused', async (_what, change) => {
    await expect(verifyWebhook({ ...delivery, ...change })).rejects.toBeInstanceOf(WebhookSignatureError);
  });
});
