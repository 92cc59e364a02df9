import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { create, type Font as FontkitFont, type Glyph } from 'fontkit';
import { Blob, Face, Font, shape, Buffer as TextBuffer } from 'harfbuzzjs';

/** The fonts of PDF documents: Noto Sans in the scripts of India, Latin, Greek and Cyrillic, shaped by HarfBuzz. */

export type Weight = 400 | 700;

/** A font as pdfkit takes it: it embeds what was used of it. */
export interface PdfFont {
  /** `noto-sans-latin-700-normal` */
  name: string;
  has(codePoint: number): boolean;
  /** pdfkit's `PDFFontSource`. */
  source: never;
}

/** Scripts with a font file of their own. `Latin` also has digits and punctuation; `latin-ext` the sign of the rupee. */
const FILES = {
  Latin: ['noto-sans', ['latin', 'latin-ext', 'vietnamese']],
  Greek: ['noto-sans', ['greek', 'greek-ext']],
  Cyrillic: ['noto-sans', ['cyrillic', 'cyrillic-ext']],
  Devanagari: ['noto-sans', ['devanagari']],
  Bengali: ['noto-sans-bengali', ['bengali']],
  Gurmukhi: ['noto-sans-gurmukhi', ['gurmukhi']],
  Gujarati: ['noto-sans-gujarati', ['gujarati']],
  Oriya: ['noto-sans-oriya', ['oriya']],
  Tamil: ['noto-sans-tamil', ['tamil']],
  Telugu: ['noto-sans-telugu', ['telugu']],
  Kannada: ['noto-sans-kannada', ['kannada']],
  Malayalam: ['noto-sans-malayalam', ['malayalam']],
} as const satisfies Record<string, readonly [string, readonly string[]]>;
type Script = keyof typeof FILES;

const SCRIPTS = (Object.keys(FILES) as Script[]).map((script) => ({
  script,
  letters: new RegExp(`\\p{Script=${script}}`, 'u'),
}));

/** A part of a text that one font can show. */
export interface TextRun {
  text: string;
  font: PdfFont;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Shapes its neighbours and has no glyph: joiners and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Splits a text into runs; what no font has is in the Latin one, which shows a box. */
export function textRuns(text: string, weight: Weight): TextRun[] {
  const runs: TextRun[] = [];
  for (const { segment } of GRAPHEMES.segment(text)) {
    const last = runs.at(-1);
    const font = fontFor(segment, weight, last?.font);
    if (last?.font === font) last.text += segment;
    else runs.push({ text: segment, font });
  }
  return runs;
}

/** Digits and punctuation stay in the font of what they follow, where it has them. */
function fontFor(grapheme: string, weight: Weight, current: PdfFont | undefined): PdfFont {
  const script = SCRIPTS.find(({ letters }) => letters.test(grapheme))?.script ?? 'Latin';
  const own = FILES[script][1].map((_, index) => fontOf(script, index, weight));
  const candidates = script === 'Latin' && current ? [current, ...own] : own;
  const codePoints = [...grapheme.replace(INVISIBLE, '')].map(codePointOf);
  return candidates.find((font) => codePoints.every((codePoint) => font.has(codePoint))) ?? own[0]!;
}

const require = createRequire(import.meta.url);
const opened = new Map<string, PdfFont>();

/** Opens the font when it is first used. */
function fontOf(script: Script, index: number, weight: Weight): PdfFont {
  const [family, subsets] = FILES[script];
  const name = `${family}-${subsets[index]}-${weight}-normal`;
  let font = opened.get(name);
  if (!font) {
    font = openFont(name, readFileSync(require.resolve(`@fontsource/${family}/files/${name}.woff`)));
    opened.set(name, font);
  }
  return font;
}

/**
 * HarfBuzz takes the place of fontkit's own shaper, which draws conjuncts of several scripts of India wrongly and fails on some of
 * Gurmukhi, Telugu and Malayalam; fontkit still reads the tables and embeds the glyphs.
 */
function openFont(name: string, woff: Buffer): PdfFont {
  const file = sfntOf(woff);
  const font = create(file) as FontkitFont;
  const shaper = new Font(new Face(new Blob(new Uint8Array(file).buffer)));
  const layout = (text: string) => {
    const buffer = new TextBuffer();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    shape(shaper, buffer);
    const infos = buffer.getGlyphInfos();
    const texts = textOfGlyphs(font, text, infos);
    const glyphs = infos.map(({ codepoint: id }, index): Pick<Glyph, 'id' | 'advanceWidth' | 'codePoints'> => {
      return { id, advanceWidth: font.getGlyph(id).advanceWidth, codePoints: texts[index]! };
    });
    const positions = buffer.getGlyphPositions().map(({ xAdvance, yAdvance, xOffset, yOffset }) => {
      return { xAdvance, yAdvance, xOffset, yOffset };
    });
    const advanceWidth = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
    return { glyphs, positions, advanceWidth };
  };
  Object.assign(font, { layout });
  return { name, has: (codePoint) => font.hasGlyphForCodePoint(codePoint), source: font as never };
}

/**
 * What each glyph says when the document is searched or copied: the sign that the font maps to it; the first other glyph of a
 * cluster, a conjunct, says what is left of the cluster's text.
 */
function textOfGlyphs(font: FontkitFont, text: string, infos: { codepoint: number; cluster: number }[]): number[][] {
  const starts = [...new Set(infos.map(({ cluster }) => cluster))].sort((a, b) => a - b);
  const texts: number[][] = infos.map(() => []);
  starts.forEach((start, place) => {
    const glyphs = infos
      .map(({ codepoint, cluster }, index) => ({ cluster, index, signs: font.stringsForGlyph(codepoint) }))
      .filter(({ cluster }) => cluster === start);
    // A vowel that is drawn on both sides of its consonant has a glyph for each half.
    const left = [...text.slice(start, starts[place + 1])].flatMap((sign) =>
      glyphs.some(({ signs }) => signs.includes(sign)) ? [sign] : [...sign.normalize('NFD')],
    );
    const conjuncts = glyphs.filter(({ signs, index }) => {
      const at = left.findIndex((sign) => signs.includes(sign));
      if (at >= 0) texts[index] = left.splice(at, 1).map(codePointOf);
      return at < 0;
    });
    if (conjuncts[0]) texts[conjuncts[0].index] = left.map(codePointOf);
  });
  return texts;
}

const codePointOf = (sign: string) => sign.codePointAt(0)!;

/** The font file that a WOFF file (version 1) packs: a directory of tables, each deflated or stored. */
function sfntOf(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const header = Buffer.alloc(12 + 16 * count);
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  const power = 2 ** Math.floor(Math.log2(count));
  header.writeUInt16BE(power * 16, 6);
  header.writeUInt16BE(Math.log2(power), 8);
  header.writeUInt16BE((count - power) * 16, 10);
  const parts: Buffer[] = [header];
  let end = header.length;
  for (let index = 0; index < count; index++) {
    const entry = 44 + 20 * index;
    const [offset, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at)) as [number, number, number];
    const stored = woff.subarray(offset, offset + packed);
    const table = Buffer.alloc(Math.ceil(length / 4) * 4);
    (packed < length ? inflateSync(stored) : stored).copy(table);
    const at = 12 + 16 * index;
    woff.copy(header, at, entry, entry + 4);
    header.writeUInt32BE(woff.readUInt32BE(entry + 16), at + 4);
    header.writeUInt32BE(end, at + 8);
    header.writeUInt32BE(length, at + 12);
    parts.push(table);
    end += table.length;
  }
  return Buffer.concat(parts);
}
