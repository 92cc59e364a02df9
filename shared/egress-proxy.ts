import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { z } from 'zod';

/**
 * Connections over an HTTP proxy, by `CONNECT` (RFC 9110, section 9.3.6), to addresses that were checked before: the proxy is given an
 * address, never a name, so that what it resolves cannot differ from what was checked. The name is in the TLS handshake and in the
 * header Host, as without a proxy.
 */

export const EGRESS_SETTINGS = {
  /** The proxy that tools, webhooks and pages of knowledge bases are reached over: `http://user:password@proxy:3128`, or `https://…`. */
  EGRESS_PROXY: z
    .union([z.literal(''), z.url({ protocol: /^https?$/, error: 'is an address such as http://proxy:3128' })])
    .default(''),
};

export interface EgressProxy {
  secure: boolean;
  host: string;
  port: number;
  /** The header Proxy-Authorization; empty without a user. */
  authorization: string;
}

/** What the proxy did instead of opening a connection. The message holds neither its address nor its credentials. */
export class EgressProxyError extends Error {}

export interface TunnelRequest {
  /** Addresses of the target, tried in turn where the proxy cannot reach one. */
  addresses: readonly string[];
  port: number;
  signal: AbortSignal;
}

/** More are not tried. */
const MAX_ADDRESSES = 3;

/** Null where the setting is empty or missing. @throws Error when it is no such address. */
export function readEgressProxy(text = ''): EgressProxy | null {
  if (text === '') return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new Error('EGRESS_PROXY is no address such as http://user:password@proxy:3128');
  }
  const secure = url.protocol === 'https:';
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    authorization: url.username === '' ? '' : `Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

/** Opens a connection to the first address that the proxy reaches, IPv4 first: many proxies have nothing else. @throws EgressProxyError */
export async function openTunnel(proxy: EgressProxy, { addresses, port, signal }: TunnelRequest): Promise<Duplex> {
  const inOrder = [...addresses].sort((a, b) => isIP(a) - isIP(b)).slice(0, MAX_ADDRESSES);
  let refusal = 'no address';
  for (const address of inOrder) {
    const answer = await askForTunnel(proxy, { address, port, signal });
    if (typeof answer !== 'number') return answer;
    refusal = `HTTP ${answer}`;
    // It refuses us, whatever the address.
    if (answer === 407) break;
  }
  throw new EgressProxyError(`the egress proxy opened no connection (${refusal})`);
}

/** TLS inside a tunnel, whose certificate is checked for the host. */
export function secureTunnel(tunnel: Duplex, { host, ca }: { host: string; ca?: string | undefined }): Duplex {
  return connectTls({
    ...{ socket: tunnel, host, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] },
    // An address is no name of a server (RFC 6066, section 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}

interface TunnelTarget {
  address: string;
  port: number;
  signal: AbortSignal;
}

/** Resolves with the connection, or with the status of a refusal. */
function askForTunnel(proxy: EgressProxy, { address, port, signal }: TunnelTarget): Promise<Duplex | number> {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const options: RequestOptions = {
    ...{ host: proxy.host, port: proxy.port, method: 'CONNECT', path: authority, agent: false, signal },
    headers: { host: authority, ...(proxy.authorization ? { 'proxy-authorization': proxy.authorization } : {}) },
  };
  return new Promise((done, failed) => {
    const request = (proxy.secure ? requestHttps : requestHttp)(options);
    request.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name;
      failed(new EgressProxyError(`the egress proxy cannot be reached (${code})`));
    });
    request.on('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        done(socket);
        return;
      }
      socket.destroy();
      done(statusCode);
    });
    request.end();
  });
}
