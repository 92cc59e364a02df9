import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import { createSafeFetch, type SafeFetchError, type SafeFetchOptions } from '../../shared/safe-fetch.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** Requests over a real CONNECT proxy, which leads every address to a server of the test. */

const PUBLIC = '93.184.215.14';
const OTHER = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const { cert, key } = selfSignedCertificate('shop.example');
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(closed));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

type Answer = 'open' | 'hang' | number;

interface Proxy {
  port: number;
  asked: { authority: string; authorization: string | undefined; socket: Socket }[];
}

/** `answerTo`: what the proxy does for an authority. */
async function startProxy(targetPort: number, answerTo: (authority: string) => Answer = () => 'open'): Promise<Proxy> {
  const proxy = createServer();
  const asked: Proxy['asked'] = [];
  proxy.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push({ authority: url, authorization: headers['proxy-authorization'], socket });
    const answer = answerTo(url);
    if (answer === 'hang') return;
    if (answer !== 'open') return void socket.end(`HTTP/1.1 ${answer} No\r\nContent-Length: 3\r\n\r\nno!`);
    const target = connect(targetPort, '127.0.0.1');
    target.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const [one, other] of [[socket, target] as const, [target, socket] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return { port: await listen(proxy), asked };
}

const target = (listener: RequestListener, secure = true) =>
  listen(secure ? (createTlsServer({ cert, key }, listener) as unknown as Server) : createServer(listener));

/** Answers what it was asked. */
const mirror: RequestListener = ({ headers, method, url, socket }, response) =>
  response.end(JSON.stringify({ host: headers.host, method, url, sni: (socket as TLSSocket).servername }));

const ASKED = { timeoutMs: 20_000, maxBytes: 4096 };

function fetchOver(port: number, options: SafeFetchOptions & { user?: string; addresses?: string[] } = {}) {
  const { user = '', addresses = [PUBLIC], ...more } = options;
  return createSafeFetch({
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    proxy: readEgressProxy(`http://${user === '' ? '' : `${user}@`}127.0.0.1:${port}`),
    ca: cert,
    ...more,
  });
}

const failure = (answer: Promise<unknown>) =>
  answer.then(
    () => {
      throw new Error('it was answered');
    },
    (error: SafeFetchError) => error,
  );

describe('over a proxy', () => {
  it('https goes to the checked address, with the name in the handshake and in Host', async () => {
    const proxy = await startProxy(await target(mirror));
    const fetch = fetchOver(proxy.port, { user: 'us%40er:p%3Aw' });
    const { status, body } = await fetch('https://shop.example/a?b=1', { ...ASKED, method: 'POST', body: 'x' });
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { host: 'shop.example', method: 'POST', url: '/a?b=1', sni: 'shop.example' },
    ]);
    expect(proxy.asked).toMatchObject([
      { authority: `${PUBLIC}:443`, authorization: `Basic ${Buffer.from('us@er:p:w').toString('base64')}` },
    ]);
  });

  it('http goes through a tunnel too, and the target sees nothing of the proxy', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const port = await target(({ headers }, response) => {
      seen.push(headers);
      response.end('yes');
    }, false);
    const proxy = await startProxy(port);
    const { body } = await fetchOver(proxy.port, { user: 'user:pass' })('http://shop.example:8080/', ASKED);
    expect([body, proxy.asked[0]!.authority]).toEqual(['yes', `${PUBLIC}:8080`]);
    expect(seen[0]).toMatchObject({ host: 'shop.example:8080' });
    expect(JSON.stringify(seen[0])).not.toMatch(/proxy/i);
  });

  it('an address that is not public never reaches the proxy', async () => {
    const proxy = await startProxy(await target(mirror));
    for (const [url, addresses] of [
      ['https://shop.example/', ['10.0.0.1']],
      ['https://shop.example/', [PUBLIC, '169.254.169.254']],
      ['http://169.254.169.254/latest', []],
      ['http://[::1]/', []],
    ] as const) {
      const { kind } = await failure(fetchOver(proxy.port, { addresses: [...addresses] })(url, ASKED));
      expect([url, kind]).toEqual([url, 'address not allowed']);
    }
    expect(proxy.asked).toEqual([]);
  });

  it('a redirect is checked as well', async () => {
    const port = await target((_request, response) =>
      response.writeHead(302, { location: 'https://127.0.0.1/inside' }).end(),
    );
    const proxy = await startProxy(port);
    const { kind } = await failure(fetchOver(proxy.port)('https://shop.example/', { ...ASKED, redirects: 2 }));
    expect([kind, proxy.asked.length]).toEqual(['address not allowed', 1]);
  });

  it('a network that is allowed is reached without it', async () => {
    const port = await target(mirror, false);
    const proxy = await startProxy(1);
    const fetch = fetchOver(proxy.port, { allow: ['127.0.0.0/8'], addresses: ['127.0.0.1'] });
    expect((await fetch(`http://inside.example:${port}/`, ASKED)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/`, ASKED)).status).toBe(200);
    expect(proxy.asked).toEqual([]);
  });

  it('the next address is tried where the proxy does not reach one, IPv4 first', async () => {
    const proxy = await startProxy(await target(mirror), (authority) => (authority.startsWith('[') ? 'open' : 502));
    const fetch = fetchOver(proxy.port, { addresses: [OTHER, PUBLIC] });
    expect((await fetch('https://shop.example/', ASKED)).status).toBe(200);
    expect(proxy.asked.map(({ authority }) => authority)).toEqual([`${PUBLIC}:443`, `[${OTHER}]:443`]);
  });

  it('the certificate of the target is checked for its name', async () => {
    const proxy = await startProxy(await target(mirror));
    expect((await failure(fetchOver(proxy.port)('https://other.example/', ASKED))).kind).toBe('certificate not valid');
    expect((await failure(fetchOver(proxy.port)(`https://${PUBLIC}/`, ASKED))).kind).toBe('certificate not valid');
  });
});

