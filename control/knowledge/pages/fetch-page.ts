import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Clock } from '../../../shared/clock.ts';
import { type SafeFetch, SafeFetchError, type SafeResponse } from '../../../shared/safe-fetch.ts';
import { ALL_ALLOWED, parseRobots, type RobotsRules } from './robots.ts';

/** Fetches pages as a polite visitor: each address and each redirect only where `robots.txt` of its host allows it. */

export const MAX_PAGE_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const PAGE_TIMEOUT_MS = 15_000;
const ROBOTS_TIMEOUT_MS = 10_000;
const ROBOTS_REDIRECTS = 5;
const MAX_ROBOTS_BYTES = 512 * 1024;
const PRODUCT = 'antiphon';
const ACCEPT = 'text/html, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.8, */*;q=0.5';

export interface Validators {
  etag: string;
  last_modified: string;
}

export type FetchedPage =
  | ({
      type: 'page';
      /** After redirects. */
      url: string;
      content: Buffer;
      /** In lower case, without parameters; empty: not told. */
      media_type: string;
      charset: string;
    } & Validators)
  /** As it was when its validators were stored. */
  | { type: 'unchanged'; url: string }
  /** The reason is for the one who gave the address. */
  | { type: 'failed'; reason: string; retryable: boolean };

/** Remembers what it read of `robots.txt`: one for each source that is read. */
export function createPageFetcher({ fetch, clock }: { fetch: SafeFetch; clock: Clock }) {
  const robots = new Map<string, Promise<RobotsRules>>();

  async function readRobots(origin: string): Promise<RobotsRules> {
    const response = await fetch(`${origin}/robots.txt`, {
      headers: { 'user-agent': PRODUCT, accept: 'text/plain' },
      ...{ timeoutMs: ROBOTS_TIMEOUT_MS, maxBytes: MAX_ROBOTS_BYTES, redirects: ROBOTS_REDIRECTS },
    });
    if (response.status >= 500 || response.status === 429)
      throw new PageFailure(`robots.txt of ${origin} cannot be read`, true);
    return response.status >= 200 && response.status < 300 ? parseRobots(response.body, PRODUCT) : ALL_ALLOWED;
  }

  function robotsOf(origin: string): Promise<RobotsRules> {
    const known = robots.get(origin) ?? readRobots(origin);
    robots.set(origin, known);
    return known;
  }

  async function follow(start: string, { etag, last_modified }: Validators, deadlineMs: number): Promise<FetchedPage> {
    const conditions: Record<string, string> = {
      ...(etag === '' ? {} : { 'if-none-match': etag }),
      ...(last_modified === '' ? {} : { 'if-modified-since': last_modified }),
    };
    let url = new URL(start);
    for (let redirects = 0; ; redirects++) {
      const rules = await robotsOf(url.origin);
      if (!rules.allows(url.pathname + url.search))
        throw new PageFailure(`robots.txt of ${url.host} does not allow it`);
      const timeoutMs = deadlineMs - clock.now();
      if (timeoutMs <= 0) throw new SafeFetchError('timeout');
      const headers = { 'user-agent': PRODUCT, accept: ACCEPT, ...conditions };
      const response = await fetch(url.href, { headers, timeoutMs, maxBytes: MAX_PAGE_BYTES, asBytes: true });
      const { status } = response;
      if (status === 304 && Object.keys(conditions).length > 0) return { type: 'unchanged', url: url.href };
      if (![301, 302, 303, 307, 308].includes(status)) return pageOf(url, response);
      if (redirects === MAX_REDIRECTS) throw new PageFailure(`it redirects more than ${MAX_REDIRECTS} times`);
      url = redirectOf(url, response);
    }
  }

  return {
    /** Never rejects. */
    async fetchPage(url: string, validators: Validators = { etag: '', last_modified: '' }): Promise<FetchedPage> {
      try {
        return await follow(url, validators, clock.now() + PAGE_TIMEOUT_MS);
      } catch (error) {
        if (error instanceof PageFailure) return { type: 'failed', reason: error.message, retryable: error.retryable };
        if (error instanceof SafeFetchError) return failureOf(error);
        throw error;
      }
    },
  };
}

export type PageFetcher = ReturnType<typeof createPageFetcher>;

class PageFailure extends Error {
  readonly retryable: boolean;
  constructor(reason: string, retryable = false) {
    super(reason);
    this.retryable = retryable;
  }
}

function redirectOf(from: URL, { headers }: SafeResponse): URL {
  const url = URL.parse(headers.location ?? '', from.href);
  if (headers.location === undefined || url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new PageFailure('it redirects to an address that cannot be followed');
  }
  if (from.protocol === 'https:' && url.protocol === 'http:') throw new PageFailure('it redirects from https to http');
  return url;
}

async function pageOf(url: URL, response: SafeResponse): Promise<FetchedPage> {
  const { status, headers, truncated } = response;
  if (status < 200 || status >= 300) {
    throw new PageFailure(`its server answered ${status}`, status === 408 || status === 429 || status >= 500);
  }
  if (truncated) throw tooLarge();
  const type = headers['content-type'] ?? '';
  return {
    type: 'page',
    url: url.href,
    content: await decompressed(response),
    media_type: type.split(';', 1)[0]!.trim().toLowerCase(),
    charset: /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? '',
    etag: (headers.etag ?? '').slice(0, 500),
    last_modified: (headers['last-modified'] ?? '').slice(0, 100),
  };
}

const tooLarge = () => new PageFailure(`the page is larger than ${MAX_PAGE_BYTES / 1024 / 1024} MB`);

const DECOMPRESSORS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Some servers compress what they were asked not to. */
async function decompressed({ headers, content = Buffer.alloc(0) }: SafeResponse): Promise<Buffer> {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '' || content.length === 0) return content;
  const decompress = DECOMPRESSORS.get(encoding);
  if (!decompress) throw new PageFailure('its compression is not supported');
  try {
    return (await decompress(content, { maxOutputLength: MAX_PAGE_BYTES })) as Buffer;
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new PageFailure('its compression is broken');
  }
}

const REASONS: Partial<Record<SafeFetchError['kind'], string>> = {
  'address not allowed': 'its address is not on the public internet',
  'host not found': 'its host is not found',
  timeout: `its server takes longer than ${PAGE_TIMEOUT_MS / 1_000} seconds`,
  'connection refused': 'its server refuses the connection',
  'proxy failed': 'the egress proxy did not open a connection to it',
  'certificate not valid': 'the certificate of its server is not valid',
  'connection broken': 'the connection to its server broke',
};

function failureOf({ kind }: SafeFetchError): FetchedPage {
  const retryable = ['host not found', 'timeout', 'connection refused', 'connection broken', 'proxy failed'].includes(
    kind,
  );
  return { type: 'failed', reason: REASONS[kind] ?? 'its address cannot be read', retryable };
}
