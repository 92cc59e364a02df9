import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { type Agent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from './clock.ts';
import { type EgressProxy, EgressProxyError, openTunnel, secureTunnel } from './egress-proxy.ts';
import { createNameResolver, type ResolveName } from './name-resolver.ts';
import { includesAddress, networksOf } from './networks.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * HTTP requests to URLs written by clients: tools, webhooks, pages of a knowledge base. They reach the public internet only:
 * names are resolved once, and the connection goes to the addresses that were checked. A name with a public and a private
 * address is rejected, because it is likely an attack. With an egress proxy the check is the same, and the proxy is given the addresses
 * that passed it. Connections are used once, or again where an agent keeps them: to the
 * address that was checked when they were opened. Certificates are always checked, nothing is decompressed, and time and size are bounded.
 */

export type SafeFetchFailure =
  | 'address not allowed'
  | 'host not found'
  | 'timeout'
  | 'connection refused'
  | 'certificate not valid'
  | 'connection broken'
  | 'proxy failed'
  | 'redirect'
  | 'invalid url'
  | 'aborted';

/** The message may be shown to the author of the URL: it does not contain what a name resolved to. */
export class SafeFetchError extends Error {
  readonly kind: SafeFetchFailure;
  constructor(kind: SafeFetchFailure, message: string = kind) {
    super(message);
    this.name = 'SafeFetchError';
    this.kind = kind;
  }
}

export interface SafeFetchOptions {
  /** Networks that are allowed although they are not public, such as `10.1.0.0/16`. */
  allow?: readonly string[];
  clock?: Clock;
  /** Default: `createNameResolver`. */
  resolve?: ResolveName;
  /** Certificate authorities (PEM) to trust instead of the default ones. */
  ca?: string;
  /**
   * Keeps connections of https for later requests. A request over a kept connection that breaks before the response begins is sent
   * again over a new one: the server may have closed it at that moment (nodejs.org, "request.reusedSocket").
   */
  agent?: Agent;
  /** What public addresses are reached over, with a connection for each request. Allowed networks are reached without it. */
  proxy?: EgressProxy | null;
}

export interface SafeRequest {
  method?: string;
  /** Headers of the connection (`host`, `content-length`, `accept-encoding` …) are ignored. */
  headers?: Record<string, string>;
  body?: string;
  /** For the whole request, from name resolution to the last byte of the response, over all redirects. */
  timeoutMs: number;
  /** The body is read up to this, then the connection is closed. */
  maxBytes: number;
  signal?: AbortSignal;
  /** How many redirects are followed. With 0, the default, a redirect is a response like any other. */
  redirects?: number;
  /** The response has its bytes as `content`, and an empty `body`. */
  asBytes?: boolean;
  /** Gets each part of a body as it comes; the response is whole when it returns true, and the connection is closed. */
  isWhole?: (part: Buffer) => boolean;
}

export interface SafeResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Decoded by the response's charset, UTF-8 by default. */
  body: string;
  /** As they came, where the request asked for bytes. */
  content?: Buffer;
  /** How many bytes of the body were read. */
  bytes: number;
  /** The body was longer than `maxBytes`. */
  truncated: boolean;
}

/** Rejects with SafeFetchError and nothing else. */
export type SafeFetch = (url: string, request: SafeRequest) => Promise<SafeResponse>;

const CONNECTION_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** Headers sent on after a redirect to another origin; others may be secrets of the first. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string;
}

