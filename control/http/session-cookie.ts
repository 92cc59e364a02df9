import type { FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

/**
 * How a browser keeps its session. The prefix `__Host-` (RFC 6265bis, section 4.1.3.2) makes browsers refuse the cookie unless
 * it is Secure, for this host alone and for every path, so no neighbour under the same domain can plant one.
 */
export const SESSION_COOKIE = '__Host-session';

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function readSessionCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === SESSION_COOKIE) return pair.slice(equals + 1).trim() || null;
  }
  return null;
}

/** The value of `Set-Cookie`. */
export function setSessionCookie(token: string, maxAgeSeconds: number): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}`;
}

export const clearSessionCookie = (): string => `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/**
 * A browser tells where a request comes from, and no page can change what it tells: `Sec-Fetch-Site` (W3C Fetch Metadata), or
 * `Origin` in older ones.
 *
 * @throws HttpError 403 `cross-site request refused` for a request that may change something and was not sent by a page of ours.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none' || isOwnOrigin(request)) return;
  throw new HttpError(403, 'cross-site request refused');
}

/** The same for what needs no cookie but sets one. Programs, which tell nothing of the kind, are let through. */
export function refuseCrossSitePage(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined || site !== undefined) refuseCrossSite(request);
}

/** Behind a proxy that ends TLS the scheme is not known here: host and port must be the same. */
function isOwnOrigin({ headers, server }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (!origin || !host || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase() || server?.consoleOrigins?.has(origin) === true;
}
