import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { documentReaderHere } from '../../support/document-reader-here.ts';
import { pdfOf } from '../../support/documents.ts';
import { startWebSite, type WebSite } from '../../support/web-site.ts';

const log = createLogger('control', 'silent');
const fetch = createSafeFetch({ allow: ['127.0.0.0/8'] });
let api: TestApi;
let acme: Client;
let base: string;
let site: WebSite;

beforeAll(async () => {
  api = await startTestApi({}, { FETCH_ALLOW: '127.0.0.0/8' });
});
beforeEach(async () => {
  acme = await api.newWorkspace();
  base = (await acme.send('POST', '/knowledge-bases', { name: 'Hotel' })).body.id;
  site = await startWebSite();
});

const add = (body: object) => acme.send('POST', `/knowledge-bases/${base}/sources/url`, body);
const deps = () => ({ sql: api.sql, clock: systemClock, log, embedder: null, fetch });
/** Meanwhile time stands still, so that what is to be tried again later is not tried in the same round. */
const process = () => {
  const startedMs = Date.now();
  const clock = { ...systemClock, wall: () => startedMs };
  return processSources({ ...deps(), clock, reader: documentReaderHere });
};
const source = async () => (await acme.send('GET', `/knowledge-bases/${base}`)).body.sources[0];
const text = async () => {
  const [row] = await api.sql<{ text: string }[]>`
    select text from knowledge_sources where workspace_id = ${acme.workspace_id} order by id desc limit 1`;
  return row!.text;
};
const asked = () => site.requests.map(({ path }) => path).filter((path) => path !== '/robots.txt');
const page = (title: string, words: string, head = '') =>
  `<html><head><title>${title}</title>${head}</head><p>${words}</html>`;
const linksTo = (...paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

describe('a page', () => {
  it('is queued, and has its title as name once it is read', async () => {
    site.pages.set('/rooms', page('Our rooms', 'All rooms face the sea.'));
    const url = `${site.origin}/rooms`;
    const added = await add({ url });
    expect(added).toMatchObject({
      status: 201,
      body: { kind: 'url', status: 'queued', url, name: `${new URL(url).host}/rooms`, file_name: '', size_bytes: 0 },
    });
    // This one in a process of its own, as in service.
    await processSources(deps());
    expect(await source()).toMatchObject({ status: 'ready', name: 'Our rooms', passages: 1 });
    expect(await text()).toBe('All rooms face the sea.');
  });

  it('has the name that was given', async () => {
    site.pages.set('/', page('Title', 'Words.'));
    await add({ url: site.origin, name: 'Mine' });
    await process();
    expect((await source()).name).toBe('Mine');
  });

  it('may be a document', async () => {
    const pdf = await pdfOf(['The menu of the day.']);
    site.pages.set('/menu', (_request, response) => response.setHeader('content-type', 'application/pdf').end(pdf));
    await add({ url: `${site.origin}/menu` });
    await process();
    expect(await text()).toBe('The menu of the day.');
  });

  it.each([
    ['ftp://example.com/a', 'the url must be https or http on the public internet'],
    ['http://10.0.0.1/', 'the url must be https or http on the public internet'],
    ['http://intranet/', 'the url must be https or http on the public internet'],
    ['http://[::1]/', 'the url must be https or http on the public internet'],
    ['http://user:secret@127.0.0.1/', 'the url must have no user name and password'],
  ])('at %s is refused', async (url, msg) => {
    expect(await add({ url })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'url'], msg }] } });
  });

  it('is read after three redirects, not after four', async () => {
    const redirect = (to: string) => (_request: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(302, { location: to }).end();
    for (const n of [1, 2, 3, 4]) site.pages.set(`/${n}`, redirect(`/${n - 1}`));
    site.pages.set('/0', page('End', 'Here it is.'));
    await add({ url: `${site.origin}/3` });
    await process();
    expect(await source()).toMatchObject({ status: 'ready', name: 'End' });
    await add({ url: `${site.origin}/4` });
    await process();
    expect(await source()).toMatchObject({ status: 'failed', error: 'it redirects more than 3 times' });
  });

  it('that robots.txt excludes is not asked for', async () => {
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private');
    site.pages.set('/private/a', page('A', 'Secret.'));
    await add({ url: `${site.origin}/private/a` });
    await process();
    const error = `robots.txt of ${new URL(site.origin).host} does not allow it`;
    expect(await source()).toMatchObject({ status: 'failed', error });
    expect(asked()).toEqual([]);
  });

  it('is asked for with what it said when it was read, and stays as it is when unchanged', async () => {
    site.pages.set('/', (request, response) => {
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"one"', 'content-type': 'text/html' }).end(page('T', 'First words.'));
    });
    const { id } = (await add({ url: site.origin })).body;
    await process();
    await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
    await process();
    expect(asked()).toEqual(['/', '/']);
    expect(await source()).toMatchObject({ status: 'ready', passages: 1, name: 'T' });
    expect(await text()).toBe('First words.');
  });

  it('that changed is read anew', async () => {
    site.pages.set('/', page('T', 'First words.'));
    const { id } = (await add({ url: site.origin })).body;
    await process();
    site.pages.set('/', page('New', 'Other words.'));
    await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
    await process();
    expect(await source()).toMatchObject({ status: 'ready', name: 'New' });
    expect(await text()).toBe('Other words.');
  });

  it('that is gone fails, and what was read of it stays searchable', async () => {
    site.pages.set('/', page('T', 'Breakfast at eight.'));
    const { id } = (await add({ url: site.origin })).body;
    await process();
    site.pages.delete('/');
    await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
    await process();
    expect(await source()).toMatchObject({ status: 'failed', error: 'its server answered 404' });
    const { body } = await acme.send('POST', `/knowledge-bases/${base}/search`, { query: 'breakfast' });
    expect(body.items).toHaveLength(1);
  });

  it('of a server that fails is tried three times', async () => {
    site.pages.set('/', (_request, response) => response.writeHead(503).end());
    await add({ url: site.origin });
    for (const expected of ['queued', 'queued', 'failed']) {
      await process();
      expect(await source()).toMatchObject({ status: expected, error: 'its server answered 503' });
      await api.sql`update knowledge_sources set due_at = now() - interval '1 minute' where workspace_id = ${acme.workspace_id}`;
    }
    expect(asked()).toHaveLength(3);
  });
});

