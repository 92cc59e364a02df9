import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './after-file.ts';

/** A web site for tests: pages by path, and the requests that it got. */
export interface WebSite {
  origin: string;
  /** A page as text, or a function that answers. */
  pages: Map<string, string | ((request: IncomingMessage, response: ServerResponse) => void)>;
  requests: { path: string; headers: IncomingMessage['headers'] }[];
}

/** A path without a page gets 404. */
export async function startWebSite(): Promise<WebSite> {
  const site: WebSite = { origin: '', pages: new Map(), requests: [] };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    site.requests.push({ path, headers: request.headers });
    const page = site.pages.get(path) ?? site.pages.get('*');
    if (typeof page === 'function') return page(request, response);
    const type = path.endsWith('.txt') ? 'text/plain' : 'text/html; charset=utf-8';
    if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(page);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return site;
}
