import { decodeText } from './decode-text.ts';

/** Tells what a file is by its content. The name decides only between the kinds of plain text. */

export type DocumentKind = 'pdf' | 'docx' | 'html' | 'csv' | 'md' | 'txt';

const TEXT_KINDS: Record<string, DocumentKind> = {
  ...{ txt: 'txt', text: 'txt', '': 'txt', md: 'md', markdown: 'md' },
  ...{ csv: 'csv', tsv: 'csv', html: 'html', htm: 'html', xhtml: 'html' },
};
/** A PDF may begin with other bytes (ISO 32000, annex H). */
const PDF_HEADER_WITHIN_BYTES = 1_024;
const HEAD_CHARACTERS = 4_096;
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;
/** Text that is another format: XML, RTF, PostScript. */
const OTHER_FORMAT = /^\s*(?:<\?xml|\{\\rtf|%!PS)/i;

/** Returns null for what is not one of the kinds. `fileName` may be empty. */
export function documentKindOf(bytes: Uint8Array, fileName: string): DocumentKind | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.subarray(0, PDF_HEADER_WITHIN_BYTES).includes('%PDF-')) return 'pdf';
  if (file.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return file.includes('word/document') ? 'docx' : null;
  const head = decodeText(file.subarray(0, HEAD_CHARACTERS));
  if (!looksLikeText(head)) return null;
  if (HTML.test(head)) return 'html';
  if (OTHER_FORMAT.test(head)) return null;
  return TEXT_KINDS[extensionOf(fileName)] ?? null;
}

const extensionOf = (fileName: string) => /\.([a-z0-9]{1,10})$/i.exec(fileName.trim())?.[1]?.toLowerCase() ?? '';

/** Binary formats have control characters within their first bytes; text has none but line ends and tabs. */
function looksLikeText(head: string): boolean {
  const controls = head.match(/(?![\n\r\t\f\u0080-\u009f])\p{Cc}/gu)?.length ?? 0;
  return controls * 100 <= head.length;
}
