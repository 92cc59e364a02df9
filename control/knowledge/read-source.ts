import type { Sql } from '../db/connect.ts';
import { MAX_BASE_CHARACTERS } from './base-record.ts';
import type { DocumentReader } from './documents/document-reader.ts';
import { type ClaimedSource, findFile } from './processing-store.ts';
import { cleanText, splitPassages } from './split-passages.ts';

/** Reads the content of a source: the text that was sent, the file that was uploaded, or what its text was when it was read. */

export interface ReadSourceDeps {
  sql: Sql;
  reader: DocumentReader;
}

export type SourceContent =
  | { type: 'content'; text: string; passages: string[]; name: string; size_bytes: number | null }
  /** The reason is for the one who added the source. `retryable`: worth another try later. */
  | { type: 'failed'; reason: string; retryable: boolean };

/** Longer texts are split in the reader's process: they would hold up everything else here. */
const MAX_CHARACTERS_HERE = 50_000;

export async function readSource({ sql, reader }: ReadSourceDeps, source: ClaimedSource): Promise<SourceContent> {
  const { name } = source;
  const file = source.kind === 'file' ? await findFile(sql, source) : null;
  if (source.kind === 'file' && !file && source.text === '')
    return failed('the file is no longer stored: upload it again');
  if (!file && source.text.length <= MAX_CHARACTERS_HERE) {
    const text = cleanText(source.text);
    return { type: 'content', text, passages: splitPassages(text), name, size_bytes: null };
  }
  const { kind, content } = file ?? { kind: 'txt', content: Buffer.from(source.text) };
  const charset = file ? '' : 'utf-8';
  const read = await reader.read({ kind, bytes: content, charset, maxCharacters: MAX_BASE_CHARACTERS });
  if (read.type === 'unreadable') return failed(read.reason);
  return { type: 'content', text: read.text, passages: read.passages, name, size_bytes: null };
}

const failed = (reason: string): SourceContent => ({ type: 'failed', reason, retryable: false });
