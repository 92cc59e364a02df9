import { cleanText, splitPassages } from '../split-passages.ts';
import { decodeText } from './decode-text.ts';
import type { DocumentKind } from './document-kind.ts';
import type { PageFacts } from './read-html.ts';
import { TextCollector, UnreadableDocument } from './text-collector.ts';

/**
 * Reads the words of a document. Runs in a process of its own (`document-process.ts`): documents are hostile until proved otherwise.
 * That process lives for one document, and loads the parser of its kind only.
 */

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
      const { readHtml } = await import('./read-html.ts');
      const { title, page } = readHtml(bytes, charset, text);
      return { ...split(text), title, page };
    }
    if (kind === 'pdf') await (await import('./read-pdf.ts')).readPdf(bytes, text);
    else if (kind === 'docx') await (await import('./read-docx.ts')).readDocx(bytes, text);
    else if (kind === 'csv') await (await import('./read-csv.ts')).readCsv(decodeText(bytes, charset), text);
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
