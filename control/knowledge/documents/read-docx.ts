import { Parser } from 'htmlparser2';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { decodeText } from './decode-text.ts';
import { type TextCollector, UnreadableDocument } from './text-collector.ts';

/** Reads the paragraphs, tables and notes of a DOCX file: a ZIP archive of XML parts (ISO/IEC 29500). */

const MAX_ENTRIES = 10_000;
const MAX_PART_BYTES = 64 * 1024 * 1024;
/** XML seldom shrinks to less than a fiftieth. */
const MAX_RATIO = 300;
const RATIO_MATTERS_FROM_BYTES = 4 * 1024 * 1024;
const PARTS = /^word\/(document\d?|footnotes|endnotes)\.xml$/;

export async function readDocx(bytes: Uint8Array, text: TextCollector): Promise<void> {
  const archive = await openArchive(bytes);
  const parts = await listParts(archive);
  if (!parts.some(({ fileName }) => fileName.startsWith('word/document'))) {
    throw new UnreadableDocument('the DOCX is damaged: it has no document');
  }
  let left = MAX_PART_BYTES;
  for (const part of parts) {
    const xml = await inflate(archive, part, left);
    left -= xml.length;
    readPart(decodeText(xml), text);
    text.add('\n');
  }
}

const damaged = () => new UnreadableDocument('the DOCX is damaged');
const tooLarge = () => new UnreadableDocument('the DOCX unpacks to far more than its size');

function openArchive(bytes: Uint8Array): Promise<ZipFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Promise((done, failed) => {
    fromBuffer(file, { lazyEntries: true, validateEntrySizes: true }, (error, archive) =>
      error ? failed(damaged()) : done(archive),
    );
  });
}

/** The main text first. */
function listParts(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > MAX_ENTRIES) throw new UnreadableDocument(`the DOCX has more than ${MAX_ENTRIES} parts`);
  const parts: Entry[] = [];
  return new Promise((done, failed) => {
    archive.on('error', () => failed(damaged()));
    archive.on('entry', (entry: Entry) => {
      if (PARTS.test(entry.fileName)) parts.push(entry);
      archive.readEntry();
    });
    archive.on('end', () => done(parts.sort((a, b) => (a.fileName < b.fileName ? -1 : 1))));
    archive.readEntry();
  });
}

function inflate(archive: ZipFile, part: Entry, maxBytes: number): Promise<Buffer> {
  const { uncompressedSize, compressedSize } = part;
  if (part.isEncrypted()) throw new UnreadableDocument('the DOCX is protected by a password');
  if (uncompressedSize > maxBytes) throw tooLarge();
  if (uncompressedSize > RATIO_MATTERS_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO) throw tooLarge();
  return new Promise((done, failed) => {
    archive.openReadStream(part, (error, stream) => {
      if (error) return failed(damaged());
      const chunks: Buffer[] = [];
      // The stream ends with an error where more comes than the entry says.
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => failed(damaged()));
      stream.on('end', () => done(Buffer.concat(chunks)));
    });
  });
}

/** Their text is not part of the document: deleted text, field codes, and the copy for readers that lack a feature. */
const SKIPPED = new Set(['w:del', 'w:instrText', 'w:moveFrom', 'mc:Fallback', 'w:pPr', 'w:rPr', 'w:sectPr']);
const MAX_DEPTH = 1_000;

function readPart(xml: string, text: TextCollector): void {
  let depth = 0;
  /** Depth of the element that is skipped. */
  let skipped = 0;
  let inText = false;
  /** Table cells around this place. */
  let cells = 0;
  const parser = new Parser(
    {
      onprocessinginstruction(name) {
        // No word processor writes one; it is what declares entities within entities.
        if (name.toLowerCase() === '!doctype') throw new UnreadableDocument('the DOCX declares XML entities');
      },
      onopentagname(name) {
        depth++;
        if (depth > MAX_DEPTH) throw new UnreadableDocument('the DOCX is nested too deeply');
        if (skipped > 0) return;
        if (SKIPPED.has(name)) skipped = depth;
        else if (name === 'w:t') inText = true;
        else if (name === 'w:tc') cells++;
        else if (name === 'w:tab') text.add('\t');
        else if (name === 'w:br' || name === 'w:cr') text.add('\n');
        else if (name === 'w:noBreakHyphen') text.add('-');
      },
      ontext(data) {
        if (inText && skipped === 0) text.add(data);
      },
      onclosetag(name) {
        if (skipped === depth) skipped = 0;
        else if (skipped === 0) {
          if (name === 'w:t') inText = false;
          else if (name === 'w:p') text.add(cells > 0 ? ' ' : '\n');
          else if (name === 'w:tr') text.add('\n');
          else if (name === 'w:tc') {
            cells--;
            text.add('| ');
          }
        }
        depth--;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
