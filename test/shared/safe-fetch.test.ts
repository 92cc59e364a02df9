import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createSafeFetch,
  type SafeFetch,
  type SafeFetchError,
  type SafeFetchOptions,
  type SafeRequest,
} from '../../shared/safe-fetch.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const servers: (Server | TcpServer)[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function listen<T extends Server | TcpServer>(server: T): Promise<number> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

const LOOPBACK = { allow: ['127.0.0.0/8'] };

/** A resolver that knows these names and counts how often it was asked. */
function names(known: Record<string, string[]>) {
  const asked: string[] = [];
  const resolve: NonNullable<SafeFetchOptions['resolve']> = async (host) => {
    asked.push(host);
    return (known[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

const get = (fetch: SafeFetch, url: string, more: Partial<SafeRequest> = {}) =>
  fetch(url, { timeoutMs: 20_000, maxBytes: 4096, ...more });

const kindOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    (error: SafeFetchError) => error.kind,
  );

describe('an address', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://192.0.0.192/',
    'http://192.88.99.1/',
    'http://198.18.0.1/',
    'http://198.51.100.7/',
    'http://203.0.113.7/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:db8::1]/',
    'http://[5f00::1]/',
    'http://[100::1]/',
    'https://user@10.0.0.1:8443/',
  ])('%s is refused and nothing is resolved', async (url) => {
    const { asked, resolve } = names({});
    expect(await kindOf(get(createSafeFetch({ resolve }), url))).toBe('address not allowed');
    expect(asked).toEqual([]);
  });

  it.each(['', 'example.com', 'ftp://example.com/', 'file:///etc/passwd', 'http://', 'http://[::1', 'javascript:1'])(
    '%j is no url',
    async (url) => expect(await kindOf(get(createSafeFetch(), url))).toBe('invalid url'),
  );

  it.each(['10.0.0.0/33', 'ten/8', '10.0.0.0/8/8', '10.0.0.0/', ''])('%j is no network to allow', (network) =>
    expect(() => createSafeFetch({ allow: [network] })).toThrow('not a network'),
  );
});

describe('a name', () => {
  it('is resolved once, for check and connection', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    // The second answer would be public, as of a name that is rebound between check and use.
    const answers = [['127.0.0.1'], ['8.8.8.8']];
    let asked = 0;
    const resolve = async () => (answers[asked++] ?? []).map((address) => ({ address, family: 4 }));
    const answer = await get(createSafeFetch({ ...LOOPBACK, resolve }), `http://shop.example:${port}/`);
    expect(answer.body).toBe(`shop.example:${port}`);
    expect(asked).toBe(1);
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['169.254.169.254', '8.8.8.8']],
    [['2606:4700::1', '::1']],
    [['8.8.8.8', '::ffff:192.168.0.1']],
    [['fe80::1%eth0']],
    [['not an address']],
  ])('that leads to %j is refused', async (addresses) => {
    const { resolve } = names({ 'rebound.example': addresses });
    expect(await kindOf(get(createSafeFetch({ resolve }), 'http://rebound.example/'))).toBe('address not allowed');
  });

  it('without an address is not found', async () => {
    const { resolve } = names({});
    expect(await kindOf(get(createSafeFetch({ resolve }), 'http://nowhere.example/'))).toBe('host not found');
    const broken = createSafeFetch({ resolve: () => Promise.reject(new Error('SERVFAIL')) });
    expect(await kindOf(get(broken, 'http://nowhere.example/'))).toBe('host not found');
  });

  it('of the machine itself is refused', async () =>
    expect(await kindOf(get(createSafeFetch(), 'http://localhost:1/'))).toBe('address not allowed'));

  it('may lead to several allowed addresses, of which one answers', async () => {
    const port = await serve((_, response) => response.end('here'));
    const { resolve } = names({ 'shop.example': ['127.0.0.9', '127.0.0.1'] });
    const answer = await get(createSafeFetch({ ...LOOPBACK, resolve }), `http://shop.example:${port}/`);
    expect(answer.body).toBe('here');
  });

  it('that never resolves is given up', async () => {
    const clock = createVirtualClock();
    const fetch = createSafeFetch({ clock, resolve: () => new Promise(() => {}) });
    const kind = kindOf(get(fetch, 'http://slow.example/', { timeoutMs: 1000 }));
    await clock.advance(1000);
    expect(await kind).toBe('timeout');
  });
});

