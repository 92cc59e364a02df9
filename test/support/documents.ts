import { crc32, deflateRawSync } from 'node:zlib';
import PDFDocument from 'pdfkit';

/** Documents for tests: PDF pages, and DOCX files with their ZIP archive, also broken ones. */

export function pdfOf(pages: readonly string[], options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> {
  const document = new PDFDocument({ ...options, autoFirstPage: false });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Buffer>((done) => document.on('end', () => done(Buffer.concat(chunks))));
  for (const page of pages) document.addPage().text(page);
  document.end();
  return ended;
}

export interface ZipPart {
  name: string;
  content: Buffer | string;
  /** What the archive says instead of the true size. */
  saidBytes?: number;
  encrypted?: boolean;
}

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, saidBytes, encrypted = false } of parts) {
    const plain = Buffer.from(content as string);
    const packed = deflateRawSync(plain);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(saidBytes ?? plain.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name));
    files.push(file);
    offset += file.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, listing, end]);
}

export const docxXml = (body: string, before = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;

export const docxParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

export const docxOf = (paragraphs: readonly string[]): Buffer =>
  zipOf([{ name: 'word/document.xml', content: docxXml(paragraphs.map(docxParagraph).join('')) }]);
