import { createHash } from 'node:crypto';
import type { Clock } from '../../../shared/clock.ts';
import type { SafeFetch } from '../../../shared/safe-fetch.ts';
import { MAX_BASE_CHARACTERS } from '../base-record.ts';
import { documentKindOf } from '../documents/document-kind.ts';
import type { DocumentReader } from '../documents/document-reader.ts';
import type { ReadDocument } from '../documents/read-document.ts';
import { createPageFetcher, type FetchedPage } from './fetch-page.ts';

/** Reads a page, and the pages of its host that it leads to, breadth first, within limits of number, size and time. */

/** A page as it is stored. */
export interface StoredPage {
  url: string;
  /** Its own address where it names no other. */
  canonical_url: string;
  etag: string;
  last_modified: string;
  title: string;
  text: string;
  /** Pages of the same host, in order. */
  links: string[];
}

export interface ReadPagesDeps {
  fetch: SafeFetch;
  reader: DocumentReader;
  clock: Clock;
}

export type ReadPages =
  | { type: 'pages'; pages: StoredPage[]; passages: string[] }
  | { type: 'failed'; reason: string; retryable: boolean };

const MAX_MS = 180_000;
/** Pages that are asked for, those that are not taken included. */
const MAX_REQUESTS_PER_PAGE = 4;
const MAX_WAITING = 1_000;
const MAX_LINKS = 200;
const NOT_A_PAGE = /\.(?:png|jpe?g|gif|webp|svg|ico|css|js|mjs|json|xml|zip|gz|mp[34]|webm|woff2?|ttf|exe|dmg)$/i;

/** @param known the pages that were read before, by address: those that have not changed are not sent again */
export async function readPages(
  deps: ReadPagesDeps,
  { url: start, max_pages }: { url: string; max_pages: number },
  known: ReadonlyMap<string, StoredPage>,
): Promise<ReadPages> {
  const { clock, reader } = deps;
  const fetcher = createPageFetcher(deps);
  const deadlineMs = clock.now() + MAX_MS;
  const pages: StoredPage[] = [];
  const passages: string[] = [];
  const waiting = [withoutFragment(start)];
  const seen = new Set(waiting);
  /** Addresses and texts of the pages that were taken. */
  const taken = new Set<string>();
  let [requests, characters, host] = [0, 0, ''];

  while (waiting.length > 0 && pages.length < max_pages && requests < max_pages * MAX_REQUESTS_PER_PAGE) {
    const url = waiting.shift()!;
    if (taken.has(url)) continue;
    const isFirst = requests === 0;
    requests++;
    const before = known.get(url);
    const fetched = await fetcher.fetchPage(url, before);
    const read = await readPage(reader, fetched, before, MAX_BASE_CHARACTERS - characters);
    if (read.type === 'failed') {
      if (isFirst) return read;
      continue;
    }
    const { page } = read;
    if (isFirst) host = new URL(page.url).host;
    else if (read.noIndex || new URL(page.url).host !== host) continue;
    const marks = [page.url, page.canonical_url, createHash('sha256').update(page.text).digest('hex')];
    if (marks.some((mark) => taken.has(mark))) continue;
    for (const mark of marks) taken.add(mark);
    // The server may answer with another address than was asked for; the next time the one that was asked for is looked up.
    pages.push({ ...page, url });
    passages.push(...read.passages);
    characters += page.text.length;
    for (const link of page.links) {
      if (new URL(link).host !== host || seen.has(link) || taken.has(link) || waiting.length >= MAX_WAITING) continue;
      seen.add(link);
      waiting.push(link);
    }
    if (clock.now() > deadlineMs) break;
  }
  return { type: 'pages', pages, passages };
}

type ReadPage =
  | { type: 'read'; page: StoredPage; passages: string[]; noIndex: boolean }
  | { type: 'failed'; reason: string; retryable: boolean };

async function readPage(
  reader: DocumentReader,
  fetched: FetchedPage,
  before: StoredPage | undefined,
  maxCharacters: number,
): Promise<ReadPage> {
  if (fetched.type === 'failed') return fetched;
  if (fetched.type === 'unchanged') {
    const bytes = Buffer.from(before!.text);
    const read = await reader.read({ kind: 'txt', bytes, charset: 'utf-8', maxCharacters });
    if (read.type === 'unreadable') return failed(read.reason);
    return { type: 'read', page: { ...before!, url: fetched.url }, passages: read.passages, noIndex: false };
  }
  const { url, content, media_type, charset, etag, last_modified } = fetched;
  const kind = documentKindOf(content, fileNameOf(media_type, url));
  if (kind === null)
    return failed(`it is neither a page nor a document that can be read${media_type && ` (${media_type})`}`);
  const read = await reader.read({ kind, bytes: content, charset, maxCharacters });
  if (read.type === 'unreadable') return failed(read.reason);
  const { title, text, passages, page } = read;
  const stored = {
    url,
    canonical_url: canonicalOf(url, page),
    etag,
    last_modified,
    title,
    text,
    links: linksOf(url, page),
  };
  return { type: 'read', page: stored, passages, noIndex: page?.no_index ?? false };
}

const failed = (reason: string): ReadPage => ({ type: 'failed', reason, retryable: false });

/** Stands for what the server says the content is. */
function fileNameOf(mediaType: string, url: string): string {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'page.html';
  if (mediaType === 'text/markdown') return 'page.md';
  if (mediaType === 'text/csv') return 'page.csv';
  if (mediaType === 'text/plain') return 'page.txt';
  return mediaType === '' || mediaType === 'application/octet-stream'
    ? new URL(url).pathname.split('/').at(-1)!
    : 'page.other';
}

type Facts = Extract<ReadDocument, { type: 'read' }>['page'];

/** A canonical address on another host is not believed: it would take in the pages of this one. */
function canonicalOf(url: string, page: Facts): string {
  const canonical = page && page.canonical !== '' ? URL.parse(page.canonical, page.base || url) : null;
  return canonical?.host === new URL(url).host ? withoutFragment(canonical.href) : withoutFragment(url);
}

function linksOf(url: string, page: Facts): string[] {
  if (!page || page.no_follow) return [];
  const base = URL.parse(page.base, url)?.href ?? url;
  const links = new Set<string>();
  for (const text of page.links) {
    const link = URL.parse(text, base);
    if (link?.host !== new URL(url).host || !['http:', 'https:'].includes(link.protocol)) continue;
    if (link.username === '' && !NOT_A_PAGE.test(link.pathname)) links.add(withoutFragment(link.href));
    if (links.size === MAX_LINKS) break;
  }
  return [...links];
}

const withoutFragment = (url: string) => url.replace(/#.*$/, '');
