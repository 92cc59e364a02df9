import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentReader } from '../../../control/knowledge/documents/document-reader.ts';
import { readPages } from '../../../control/knowledge/pages/read-pages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { type Answer, ends, HOSTILE_SITES, html } from '../../support/hostile-sites.ts';
import { startWebSite, type WebSite } from '../../support/web-site.ts';

const MB = 1024 * 1024;
const MAX_GROWTH_BYTES = 150 * MB;
/** Time passes so much faster that a timeout of 15 seconds is over in one. */
const TIMES = 15;
const fast: Clock = {
  now: () => systemClock.now() * TIMES,
  wall: systemClock.wall,
  after: (delayMs, run) => systemClock.after(delayMs / TIMES, run),
};
const fetch = createSafeFetch({ allow: ['127.0.0.1'], clock: fast });
const reader = createDocumentReader({ clock: systemClock, log: createLogger('control', 'silent') });

let site: WebSite;
beforeAll(async () => {
  site = await startWebSite();
});
afterAll(() => reader.close());

const read = (url: string, max_pages = 1) =>
  readPages({ fetch, reader, clock: systemClock }, { url, max_pages }, new Map());

describe('a hostile site', () => {
  it.each(HOSTILE_SITES)('that %s: reading it ends', async (_what, answer, expected) => {
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
