import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Loopback, private (RFC 1918, RFC 4193) and link-local addresses (RFC 3927, RFC 4291), which do not exist on the internet. */
const INTERNAL_RANGES = new BlockList();
const RANGES: [net: string, bits: number][] = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
];
for (const [net, bits] of RANGES) INTERNAL_RANGES.addSubnet(net, bits, net.includes(':') ? 'ipv6' : 'ipv4');

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
  const address = raw.socket.remoteAddress ?? '';
  const family = isIP(address);
  return family !== 0 && INTERNAL_RANGES.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
