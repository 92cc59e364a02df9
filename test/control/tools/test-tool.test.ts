import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { until } from '../../support/until.ts';

let api: TestApi;
let acme: Client;
const servers: (Server | TcpServer)[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  api = await startTestApi({}, { FETCH_ALLOW: '127.0.0.0/8' });
  acme = await api.newWorkspace('Acme');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const serve = (listener: RequestListener) => listen(createServer(listener));

const tool = (url: string, more: object = {}) => ({
  ...{ name: 'find_slots', description: 'Finds slots', url, timeout_seconds: 5 },
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  ...more,
});
const ARGUMENTS = { day: 'monday' };
const test = (body: object, by = acme) => by.send('POST', '/tools/test', { arguments: ARGUMENTS, ...body });

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

describe('the test of a tool', () => {
  it('sends one request and shows it, what came back, and what the model would receive', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      seen.push([request.method, request.headers.authorization, await textOf(request)]);
      response.writeHead(200, { 'content-type': 'application/json', 'x-served': 'yes' }).end('{ "slots": [ 9, 10 ] }');
    });
    const { status, body } = await test({
      tool: tool(`${url}/slots`, { headers: { Authorization: 'Bearer secret' } }),
    });
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ status: 200, latency_ms: expect.any(Number), result: '{"slots":[9,10]}', error: '' },
        request: {
          ...{ method: 'POST', url: `${url}/slots`, body: '{"day":"monday"}' },
          headers: { authorization: '***', 'content-type': 'application/json' },
        },
        response_headers: { 'x-served': 'yes' },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(seen).toEqual([['POST', 'Bearer secret', '{"day":"monday"}']]);
  });

  it('sends the arguments of GET as a query', async () => {
    const url = await serve((request, response) => response.end(request.url));
    const { body } = await test({ tool: tool(`${url}/slots?shop=1`, { method: 'GET' }) });
    expect(body).toMatchObject({ result: '/slots?shop=1&day=monday' });
    expect(body.request).toMatchObject({ url: `${url}/slots?shop=1&day=monday`, body: null });
  });

  it('takes a saved tool, and header values that were masked from it', async () => {
    const url = await serve((request, response) => response.end(String(request.headers['x-key'])));
    const saved = (await acme.send('POST', '/tools', tool(url, { headers: { 'X-Key': 'secret' } }))).body;
    expect((await test({ tool_id: saved.id })).body).toMatchObject({ result: 'secret' });
    const masked = tool(`${url}/new`, { headers: { 'X-Key': '***' } });
    const edited = (await test({ tool_id: saved.id, tool: masked })).body;
    expect(edited).toMatchObject({ result: 'secret', request: { url: `${url}/new`, headers: { 'x-key': '***' } } });
    expect(await test({ tool: masked })).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'tool', 'headers', 'X-Key'],
            msg: 'no value is saved for the header X-Key: send the value itself, or the tool_id of a saved tool',
          },
        ],
      },
    });
    expect(await test({ tool_id: 'nonsense' })).toMatchObject({ status: 404, body: { detail: 'tool not found' } });
  });

  it('sends nothing when the arguments do not fit the schema, or neither tool nor tool_id is given', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests++;
      response.end();
    });
    expect(await test({ tool: tool(url), arguments: { day: 7 } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'arguments'], msg: 'day must be a string, not a number' }] },
    });
    expect((await test({ tool: tool(url), arguments: { day: 'x'.repeat(100_001) } })).status).toBe(422);
    expect(await test({})).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'tool'], msg: 'tool or tool_id is needed' }] },
    });
    expect(requests).toBe(0);
  });

  it('is 200 when the endpoint answers with an error, or not at all', async () => {
    const url = await serve((_, response) => response.writeHead(500).end('down'));
    const failed = { status: 500, error: '', result: 'The tool answered with status 500: down' };
    expect(await test({ tool: tool(url) })).toMatchObject({ status: 200, body: failed });
    const refused = await test({ tool: tool('http://127.0.0.1:1/') });
    expect(refused).toMatchObject({ status: 200, body: { status: 0, error: 'connection refused' } });
  });

  it('is written to the audit trail', async () => {
    const url = await serve((_, response) => response.end('ok'));
    const globex = await api.newWorkspace('Globex');
    await test({ tool: tool(url) }, globex);
    const events = await api.sql`
      select action, target_name, data from audit_events
      where workspace_id = ${globex.workspace_id} and target_kind = 'tool'`;
    expect(events).toMatchObject([{ action: 'tool.tested', target_name: 'find_slots', data: { status: 200 } }]);
  });

  it('runs three times at once in a workspace', async () => {
    const release: (() => void)[] = [];
    const url = await serve((_, response) => {
      release.push(() => response.end('ok'));
    });
    const running = [1, 2, 3].map(() => test({ tool: tool(url, { timeout_seconds: 30 }) }));
    await until(() => release.length === 3);
    const fourth = await test({ tool: tool(url) });
    const detail = 'only 3 tools are tested at once; try again shortly';
    expect(fourth).toMatchObject({ status: 409, body: { detail } });
    for (const answer of release) answer();
    expect((await Promise.all(running)).map(({ body }) => body.result)).toEqual(['ok', 'ok', 'ok']);
  });
});

describe('a hostile endpoint', () => {
  it('that never ends its body gives the beginning of it', async () => {
    const url = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    const { status, body } = await test({ tool: tool(url) });
    expect([status, body.status, body.result.length]).toEqual([200, 200, 3000]);
  });

  it('that does not finish is given up after the time-out of the tool', async () => {
    const url = await serve((_, response) => void response.write('a'));
    const { body } = await test({ tool: tool(url, { timeout_seconds: 1 }) });
    expect(body).toMatchObject({ status: 0, error: 'timeout', response_headers: {} });
  });

  it('that redirects inside is not followed', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    const { body } = await test({ tool: tool(url) });
    expect([body.status, body.error]).toEqual([302, '']);
    expect(body.result).toContain('was not followed');
  });

  it('with endless headers is given up', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let line = 0; line < 10_000; line++) socket.write(`x-${line}: ${'y'.repeat(1_000)}\r\n`);
    });
    const { body } = await test({ tool: tool(await listen(server)) });
    expect(body).toMatchObject({ status: 0, error: 'connection broken', response_headers: {} });
  });

  it('with many long headers shows a part of them', async () => {
    const url = await serve((_, response) => {
      for (let index = 0; index < 200; index++) response.setHeader(`x-${index}`, 'y');
      response.setHeader('a-long', 'y'.repeat(5_000));
      response.end('ok');
    });
    const { body } = await test({ tool: tool(url) });
    const values = Object.values(body.response_headers as Record<string, string>);
    expect([values.length, Math.max(...values.map(({ length }) => length)) <= 1_000]).toEqual([100, true]);
  });

  it('on a private address is not called', async () => {
    const { status, body } = await test({ tool: tool('http://169.254.169.254/latest/meta-data/') });
    expect([status, body.status, body.error]).toEqual([200, 0, 'address not allowed']);
  });
});
