import { docxOf, docxParagraph, docxXml, pdfOf, zipOf } from './documents.ts';

/** Documents made to harm whoever reads them. */
export interface HostileDocument {
  what: string;
  file_name: string;
  make(): Buffer | Promise<Buffer>;
  /** How reading a million characters of it ends: a reason, or `read`, or `refused` for a file of an unknown kind. */
  expected: string | RegExp;
}

const MB = 1024 * 1024;
const docx = (xml: string) => zipOf([{ name: 'word/document.xml', content: xml }]);
const pdf = (...objects: string[]) => Buffer.from(`%PDF-1.7\n${objects.join('\n')}\n%%EOF`, 'latin1');
const TREE = '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj';
const trailer = 'trailer<</Root 1 0 R/Size 9>>';
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${'bcdefghij'
  .split('')
  .map((name, n) => `<!ENTITY ${name} "${`&${'abcdefghi'[n]};`.repeat(10)}">`)
  .join('')}]>`;

const DOCUMENTS: [string, string, HostileDocument['make'], string | RegExp][] = [
  [
    'a PDF with a password',
    'a.pdf',
    () => pdfOf(['x'], { userPassword: 'u', ownerPassword: 'o' }),
    'the PDF is protected by a password',
  ],
  ['a PDF of its header only', 'a.pdf', () => Buffer.from('%PDF-1.7'), 'the PDF is damaged'],
  [
    'a PDF of random bytes',
    'a.pdf',
    () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(MB, 'x\u0001\u00ffy')]),
    'the PDF is damaged',
  ],
  ['a PDF cut in half', 'a.pdf', async () => half(await pdfOf(['One.', 'Two.'])), /damaged|read/],
  [
    'a PDF whose page tree contains itself',
    'a.pdf',
    () => pdf(TREE, '2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj', trailer),
    /damaged|read/,
  ],
  [
    'a PDF that says it has a billion pages',
    'a.pdf',
    () => pdf(TREE, '2 0 obj<</Type/Pages/Kids[]/Count 1000000000>>endobj', trailer),
    /pages|damaged/,
  ],
  [
    'a PDF of negative pages',
    'a.pdf',
    () => pdf(TREE, '2 0 obj<</Type/Pages/Kids[]/Count -5>>endobj', trailer),
    /damaged|read/,
  ],
  ['a PDF without a root', 'a.pdf', () => pdf('trailer<</Size 1>>'), 'the PDF is damaged'],
  ['a PDF whose root is itself', 'a.pdf', () => pdf('1 0 obj 1 0 R endobj', trailer), 'the PDF is damaged'],
  ['a PDF nested without end', 'a.pdf', () => pdf(`1 0 obj ${'['.repeat(200_000)}`, trailer), 'the PDF is damaged'],
  ['a PDF of a picture', 'a.pdf', () => pdfOf(['']), 'read'],
  ['a PDF of 2,001 pages', 'a.pdf', () => pdfOf(new Array<string>(2_001).fill('x')), 'it has more than 2000 pages'],
  [
    'a PDF with a script',
    'a.pdf',
    () =>
      pdf(
        TREE,
        '2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj',
        '3 0 obj<</S/JavaScript/JS(while(true);)>>endobj',
        trailer,
      ),
    /damaged|read/,
  ],
  [
    'a DOCX that is a zip bomb',
    'a.docx',
    () => docx(docxXml(' '.repeat(60 * MB))),
    'the DOCX unpacks to far more than its size',
  ],
  [
    'a DOCX of 70 MB of XML',
    'a.docx',
    () => docx(docxXml(' '.repeat(70 * MB))),
    'the DOCX unpacks to far more than its size',
  ],
  [
    'a DOCX that understates its size',
    'a.docx',
    () => zipOf([{ name: 'word/document.xml', content: docxXml('x'.repeat(MB)), saidBytes: 100 }]),
    'the DOCX is damaged',
  ],
  [
    'a DOCX that overstates its size',
    'a.docx',
    () => zipOf([{ name: 'word/document.xml', content: docxXml('x'), saidBytes: 5_000 }]),
    'the DOCX is damaged',
  ],
  [
    'a DOCX with a password',
    'a.docx',
    () => zipOf([{ name: 'word/document.xml', content: 'x', encrypted: true }]),
    /damaged|password/,
  ],
  [
    'a DOCX of a billion laughs',
    'a.docx',
    () => docx(docxXml(docxParagraph('&j;'), laughs)),
    'the DOCX declares XML entities',
  ],
  [
    'a DOCX with an external entity',
    'a.docx',
    () => docx(docxXml(docxParagraph('&x;'), '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
    'the DOCX declares XML entities',
  ],
  [
    'a DOCX nested without end',
    'a.docx',
    () => docx(docxXml('<w:p>'.repeat(100_000))),
    'the DOCX is nested too deeply',
  ],
  [
    'a DOCX without a document',
    'a.docx',
    () => zipOf([{ name: 'word/document.bin', content: 'x' }]),
    'the DOCX is damaged: it has no document',
  ],
  ['a DOCX cut in half', 'a.docx', () => half(docxOf(['One.'])), /damaged|refused/],
  [
    'a DOCX of 10,001 parts',
    'a.docx',
    () => zipOf(Array.from({ length: 10_001 }, (_, n) => ({ name: `word/document${n}.xml`, content: '' }))),
    'the DOCX has more than 10000 parts',
  ],
  [
    'a DOCX with too much text',
    'a.docx',
    () => docx(docxXml(docxParagraph('word '.repeat(300_000)))),
    /unpacks|characters/,
  ],
  [
    'a DOCX of parts with the path of another folder',
    'a.docx',
    () => zipOf([{ name: '../../word/document.xml', content: 'x' }]),
    /damaged/,
  ],
  ['a spreadsheet', 'a.docx', () => zipOf([{ name: 'xl/workbook.xml', content: 'x' }]), 'refused'],
  [
    'a page nested without end',
    'a.html',
    () => Buffer.from(`<html>${'<div>'.repeat(1_000_000)}`),
    'the page is nested too deeply',
  ],
  ['a page of endless text', 'a.html', () => Buffer.from(`<html>${'word '.repeat(4_000_000)}`), /characters of text/],
  ['a page of spaces', 'a.html', () => Buffer.from(`<html>${' '.repeat(19 * MB)}`), 'read'],
  ['a page of scripts', 'a.html', () => Buffer.from(`<html>${'<script>for(;;);</script>'.repeat(10_000)}`), 'read'],
  [
    'a page of a million attributes',
    'a.html',
    () => Buffer.from(`<html><p ${Array.from({ length: 1_000_000 }, (_, n) => `a${n}`).join(' ')}>Text`),
    /read|longer|memory/,
  ],
  ['a page with a tag that never ends', 'a.html', () => Buffer.from(`<html><a href="${'x'.repeat(10 * MB)}`), 'read'],
  ['a page of closing tags', 'a.html', () => Buffer.from(`<html>${'</b>'.repeat(2_000_000)}`), 'read'],
  ['a page of entities', 'a.html', () => Buffer.from(`<html>${'&#xD800;&#0;&nope;'.repeat(10_000)}`), 'read'],
  [
    'a page in a charset that does not exist',
    'a.html',
    () => Buffer.from('<html><meta charset="x-klingon"><p>\xff\xfe'),
    'read',
  ],
  [
    'a table with a quote that never closes',
    'a.csv',
    () => Buffer.from(`a,b\n"${'x,\n'.repeat(1_000_000)}`),
    /the table is broken/,
  ],
  [
    'a table of 100,000 columns',
    'a.csv',
    () => Buffer.from(`${'a,'.repeat(30_000)}\n1,2`),
    'a row has more than 500 columns',
  ],
  [
    'a table whose names repeat without end',
    'a.csv',
    () => Buffer.from(`${'n'.repeat(90_000)}\n${'x\n'.repeat(100_000)}`),
    'it has more than 1000000 characters of text',
  ],
  ['a text of one endless word', 'a.txt', () => Buffer.alloc(900_000, 'x'), 'read'],
  ['a text of broken UTF-8', 'a.txt', () => Buffer.concat([Buffer.from('Words '), Buffer.alloc(1_000, 0xc3)]), 'read'],
  ['a text of half a UTF-16 pair', 'a.txt', () => Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x3d, 0xd8]), 'read'],
  [
    'a text of too many words',
    'a.txt',
    () => Buffer.alloc(19 * MB, 'word '),
    'it has more than 1000000 characters of text',
  ],
  ['a program', 'a.txt', () => Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1'), 'refused'],
];

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = DOCUMENTS.map(([what, file_name, make, expected]) => {
  return { what, file_name, make, expected };
});
