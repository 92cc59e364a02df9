import type { Clock } from '../../shared/clock.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import type { Sql } from '../db/connect.ts';
import { MAX_BASE_CHARACTERS } from './base-record.ts';
import type { DocumentReader } from './documents/document-reader.ts';
import { readPages, type StoredPage } from './pages/read-pages.ts';
import { type ClaimedSource, findFile, listPages } from './processing-store.ts';
import { cleanText, splitPassages } from './split-passages.ts';

/** Reads the content of a source: the text that was sent, the file that was uploaded or the text that it had, or its pages. */

export interface ReadSourceDeps {
  sql: Sql;
  clock: Clock;
  reader: DocumentReader;
  fetch: SafeFetch;
}

export type SourceContent =
  | { type: 'content'; text: string; passages: string[]; name: string; pages: StoredPage[] }
  /** The reason is for the one who added the source. `retryable`: worth another try later. */
  | { type: 'failed'; reason: string; retryable: boolean };

/** Longer texts are split in the reader's process: they would hold up everything else here. */
const MAX_CHARACTERS_HERE = 50_000;
const MAX_NAME_CHARACTERS = 120;

export async function readSource(deps: ReadSourceDeps, source: ClaimedSource): Promise<SourceContent> {
  const { sql, reader } = deps;
  const { name } = source;
  if (source.kind === 'url') return readUrl(deps, source);
  const file = source.kind === 'file' ? await findFile(sql, source) : null;
  if (source.kind === 'file' && !file && source.text === '') {
    return failed('the file is no longer stored: upload it again');
  }
  if (!file && source.text.length <= MAX_CHARACTERS_HERE) {
    const text = cleanText(source.text);
    return { type: 'content', text, passages: splitPassages(text), name, pages: [] };
  }
  const { kind, content } = file ?? { kind: 'txt', content: Buffer.from(source.text) };
  const charset = file ? '' : 'utf-8';
  const read = await reader.read({ kind, bytes: content, charset, maxCharacters: MAX_BASE_CHARACTERS });
  if (read.type === 'unreadable') return failed(read.reason);
  return { type: 'content', text: read.text, passages: read.passages, name, pages: [] };
}

async function readUrl(deps: ReadSourceDeps, source: ClaimedSource): Promise<SourceContent> {
  const before = await listPages(deps.sql, source);
  const read = await readPages(deps, source, new Map(before.map((page) => [page.url, page])));
  if (read.type === 'failed') return read;
  const { pages, passages } = read;
  const title = pages[0]!.title.slice(0, MAX_NAME_CHARACTERS).toWellFormed().trim();
  return {
    ...{ type: 'content', pages, passages },
    text: pages.map(({ text }) => text).join('\n\n'),
    name: source.named_by_page && title !== '' ? title : source.name,
  };
}

const failed = (reason: string): SourceContent => ({ type: 'failed', reason, retryable: false });
