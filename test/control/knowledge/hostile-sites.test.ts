import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentReader } from '../../../control/knowledge/documents/document-reader.ts';
import { readPages } from '../../../control/knowledge/pages/read-pages.ts';
import type { Clock } from '../../../shared/clock.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { type Answer, ends, HOSTILE_SITES, html } from '../../support/hostile-sites.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { startWebSite, type WebSite } from '../../support/web-site.ts';

const MB = 1024 * 1024;
const MAX_GROWTH_BYTES = 150 * MB;
const reader = createDocumentReader({ clock: systemClock, log: createLogger('control', 'silent') });

let site: WebSite;
beforeAll(async () => {
  site = await startWebSite();
});
afterAll(() => reader.close());

/** Time stands still, so that a slow machine is not taken for a slow site. */
function read(url: string, max_pages = 1, clock: Clock = createVirtualClock()) {
  const fetch = createSafeFetch({ allow: ['127.0.0.1'], clock });
  return readPages({ fetch, reader, clock }, { url, max_pages }, new Map());
}

/** As `read`, of a site that never ends its answer at this path: the time for it passes when it was asked for. */
async function readUntilTimeout({ origin, requests }: WebSite, path: string, timeoutMs: number) {
  const clock = createVirtualClock();
  const before = requests.length;
  const result = read(`${origin}/`, 1, clock);
  await until(() => requests.slice(before).some((request) => request.path === path), `the request for ${path}`);
  await clock.advance(timeoutMs);
  return result;
}

describe('a hostile site', () => {
  it.each(HOSTILE_SITES)('that %s: reading it ends', async (_what, answer, expected) => {
    site.pages.set('/', answer);
    const before = process.memoryUsage.rss();
    const neverEnds = expected === 'its server takes longer than 15 seconds';
    const result = await (neverEnds ? readUntilTimeout(site, '/', 15_000) : read(`${site.origin}/`));
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
    const never: Answer = () => {};
    for (const robots of [ends(503), never]) {
      const other = await startWebSite();
      other.pages.set('/robots.txt', robots).set('/', page);
      const result = robots === never ? readUntilTimeout(other, '/robots.txt', 10_000) : read(`${other.origin}/`);
      expect(await result).toMatchObject({ type: 'failed', retryable: true });
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
