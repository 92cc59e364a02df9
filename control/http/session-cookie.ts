import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

/**
 * The cookie with a browser's session token. The prefix `__Host-` (RFC 6265bis, section 4.1.3.2) makes browsers refuse the cookie
 * unless it is Secure, for this host alone and for every path, so no neighbour under the same domain can plant one.
 */
export const SESSION_COOKIE = '__Host-session';

/** Says in which browsers somebody signed in before; of no use without a password. */
export const DEVICE_COOKIE = '__Host-device';

/** Empty without one. */
export const readDeviceCookie = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers.cookie && parseCookie(headers.cookie)[DEVICE_COOKIE]) || '';

export const readSessionCookie = ({ headers }: Pick<FastifyRequest, 'headers'>): string | null =>
  (headers.cookie && parseCookie(headers.cookie)[SESSION_COOKIE]) || null;

/** Returns the value of `Set-Cookie`; with an age of 0 the browser deletes the cookie. */
export const sessionCookieHeader = (value: string, maxAge: number): string =>
  cookieHeader(SESSION_COOKIE, value, maxAge);

export const deviceCookieHeader = (value: string, maxAge: number): string => cookieHeader(DEVICE_COOKIE, value, maxAge);

const cookieHeader = (name: string, value: string, maxAge: number): string =>
  stringifySetCookie({
    ...{ name, value, maxAge },
    ...{ path: '/', httpOnly: true, secure: true, sameSite: 'lax' },
  });