export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { clock = systemClock, ca, agent, proxy = null } = options;
  const resolve = options.resolve ?? createNameResolver();
  const allowed = networksOf(options.allow ?? []);

  const mayCall = (address: string): boolean => isPublicAddress(address) || includesAddress(allowed, address);

  const lookup: LookupFunction = (host, wanted, callback) => {
    resolve(host).then(
      (found) => {
        if (found.length === 0) return callback(new SafeFetchError('host not found'), []);
        if (!found.every(({ address }) => mayCall(address))) {
          return callback(new SafeFetchError('address not allowed'), []);
        }
        if (wanted.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      () => callback(new SafeFetchError('host not found'), []),
    );
  };

  /** Null for an address that is reached without the proxy. @throws SafeFetchError when it may not be called. */
  async function wayOver(through: EgressProxy, url: URL, signal: AbortSignal): Promise<Connect | null> {
    const host = bareHost(url);
    const addresses = isIP(host) === 0 ? await checkedAddresses(host, lookup) : [host];
    if (addresses.some((address) => includesAddress(allowed, address))) return null;
    const secure = url.protocol === 'https:';
    return async () => {
      const tunnel = await openTunnel(through, { addresses, port: Number(url.port) || (secure ? 443 : 80), signal });
      return secure ? secureTunnel(tunnel, { host, ca }) : tunnel;
    };
  }

  return async (url, request) => {
    const { timeoutMs, maxBytes, signal, asBytes = false, isWhole } = request;
    const deadline = new AbortController();
    const timer = clock.after(timeoutMs, () => deadline.abort());
    const stop = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
    try {
      let hop = firstHop(url, request);
      for (let left = request.redirects ?? 0; ; left--) {
        checkLiteral(hop.url, mayCall);
        const connect = proxy ? await untilAborted(wayOver(proxy, hop.url, stop), stop) : null;
        const response = await exchange(hop, { lookup, ca, agent, maxBytes, asBytes, isWhole, connect, signal: stop });
        const following = (request.redirects ?? 0) > 0 && isRedirect(response);
        if (!following) return response;
        if (left === 0) throw new SafeFetchError('redirect', 'too many redirects');
        hop = nextHop(hop, response);
      }
    } catch (error) {
      if (signal?.aborted) throw new SafeFetchError('aborted');
      if (deadline.signal.aborted) throw new SafeFetchError('timeout', `no complete response within ${timeoutMs} ms`);
      if (error instanceof EgressProxyError) throw new SafeFetchError('proxy failed', error.message);
      throw error instanceof SafeFetchError ? error : new SafeFetchError(failureOf(error));
    } finally {
      timer.cancel();
    }
  };
}

function firstHop(text: string, { method = 'GET', headers = {}, body = '' }: SafeRequest): Hop {
  const url = httpUrl(text);
  const kept: Record<string, string> = { 'user-agent': 'antiphon', accept: '*/*' };
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodedPart(url.username)}:${decodedPart(url.password)}`;
    kept.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!CONNECTION_HEADERS.has(lower)) kept[lower] = value;
  }
  return { url, method: method.toUpperCase(), headers: kept, body };
}

function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new SafeFetchError('invalid url');
  return url;
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** The connection does not call `lookup` for an IP address. */
function checkLiteral(url: URL, mayCall: (address: string) => boolean): void {
  const host = bareHost(url);
  if (isIP(host) !== 0 && !mayCall(host)) throw new SafeFetchError('address not allowed');
}

function isRedirect({ status }: SafeResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** As browsers do: 303, and 301 and 302 for a POST, become GET. Never from https to http. */
function nextHop(hop: Hop, response: SafeResponse): Hop {
  const { location } = response.headers;
  if (location === undefined) throw new SafeFetchError('redirect', 'a redirect without a location');
  const url = URL.parse(location, hop.url.href);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== hop.url.protocol)) {
    throw new SafeFetchError('redirect', 'a redirect to an address that cannot be followed');
  }
  const asGet = response.status === 303 || (hop.method === 'POST' && response.status < 303);
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || CROSS_ORIGIN_HEADERS.has(name)) && !(asGet && name.startsWith('content-')),
  );
  return {
    url,
    method: asGet && hop.method !== 'HEAD' ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: asGet ? '' : hop.body,
  };
}

type Connect = () => Promise<Duplex>;

/** The addresses that the connection itself would be given. */
function checkedAddresses(host: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((done, failed) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) failed(error);
      else done((found as { address: string }[]).map(({ address }) => address));
    });
  });
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((done, failed) => {
    const abort = () => failed(new SafeFetchError('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(done, failed).finally(() => signal.removeEventListener('abort', abort));
  });
}

interface ExchangeOptions {
  lookup: LookupFunction;
  ca: string | undefined;
  agent: Agent | undefined;
  maxBytes: number;
  asBytes: boolean;
  isWhole: SafeRequest['isWhole'] | undefined;
  /** Instead of a connection to the host. */
  connect: Connect | null;
  signal: AbortSignal;
}

function exchange(hop: Hop, options: ExchangeOptions): Promise<SafeResponse> {
  const { url, method, headers, body } = hop;
  const { lookup, ca, agent, maxBytes, asBytes, isWhole, connect, signal } = options;
  const secure = url.protocol === 'https:';
  return new Promise((done, failed) => {
    const settings: RequestOptions & { ca?: string; rejectUnauthorized?: boolean } = {
      hostname: bareHost(url),
      port: url.port || (secure ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      method,
      // Without one, a new connection for every request: Node's own pool may have connections whose address was not checked.
      ...(connect ? { createConnection: calledBack(connect) } : { agent: (secure && agent) || false, lookup }),
      signal,
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        ...((body !== '' || method === 'POST' || method === 'PUT') && { 'content-length': Buffer.byteLength(body) }),
      },
      ...(secure && { rejectUnauthorized: true, ...(ca !== undefined && { ca }) }),
    };
    const request = (secure ? requestHttps : requestHttp)(settings);
    let [answered, sentAgain, ended] = [false, false, false];
    request.on('error', (error) => {
      sentAgain = request.reusedSocket && !answered && !signal.aborted;
      if (sentAgain) exchange(hop, { ...options, agent: undefined }).then(done, failed);
      else failed(error);
    });
    // Rejects in case nothing else has settled the promise.
    request.on('close', () => sentAgain || ended || failed(new SafeFetchError('connection broken')));
    request.on('response', (response) => {
      answered = true;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = (truncated: boolean) => {
        ended = true;
        const content = Buffer.concat(chunks);
        done({
          status: response.statusCode ?? 0,
          headers: headersOf(response),
          ...(asBytes
            ? { body: '', content }
            : { body: decode(content, response.headers['content-type'] ?? '', truncated) }),
          bytes,
          truncated,
        });
      };
      response.on('error', failed);
      response.on('data', (chunk: Buffer) => {
        const left = maxBytes - bytes;
        chunks.push(chunk.subarray(0, left));
        bytes += Math.min(chunk.length, left);
        const tooLong = chunk.length > left;
        if (!tooLong && !isWhole?.(chunk)) return;
        finish(tooLong);
        request.destroy();
      });
      response.on('end', () => finish(false));
    });
    // As bytes: with a string Node encodes the headers in its encoding as well.
    request.end(Buffer.from(body));
  });
}

/** As Node asks for a connection; it asks only where the request has no agent (nodejs.org, "http.request"). */
function calledBack(connect: Connect): NonNullable<RequestOptions['createConnection']> {
  return (_options, connected) => {
    connect().then(
      (socket) => connected(null, socket),
      (error: Error) => connected(error, null as never),
    );
    return undefined;
  };
}

function headersOf(response: IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headersDistinct);
  return Object.fromEntries(entries.map(([name, values]) => [name, (values ?? []).join(', ')]));
}

/** Drops a character that was split by truncation. */
function decode(bytes: Buffer, contentType: string, truncated: boolean): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes, { stream: truncated });
  } catch {
    return new TextDecoder().decode(bytes, { stream: truncated });
  }
}

const FAILURES: Record<string, SafeFetchFailure> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'connection refused',
  ENETUNREACH: 'connection refused',
  EADDRNOTAVAIL: 'connection refused',
  ERR_INVALID_CHAR: 'invalid url',
  ERR_UNESCAPED_CHARACTERS: 'invalid url',
  ERR_INVALID_HTTP_TOKEN: 'invalid url',
};

/** Node's codes for OpenSSL's certificate errors, and for a wrong name. */
const CERTIFICATE =
  /^(?!ERR_SSL_|ERR_OSSL_)(.*(CERT|SELF_SIGNED|ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)|UNABLE_TO_|CRL_|PATH_LENGTH)/;

/** Whether Node's code says that a certificate was refused: then nothing was sent. */
export const isCertificateFailure = (code: string): boolean => CERTIFICATE.test(code);

function failureOf(error: unknown): SafeFetchFailure {
  // Several addresses were tried: the first error is used for all.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (first instanceof SafeFetchError) return first.kind;
  const code = String((first as { code?: unknown } | null)?.code ?? '');
  return FAILURES[code] ?? (isCertificateFailure(code) ? 'certificate not valid' : 'connection broken');
}