describe('pages of a host', () => {
  it('are read breadth first, up to max_pages, on the same host only', async () => {
    site.pages.set(
      '/',
      page('Home', `Start. ${linksTo('/a', '/b#part', 'http://other.example/x', '/photo.jpg', 'mailto:a@b.c')}`),
    );
    site.pages.set('/a', page('A', `Words of A. ${linksTo('/c', '/')}`));
    site.pages.set('/b', page('B', 'Words of B.'));
    site.pages.set('/c', page('C', 'Words of C.'));
    await add({ url: `${site.origin}/`, max_pages: 3 });
    await process();
    expect(asked()).toEqual(['/', '/a', '/b']);
    expect(await source()).toMatchObject({ status: 'ready', name: 'Home', passages: 3 });
    expect(await text()).toMatch(/^Start\.[\s\S]*Words of A\.[\s\S]*Words of B\.$/);
  });

  it('count once for each canonical address and each text', async () => {
    const canonical = '<link rel="canonical" href="/a">';
    site.pages.set('/', page('Home', `Start. ${linksTo('/a?ref=1', '/a', '/a?ref=2', '/copy', '/b')}`));
    for (const path of ['/a', '/a?ref=1', '/a?ref=2'])
      site.pages.set(path, page('A', `Words of A. ${path}`, canonical));
    for (const path of ['/copy', '/b']) site.pages.set(path, page('B', 'Words of B.'));
    await add({ url: `${site.origin}/`, max_pages: 10 });
    await process();
    expect((await text()).match(/Words of ./g)).toEqual(['Words of A', 'Words of B']);
    expect(asked()).not.toContain('/a');
  });

  it('leave out what asks not to be read', async () => {
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private');
    site.pages.set(
      '/',
      page('Home', `Start. ${linksTo('/private', '/noindex', '/nofollow')} <a rel="nofollow" href="/x">x</a>`),
    );
    site.pages.set('/noindex', page('N', 'Not this.', '<meta name="robots" content="noindex">'));
    site.pages.set('/nofollow', page('F', `This. ${linksTo('/z')}`, '<meta name="robots" content="nofollow">'));
    await add({ url: `${site.origin}/`, max_pages: 10 });
    await process();
    expect(asked()).toEqual(['/', '/noindex', '/nofollow']);
    expect(await text()).not.toContain('Not this');
  });

  it.each([0, 51, 1.5])('are not %s in number', async (max_pages) => {
    expect((await add({ url: site.origin, max_pages })).status).toBe(422);
  });

  it('that have not changed are not sent again', async () => {
    const sent: string[] = [];
    const etagged =
      (body: string) =>
      (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
        if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
        sent.push(request.url!);
        response.writeHead(200, { etag: '"1"', 'content-type': 'text/html' }).end(body);
      };
    site.pages.set('/', etagged(page('Home', `Start. ${linksTo('/a')}`)));
    site.pages.set('/a', etagged(page('A', 'Words of A.')));
    const { id } = (await add({ url: `${site.origin}/`, max_pages: 5 })).body;
    await process();
    const first = await text();
    await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
    await process();
    expect(sent).toEqual(['/', '/a']);
    expect(await text()).toBe(first);
  });
});
