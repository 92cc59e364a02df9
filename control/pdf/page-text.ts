import type PDFDocument from 'pdfkit';
import { type PdfFont, textRuns, type Weight } from './fonts.ts';

/** Text on the pages of a PDF document, in any script that `fonts.ts` has. */

export interface TextStyle {
  size: number;
  bold?: boolean;
  /** Of its box; default left. */
  align?: 'left' | 'right';
  color?: string;
}

type Page = InstanceType<typeof PDFDocument>;

const LINE_HEIGHT = 1.45;
/** From the top of a line to its baseline, of the size. */
const BASELINE = 1.05;
const INK = '#1c2733';

/** Writes lines wrapped to `width` with their box's top at `y`. @returns the bottom of the box. */
export function writeText(
  page: Page,
  text: string,
  box: { x: number; y: number; width: number },
  style: TextStyle,
): number {
  const { size, align = 'left', color = INK } = style;
  let { y } = box;
  for (const line of wrap(page, text, box.width, style)) {
    let x = align === 'left' ? box.x : box.x + box.width - widthOf(page, line, style);
    for (const run of textRuns(line, weightOf(style))) {
      useFont(page, run.font, size).fillColor(color);
      page.text(run.text, x, y + size * BASELINE, { lineBreak: false, baseline: 'alphabetic' });
      x += page.widthOfString(run.text);
    }
    y += size * LINE_HEIGHT;
  }
  return y;
}

const weightOf = ({ bold = false }: TextStyle): Weight => (bold ? 700 : 400);

function widthOf(page: Page, text: string, style: TextStyle): number {
  return textRuns(text, weightOf(style)).reduce(
    (sum, run) => sum + useFont(page, run.font, style.size).widthOfString(run.text),
    0,
  );
}

/** By name, so that each font is embedded once. */
const useFont = (page: Page, { name, source }: PdfFont, size: number): Page =>
  page.registerFont(name, source).font(name).fontSize(size);

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Breaks at spaces, and within a word that is wider than a line. */
function wrap(page: Page, text: string, width: number, style: TextStyle): string[] {
  const fits = (line: string) => widthOf(page, line, style) <= width;
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      const joined = line === '' ? word : `${line} ${word}`;
      if (fits(joined)) {
        line = joined;
        continue;
      }
      if (line !== '') lines.push(line);
      line = '';
      for (const { segment } of GRAPHEMES.segment(word)) {
        if (!fits(line + segment)) {
          lines.push(line);
          line = '';
        }
        line += segment;
      }
    }
    return [...lines, line];
  });
}
