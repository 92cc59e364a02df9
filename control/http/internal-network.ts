import type { FastifyRequest } from 'fastify';
import { includesAddress, networksOf } from '../../shared/networks.ts';

/** Loopback, private (RFC 1918, RFC 4193) and link-local addresses (RFC 3927, RFC 4291), which do not exist on the internet. */
const INTERNAL = networksOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

/** Headers that proxies add. */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
] as const;

/**
 * Whether the request comes from the internal network directly. The address is that of the socket, whatever TRUSTED_PROXIES
 * says, and requests that any proxy forwarded are refused. A proxy that adds none of these headers looks like a scraper: it has
 * to refuse such a path itself.
 */
export function isInternalRequest({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): boolean {
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return includesAddress(INTERNAL, raw.socket.remoteAddress ?? '');
}