describe('a request', () => {
  it('arrives as it was meant', async () => {
    const port = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { method, url, headers } = request;
        response.end(JSON.stringify({ method, url, headers, body }));
      });
    });
    const answer = await get(createSafeFetch(LOOPBACK), `http://ann:p%40ss@127.0.0.1:${port}/a%20b?q=1#part`, {
      method: 'post',
      headers: { 'X-Key': 'k', Host: 'internal', 'Content-Length': '1', 'Accept-Encoding': 'gzip', Connection: 'x' },
      body: 'नमस्ते',
    });
    const got = JSON.parse(answer.body);
    expect(got).toMatchObject({ method: 'POST', url: '/a%20b?q=1', body: 'नमस्ते' });
    expect(got.headers).toEqual({
      'user-agent': 'antiphon',
      accept: '*/*',
      authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
      'x-key': 'k',
      host: `127.0.0.1:${port}`,
      'accept-encoding': 'identity',
      'content-length': '18',
      connection: 'close',
    });
  });

  it('with a header that cannot be sent is refused', async () => {
    const headers = { 'x-name': 'a\r\nb: c' };
    expect(await kindOf(get(createSafeFetch(LOOPBACK), 'http://127.0.0.1:1/', { headers }))).toBe('invalid url');
  });

  it('that is aborted ends at once', async () => {
    const asked = { count: 0 };
    const port = await serve(() => {
      asked.count++;
    });
    const abort = new AbortController();
    const kind = kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, { signal: abort.signal }));
    await until(() => asked.count === 1);
    abort.abort();
    expect(await kind).toBe('aborted');
    const before = kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, { signal: abort.signal }));
    expect(await before).toBe('aborted');
    expect(asked.count).toBe(1);
  });
});

