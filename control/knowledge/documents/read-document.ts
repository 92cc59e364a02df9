import { cleanText, splitPassages } from '../split-passages.ts';
import { decodeText } from './decode-text.ts';
import type { DocumentKind } from './document-kind.ts';
import { readCsv } from './read-csv.ts';
import { readDocx } from './read-docx.ts';
import { type PageFacts, readHtml } from './read-html.ts';
import { readPdf } from './read-pdf.ts';
import { TextCollector, UnreadableDocument } from './text-collector.ts';

/** Reads the words of a document. Runs in a process of its own (`document-process.ts`): documents are hostile until proved otherwise. */

export interface DocumentToRead {
  kind: DocumentKind;
  bytes: Uint8Array;
  /** That the web server names; empty: not known. */
  charset: string;
  maxCharacters: number;
}

export type ReadDocument =
  | {
      type: 'read';
      /** As `cleanText` leaves it. */
      text: string;
      passages: string[];
      /** Of a page; empty where it has none. */
      title: string;
      page: PageFacts | null;
    }
  /** The reason is for the one who uploaded it. */
  | { type: 'unreadable'; reason: string };

export async function readDocument({ kind, bytes, charset, maxCharacters }: DocumentToRead): Promise<ReadDocument> {
  const text = new TextCollector(maxCharacters);
  try {
    if (kind === 'html') {
      const { title, page } = readHtml(bytes, charset, text);
      return { ...split(text), title, page };
    }
    if (kind === 'pdf') await readPdf(bytes, text);
    else if (kind === 'docx') await readDocx(bytes, text);
    else if (kind === 'csv') await readCsv(decodeText(bytes, charset), text);
    else text.add(decodeText(bytes, charset));
    return { ...split(text), title: '', page: null };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { type: 'unreadable', reason: error.message };
    throw error;
  }
}

/** Here, because it takes two seconds for the longest text. */
function split(collected: TextCollector): { type: 'read'; text: string; passages: string[] } {
  const text = cleanText(collected.toString());
  return { type: 'read', text, passages: splitPassages(text) };
}