describe('a proxy', () => {
  it.each([403, 407, 502])('that answers %i opens nothing, and its credentials are in no message', async (status) => {
    const proxy = await startProxy(1, () => status);
    const error = await failure(fetchOver(proxy.port, { user: 'user:secret' })('https://shop.example/', ASKED));
    expect([error.kind, error.message]).toEqual([
      'proxy failed',
      `the egress proxy opened no connection (HTTP ${status})`,
    ]);
    expect(JSON.stringify(error) + error.stack).not.toMatch(/secret|c2VjcmV0/);
  });

  it('that hangs costs no more than the time of the request, and the connection to it is closed', async () => {
    const proxy = await startProxy(1, () => 'hang');
    const clock = createVirtualClock();
    const answer = failure(fetchOver(proxy.port, { clock })('https://shop.example/', ASKED));
    await until(() => proxy.asked.length === 1, 'the request to the proxy');
    await clock.advance(ASKED.timeoutMs);
    expect((await answer).kind).toBe('timeout');
    await until(
      () => proxy.asked[0]!.socket.destroyed || proxy.asked[0]!.socket.readableEnded,
      'the end of the tunnel',
    );
  });

  it('is not waited for by a request that is stopped', async () => {
    const proxy = await startProxy(1, () => 'hang');
    const stop = new AbortController();
    const answer = failure(fetchOver(proxy.port)('https://shop.example/', { ...ASKED, signal: stop.signal }));
    await until(() => proxy.asked.length === 1, 'the request to the proxy');
    stop.abort();
    expect((await answer).kind).toBe('aborted');
  });

  it('that is away fails the request', async () => {
    const port = await listen(createServer());
    await closing.pop()!();
    const { kind, message } = await failure(fetchOver(port)('https://shop.example/', ASKED));
    expect([kind, message]).toEqual(['proxy failed', 'the egress proxy cannot be reached (ECONNREFUSED)']);
  });

  it('that breaks off in the middle breaks the request', async () => {
    let reached = false;
    const proxy = await startProxy(
      await target((_request, response) => {
        reached = true;
        response.write('half');
      }),
    );
    const answer = failure(fetchOver(proxy.port)('https://shop.example/', ASKED));
    await until(() => reached, 'the request through the tunnel');
    proxy.asked[0]!.socket.destroy();
    expect((await answer).kind).toBe('connection broken');
  });
});

it.each(['socks5://proxy:1080', 'proxy:3128', 'http://proxy:3128/path'])('%s is no such setting', (text) => {
  expect(() => readEgressProxy(text)).toThrow('EGRESS_PROXY is no address');
});