describe('an answer', () => {
  it('carries its status, headers and text', async () => {
    const port = await serve((_, response) => {
      response.writeHead(503, {
        'X-Thing': 'a',
        'Set-Cookie': ['a=1', 'b=2'],
        'content-type': 'text/plain; charset=latin1',
      });
      response.end(Buffer.from('café', 'latin1'));
    });
    const answer = await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 503, body: 'café', bytes: 4, truncated: false });
    expect(answer.headers).toMatchObject({ 'x-thing': 'a', 'set-cookie': 'a=1, b=2' });
  });

  it('without end is cut and its connection closed', async () => {
    let closed = false;
    const port = await serve((_, response) => {
      const flood = () => {
        while (!response.destroyed && response.write('न'.repeat(1000)));
      };
      response.on('drain', flood);
      response.on('close', () => {
        closed = true;
      });
      flood();
    });
    const answer = await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, { maxBytes: 4096 });
    expect(answer).toMatchObject({ bytes: 4096, truncated: true, body: 'न'.repeat(1365) });
    await until(() => closed);
  });

  it('of exactly the size allowed is whole', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(4096)));
    expect(await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`)).toMatchObject({
      bytes: 4096,
      truncated: false,
    });
  });

  it('that drips for ever is given up, and its connection closed', async () => {
    const clock = createVirtualClock();
    let drops = 0;
    let closed = false;
    const port = await serve((_, response) => {
      const tap = setInterval(() => {
        response.write('.');
        drops++;
      }, 5);
      response.on('close', () => {
        clearInterval(tap);
        closed = true;
      });
    });
    const kind = kindOf(get(createSafeFetch({ ...LOOPBACK, clock }), `http://127.0.0.1:${port}/`, { timeoutMs: 3000 }));
    await until(() => drops > 3);
    await clock.advance(2999);
    expect(closed).toBe(false);
    await clock.advance(1);
    expect(await kind).toBe('timeout');
    await until(() => closed);
    expect(clock.pending()).toBe(0);
  });

  it('that never begins is given up', async () => {
    const clock = createVirtualClock();
    let asked = false;
    const port = await serve(() => {
      asked = true;
    });
    const kind = kindOf(get(createSafeFetch({ ...LOOPBACK, clock }), `http://127.0.0.1:${port}/`, { timeoutMs: 3000 }));
    await until(() => asked);
    await clock.advance(3000);
    expect(await kind).toBe('timeout');
  });

  it('that breaks off is no answer', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    expect(await kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`))).toBe('connection broken');
  });

  it.each(['', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'SSH-2.0-OpenSSH\r\n'])(
    'like %j is no answer',
    async (text) => {
      const port = await listen(
        createTcpServer((socket) =>
          socket
            .on('error', () => {})
            .resume()
            .end(text),
        ),
      );
      expect(await kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`))).toBe('connection broken');
    },
  );

  it('does not come where nobody listens', async () => {
    const port = await serve(() => {});
    await new Promise((closed) => servers.pop()!.close(closed));
    expect(await kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`))).toBe('connection refused');
  });
});

describe('a redirect', () => {
  const to = (location: string | undefined, status = 302) =>
    serve((_, response) => response.writeHead(status, location === undefined ? {} : { location }).end('moved'));

  it('is an answer when none is to be followed', async () => {
    const port = await to('http://127.0.0.1:1/');
    const answer = await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 302, body: 'moved' });
  });

  it.each(['http://10.0.0.1/', 'http://metadata.example/'])('to %s is checked anew', async (location) => {
    const port = await to(location);
    const { resolve } = names({ 'metadata.example': ['169.254.169.254'] });
    const fetch = createSafeFetch({ ...LOOPBACK, resolve });
    expect(await kindOf(get(fetch, `http://127.0.0.1:${port}/`, { redirects: 3 }))).toBe('address not allowed');
  });

  it.each(['ftp://127.0.0.1/', 'http://[', undefined])('to %s cannot be followed', async (location) => {
    const port = await to(location);
    expect(await kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, { redirects: 3 }))).toBe(
      'redirect',
    );
  });

  it('in a circle ends', async () => {
    const port = await to('/again');
    expect(await kindOf(get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, { redirects: 3 }))).toBe(
      'redirect',
    );
  });

  it('to another server takes no secret along, and asks with GET', async () => {
    const target = await serve((request, response) =>
      response.end(JSON.stringify({ method: request.method, ...request.headers })),
    );
    const port = await to(`http://127.0.0.1:${target}/there`);
    const answer = await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: 'Bearer s', 'x-api-key': 's', 'content-type': 'application/json' },
      body: '{}',
      redirects: 1,
    });
    const got = JSON.parse(answer.body);
    expect(got).toMatchObject({ method: 'GET', host: `127.0.0.1:${target}` });
    expect(Object.keys(got)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(answer.body).not.toContain('x-api-key');
    expect(answer.body).not.toContain('content-');
  });

  it('with 307 on the same server repeats the request', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/') response.writeHead(307, { location: '/there' }).end();
      else request.on('data', (chunk) => response.end(`${request.method} ${request.headers.authorization} ${chunk}`));
    });
    const answer = await get(createSafeFetch(LOOPBACK), `http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: 'Bearer s' },
      body: '{}',
      redirects: 1,
    });
    expect(answer.body).toBe('POST Bearer s {}');
  });
});

describe('over TLS', () => {
  const shop = selfSignedCertificate('shop.example');
  const { resolve } = names({ 'shop.example': ['127.0.0.1'], 'bank.example': ['127.0.0.1'] });
  const serveTls = (seen: string[] = []) =>
    listen(
      createTlsServer(shop, (request, response) => response.end(request.headers.host)).on(
        'secureConnection',
        (socket) => {
          seen.push(String((socket as { servername?: string | false }).servername));
        },
      ),
    );

  it('a certificate nobody vouches for is refused', async () => {
    const port = await serveTls();
    const fetch = createSafeFetch({ ...LOOPBACK, resolve });
    expect(await kindOf(get(fetch, `https://shop.example:${port}/`))).toBe('certificate not valid');
  });

  it('a certificate of another name is refused', async () => {
    const port = await serveTls();
    const fetch = createSafeFetch({ ...LOOPBACK, resolve, ca: shop.cert });
    expect(await kindOf(get(fetch, `https://bank.example:${port}/`))).toBe('certificate not valid');
  });

  it('the name stays in SNI and Host', async () => {
    const seen: string[] = [];
    const port = await serveTls(seen);
    const answer = await get(createSafeFetch({ ...LOOPBACK, resolve, ca: shop.cert }), `https://shop.example:${port}/`);
    expect(answer.body).toBe(`shop.example:${port}`);
    expect(seen).toEqual(['shop.example']);
  });

  it('a redirect does not lead out of it', async () => {
    const server = createTlsServer(shop, (_, response) =>
      response.writeHead(302, { location: 'http://shop.example/' }).end(),
    );
    const port = await listen(server);
    const fetch = createSafeFetch({ ...LOOPBACK, resolve, ca: shop.cert });
    expect(await kindOf(get(fetch, `https://shop.example:${port}/`, { redirects: 3 }))).toBe('redirect');
  });

  it('a server that speaks none is a broken connection', async () => {
    const port = await serve((_, response) => response.end());
    const fetch = createSafeFetch({ ...LOOPBACK, resolve });
    expect(await kindOf(get(fetch, `https://shop.example:${port}/`))).toBe('connection broken');
  });
});
