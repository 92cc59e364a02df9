import { Parser } from 'htmlparser2';
import { cleanText } from '../split-passages.ts';
import { decodeText } from './decode-text.ts';
import { TextCollector, UnreadableDocument } from './text-collector.ts';

/** Reads the words of an HTML page as a visitor sees them, without navigation. Scripts are never run. */

/** What an HTML page says about itself. */
export interface PageFacts {
  /** As they stand in it, in order, without repetition. */
  links: string[];
  /** The address that relative links start from; empty: the page's own. */
  base: string;
  /** Of `<link rel="canonical">`; empty: none. */
  canonical: string;
  /** `<meta name="robots">` says `noindex`. */
  no_index: boolean;
  /** … says `nofollow`. */
  no_follow: boolean;
}

const SKIPPED = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'iframe',
    'object',
    'embed',
    'svg',
    'math',
    'canvas',
    'audio',
    'video',
  ],
  ...['nav', 'button', 'select', 'textarea', 'datalist', 'dialog'],
]);
/** Begin and end a line. */
const BLOCKS = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'fieldset'],
  ...[
    'figcaption',
    'figure',
    'footer',
    'form',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'header',
    'hr',
    'legend',
    'li',
    'main',
  ],
  ...[
    'menu',
    'ol',
    'option',
    'p',
    'pre',
    'section',
    'summary',
    'table',
    'tbody',
    'tfoot',
    'thead',
    'title',
    'tr',
    'ul',
  ],
]);
const CELLS = new Set(['td', 'th']);
/** A `<main>` with less than this is not where the text is. */
const MIN_MAIN_CHARACTERS = 200;
const MAX_LINKS = 500;
const MAX_LINK_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 300;
/** Each open element costs memory and time until it is closed. */
const MAX_DEPTH = 5_000;
const PART_CHARACTERS = 65_536;
const CHARSET_WITHIN_BYTES = 2_048;

export function readHtml(bytes: Uint8Array, charset: string, text: TextCollector): { title: string; page: PageFacts } {
  const page: PageFacts = { links: [], base: '', canonical: '', no_index: false, no_follow: false };
  const links = new Set<string>();
  // With as much again for the spaces that are dropped at the end.
  const main = new TextCollector(text.maxCharacters, text.maxCharacters);
  const all = new TextCollector(text.maxCharacters, text.maxCharacters);
  let [title, depth, skipped, mains, titles] = ['', 0, 0, 0, 0];

  function add(part: string): void {
    all.add(part);
    if (mains > 0) main.add(part);
  }

  function factsOf(name: string, attributes: Record<string, string>): void {
    const { href = '', content = '' } = attributes;
    if (name === 'a' && href !== '' && href.length <= MAX_LINK_CHARACTERS && links.size < MAX_LINKS) {
      if (!/\bnofollow\b/i.test(attributes.rel ?? '')) links.add(href.trim());
    } else if (name === 'base' && page.base === '') page.base = href.slice(0, MAX_LINK_CHARACTERS).trim();
    else if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attributes.rel ?? '') && page.canonical === '') {
      page.canonical = href.slice(0, MAX_LINK_CHARACTERS).trim();
    } else if (name === 'meta' && /^(?:robots|antiphon)$/i.test(attributes.name ?? '')) {
      if (/\b(?:noindex|none)\b/i.test(content)) page.no_index = true;
      if (/\b(?:nofollow|none)\b/i.test(content)) page.no_follow = true;
    }
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      depth++;
      if (depth > MAX_DEPTH) throw new UnreadableDocument('the page is nested too deeply');
      if (skipped > 0) return;
      factsOf(name, attributes);
      if (SKIPPED.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') {
        skipped = depth;
        return;
      }
      if (name === 'main') mains++;
      if (name === 'title') titles++;
      else if (name === 'br') add('\n');
      else if (BLOCKS.has(name)) add('\n');
      else if (name === 'img' && attributes.alt) add(` ${attributes.alt} `);
    },
    ontext(data) {
      if (skipped > 0) return;
      if (titles > 0) {
        if (title.length < MAX_TITLE_CHARACTERS) title += data.slice(0, MAX_TITLE_CHARACTERS);
      } else add(data.replace(/\s+/g, ' '));
    },
    onclosetag(name) {
      if (skipped === depth) skipped = 0;
      else if (skipped === 0) {
        if (CELLS.has(name)) add(' | ');
        else if (BLOCKS.has(name) && name !== 'title') add('\n');
        if (name === 'main') mains--;
        if (name === 'title') titles--;
      }
      depth--;
    },
  });
  const source = decodeText(bytes, charset || charsetOf(bytes));
  // In parts, so that a page that is too long ends early.
  for (let at = 0; at < source.length; at += PART_CHARACTERS) parser.write(source.slice(at, at + PART_CHARACTERS));
  parser.end();

  const mainText = main.toString();
  text.add((mainText.trim().length >= MIN_MAIN_CHARACTERS ? mainText : all.toString()).replace(/[^\S\n]+/g, ' '));
  page.links = [...links];
  return { title: cleanText(title).replace(/\s+/g, ' ').slice(0, MAX_TITLE_CHARACTERS), page };
}

/** Of `<meta charset>`, or of the content type in a `<meta>`. */
function charsetOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, CHARSET_WITHIN_BYTES)).toString('latin1');
  return /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? '';
}
