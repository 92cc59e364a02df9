import type { FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that another site made a browser send. Browsers send the origin of a request in headers that no page can
 * change: `Sec-Fetch-Site` (W3C Fetch Metadata), or `Origin` in older ones.
 *
 * @throws HttpError 403 `cross-site request refused` for a request that may change something and was not sent by this server's
 *   own page or the console's.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none' || isOwnOrigin(request)) return;
  throw new HttpError(403, 'cross-site request refused');
}

/** Does the same for requests that need no cookie but set one. Programs send neither header and are let through. */
export function refuseCrossSitePage(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined || site !== undefined) refuseCrossSite(request);
}

/** Compares host and port only: behind a proxy that ends TLS the scheme is not known here. */
function isOwnOrigin({ headers, server }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (!origin || !host || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase() || server?.consoleOrigins?.has(origin) === true;
}
