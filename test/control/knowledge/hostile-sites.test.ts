import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentReader } from '../../../control/knowledge/documents/document-reader.ts';
import { readPages } from '../../../control/knowledge/pages/read-pages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { startWebSite, type WebSite } from '../../support/web-site.ts';

const MB = 1024 * 1024;
const MAX_GROWTH_BYTES = 150 * MB;
/** Fifty times as fast, so that a timeout of 15 seconds is over in 300 ms. */
const fast: Clock = {
  now: () => systemClock.now() * 50,
  wall: systemClock.wall,
  after: (delayMs, run) => systemClock.after(delayMs / 50, run),
};
const fetch = createSafeFetch({ allow: ['127.0.0.1'], clock: fast });
const reader = createDocumentReader({ clock: systemClock, log: createLogger('control', 'silent') });

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const html = { 'content-type': 'text/html' };
const ends =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
/** Sends parts for as long as somebody listens. */
const endless =
  (part: string): Answer =>
  (_request, response) => {
    response.writeHead(200, html);
    const send = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', send);
    send();
  };

/** What the site does, its page, and how reading it ends: a reason, or `read`. */
const SITES: [string, Answer, string | RegExp][] = [
  ['sends a page without end', endless('<p>word '.repeat(1_000)), 'the page is larger than 5 MB'],
  ['sends nothing', () => {}, 'its server takes longer than 15 seconds'],
  [
    'sends a byte now and then',
    (_request, response) => void response.writeHead(200, html).write('<html>'),
    'its server takes longer than 15 seconds',
  ],
  ['breaks the connection', (request) => request.socket.destroy(), 'the connection to its server broke'],
  [
    'breaks off in the middle',
    (_request, response) => {
      response.writeHead(200, { ...html, 'content-length': '1000' });
      response.write('<html>', () => response.destroy());
    },
    'the connection to its server broke',
  ],
  ['redirects to itself', ends(302, { location: '/' }), 'it redirects more than 3 times'],
  [
    'redirects to this machine',
    ends(302, { location: 'http://127.0.0.2/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a cloud’s metadata',
    ends(302, { location: 'http://169.254.169.254/latest' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a private network',
    ends(307, { location: 'http://10.0.0.1/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to an address in IPv6',
    ends(302, { location: 'http://[::ffff:10.0.0.1]/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a file',
    ends(302, { location: 'file:///etc/passwd' }),
    'it redirects to an address that cannot be followed',
  ],
  ['redirects nowhere', ends(302), 'it redirects to an address that cannot be followed'],
  [
    'sends a gzip bomb',
    ends(200, { ...html, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50 * MB))),
    'the page is larger than 5 MB',
  ],
  ['sends broken gzip', ends(200, { ...html, 'content-encoding': 'gzip' }, 'not gzip'), 'its compression is broken'],
  [
    'compresses in its own way',
    ends(200, { ...html, 'content-encoding': 'x-own' }, 'x'),
    'its compression is not supported',
  ],
  [
    'sends a picture as a page',
    ends(200, html, Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0\0', 'latin1')),
    /neither a page/,
  ],
  ['sends JSON', ends(200, { 'content-type': 'application/json' }, '{}'), /neither a page.*application\/json/],
  ['says 304 to who knows nothing', ends(304), 'its server answered 304'],
  ['always fails', ends(500), 'its server answered 500'],
  [
    'has a page nested without end',
    ends(200, html, `<html>${'<div>'.repeat(500_000)}`),
    'the page is nested too deeply',
  ],
  ['has a script that never ends', ends(200, html, '<html><script>for(;;);</script>Words'), 'read'],
  ['has a page without words', ends(200, html, '<html></html>'), 'read'],
];

let site: WebSite;
beforeAll(async () => {
  site = await startWebSite();
});
afterAll(() => reader.close());

const read = (url: string, max_pages = 1) =>
  readPages({ fetch, reader, clock: systemClock }, { url, max_pages }, new Map());

describe('a hostile site', () => {
  it.each(SITES)('that %s: reading it ends', async (_what, answer, expected) => {
    site.pages.set('/', answer);
    const before = process.memoryUsage.rss();
    const result = await read(`${site.origin}/`);
    expect(result.type === 'pages' ? 'read' : result.reason).toMatch(expected);
    expect(process.memoryUsage.rss() - before).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('that speaks something else: reading it ends', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const result = await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.close();
    expect(result).toEqual({ type: 'failed', reason: 'the connection to its server broke', retryable: true });
  });

  it('whose robots.txt never ends or fails: the page is not asked for', async () => {
    const page = '<html>Words';
    for (const robots of [ends(503), (() => {}) as Answer]) {
      const other = await startWebSite();
      other.pages.set('/robots.txt', robots).set('/', page);
      expect(await read(`${other.origin}/`)).toMatchObject({ type: 'failed', retryable: true });
      expect(other.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
    }
  });

  it('that makes a new page for every link is read up to max_pages', async () => {
    const maze = await startWebSite();
    const makes: Answer = ({ url }, response) => {
      const links = Array.from({ length: 300 }, (_, n) => `<a href="${url}/${n}">${n}</a>`).join('');
      response.writeHead(200, html).end(`<html>Page ${url} ${links}`);
    };
    maze.pages.set('/robots.txt', '').set('*', makes);
    const result = await read(`${maze.origin}/x`, 5);
    expect(result).toMatchObject({ type: 'pages', pages: { length: 5 } });
  });

  it('that has the same page at every address is read once, with four requests a page at most', async () => {
    const mirror = await startWebSite();
    const links = Array.from({ length: 300 }, (_, n) => `<a href="/${n}">same</a>`).join('');
    mirror.pages.set('/robots.txt', '').set('*', `<html>The same words. ${links}`);
    const result = await read(`${mirror.origin}/x`, 3);
    expect(result).toMatchObject({ type: 'pages', pages: { length: 1 } });
    expect(mirror.requests.length).toBe(13);
  });

  it('that calls all pages of another host canonical is read under its own addresses', async () => {
    const other = await startWebSite();
    other.pages.set('/', '<html><link rel="canonical" href="https://bank.example/">Words');
    expect(await read(`${other.origin}/`)).toMatchObject({ pages: [{ canonical_url: `${other.origin}/` }] });
  });
});
