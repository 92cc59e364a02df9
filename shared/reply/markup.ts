export interface MarkupUnit {
  /** What is spoken of it: one character, or nothing. */
  spoken: string;
  /** The characters of the text it stands for. The originals of all units together are the text. */
  original: string;
  /** A list marker or heading mark. */
  item?: true;
  /** Part of a code block, which is not spoken and not in the transcript; `start` is the first unit of a block. */
  code?: 'start' | 'inside';
}

/**
 * Removes from a model's text what is not spoken: markdown, code blocks, emoji, control characters. Reads character by
 * character, so the chunks of the stream make no difference, and holds back only what the next characters decide.
 */
export interface MarkupReader {
  push(text: string): MarkupUnit[];
  /** Returns what was held back at the end of the text. */
  end(): MarkupUnit[];
}

const MAX_LINK_TEXT = 200;
const MAX_LINK_URL = 1000;

const NEVER_SPOKEN = /\p{Cs}|\p{Co}|\u{fffd}|\u{fe0e}|\u{fe0f}|\u{20e3}|[\u{e0020}-\u{e007f}]/u;
const CONTROL = /[\p{Cc}\p{Cf}]/u;
const EMOJI = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}]/u;
const SPOKEN_SIGN = /[©®™]/u;
const LETTER = /[\p{L}\p{M}]/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const WHITESPACE = /\s/u;
const DIGIT = /\p{Nd}/u;
const BULLET = /[•●▪‣◦]/u;

/** Characters that are markup at the start of a line, and anywhere. */
const RUN_MARKS_AT_LINE_START = '*#-+=_~`>–';
const RUN_MARKS = '*_~`';

export function createMarkupReader(): MarkupReader {
  let units: MarkupUnit[] = [];
  let highSurrogate = '';
  /** The last character that was not markup. */
  let before = '';
  let lineStart = true;
  /** The line began with a vertical bar. */
  let inTable = false;
  /** A run of equal marks; the next character decides what it means. */
  let run = '';
  let runAtLineStart = false;
  /** In a code block: the marks that opened it. As many of the same close it; without them it never ends. */
  let fence = '';
  let link: { text: string; url: string; phase: 'text' | 'between' | 'url' } | null = null;

  function drop(original: string, item = false): void {
    units.push(item ? { spoken: '', original, item: true } : { spoken: '', original });
  }

  function keep(character: string): void {
    units.push({ spoken: character, original: character });
    before = character;
    if (character === '\n') {
      lineStart = true;
      inTable = false;
    }
    if (!WHITESPACE.test(character)) lineStart = false;
  }

  function closeRun(next: string): void {
    if (run === '') return;
    if (fence === '') endRun(next);
    else endRunOfCode(next);
  }

  function endRun(next: string): void {
    const marks = run;
    const gap = next === '' || (inTable && '|:'.includes(next)) || WHITESPACE.test(next);
    run = '';
    const meaning = runAtLineStart ? atLineStart(marks, gap) : inLine(marks, next, gap);
    if (meaning === 'fence') openFence(marks);
    else if (meaning !== 'text') drop(marks, meaning === 'item');
    else for (const character of marks) keep(character);
  }

  function openFence(marks: string): void {
    fence = marks;
    lineStart = false;
    units.push({ spoken: '', original: marks, code: 'start' });
  }

  /** At the start of a line, marks directly before a word open a block (CommonMark 0.31, 4.5), even inside an unclosed one. */
  function endRunOfCode(next: string): void {
    const marks = run;
    run = '';
    const closes = marks.length >= fence.length && !(runAtLineStart && next !== '' && !WHITESPACE.test(next));
    lineStart = false;
    if (closes) {
      fence = '';
      before = ' ';
    }
    // The words before and after the block must not run together.
    units.push({ spoken: closes ? ' ' : '', original: marks, code: 'inside' });
  }

  function readCode(character: string): void {
    if (character === fence[0]) {
      run = character;
      runAtLineStart = lineStart;
      return;
    }
    if (character === '\n') lineStart = true;
    else if (!WHITESPACE.test(character)) lineStart = false;
    units.push({ spoken: '', original: character, code: 'inside' });
  }

  function atLineStart(marks: string, gap: boolean): 'fence' | 'item' | 'markup' | 'text' {
    const mark = marks[0]!;
    if (mark === '~' && marks.length >= 3) return 'fence';
    const heading = mark === '#' && marks.length <= 6 && gap;
    const bullet = '*-+–'.includes(mark) && marks.length === 1 && gap;
    if (heading || bullet) return 'item';
    const rule = '-=_'.includes(mark) && marks.length >= 3 && gap;
    if (mark === '>' || rule) return 'markup';
    return RUN_MARKS.includes(mark) ? inLine(marks, '', gap) : 'text';
  }

  function inLine(marks: string, next: string, gap: boolean): 'fence' | 'markup' | 'text' {
    if (marks[0] === '`' && marks.length >= 3) return 'fence';
    const inWord = marks[0] === '_' && WORD.test(before) && WORD.test(next);
    const times = marks === '*' && DIGIT.test(before) && DIGIT.test(next);
    // "~5" means about five.
    return inWord || times || (marks === '~' && !gap) ? 'text' : 'markup';
  }

  /** It is no link: its bracket is text, and what followed is read again as text. */
  function abandonLink(given: NonNullable<typeof link>): void {
    link = null;
    keep('[');
    let held = given.text;
    if (given.phase !== 'text') held += ']';
    if (given.phase === 'url') held += `(${given.url}`;
    for (const character of held) read(character);
  }

  function readLink(open: NonNullable<typeof link>, character: string): void {
    if (open.phase === 'text') {
      if (character === ']') open.phase = 'between';
      else if (character === '[' || character === '\n' || open.text.length >= MAX_LINK_TEXT) {
        abandonLink(open);
        read(character);
      } else open.text += character;
    } else if (open.phase === 'between') {
      if (character === '(') open.phase = 'url';
      else {
        abandonLink(open);
        read(character);
      }
    } else if (character === ')') {
      link = null;
      drop('[');
      for (const said of open.text) read(said);
      closeRun('');
      drop(`](${open.url})`);
    } else if (character === '[' || character === '\n' || open.url.length >= MAX_LINK_URL) {
      abandonLink(open);
      read(character);
    } else open.url += character;
  }

  function read(character: string): void {
    if (link !== null) {
      readLink(link, character);
      return;
    }
    if (run !== '' && character === run[0]) {
      run += character;
      return;
    }
    closeRun(character);
    if (fence !== '') readCode(character);
    else readPlain(character);
  }

  function readPlain(character: string): void {
    const marks = lineStart ? RUN_MARKS_AT_LINE_START : RUN_MARKS;
    if (character === '\r') {
      drop(character);
    } else if (WHITESPACE.test(character)) {
      keep(character);
    } else if (marks.includes(character)) {
      run = character;
      runAtLineStart = lineStart;
    } else if (character === '[') {
      link = { text: '', url: '', phase: 'text' };
    } else if (character === '|') {
      readBar();
    } else if (character === ':' && inTable && lineStart) {
      drop(character);
    } else if (lineStart && BULLET.test(character)) {
      drop(character, true);
    } else if (isUnspoken(character)) {
      drop(character);
    } else {
      keep(character);
    }
  }

  /** A comma makes the synthesizer pause between table cells. */
  function readBar(): void {
    if (lineStart) {
      inTable = true;
      drop('|');
    } else {
      units.push({ spoken: ',', original: '|' });
      before = ',';
    }
  }

  function isUnspoken(character: string): boolean {
    // Indian scripts need joiners; those between emoji are removed with them.
    if (character === '\u200c' || character === '\u200d') return !LETTER.test(before);
    if (NEVER_SPOKEN.test(character) || CONTROL.test(character)) return true;
    if (!EMOJI.test(character) || SPOKEN_SIGN.test(character)) return false;
    before = '';
    return true;
  }

  function taken(): MarkupUnit[] {
    const result = units;
    units = [];
    return result;
  }

  return {
    push(text) {
      let given = highSurrogate + text;
      highSurrogate = '';
      const last = given.charCodeAt(given.length - 1);
      if (last >= 0xd800 && last <= 0xdbff) {
        highSurrogate = given.slice(-1);
        given = given.slice(0, -1);
      }
      for (const character of given) read(character);
      return taken();
    },
    end() {
      if (highSurrogate !== '') read(highSurrogate);
      highSurrogate = '';
      if (link !== null) abandonLink(link);
      closeRun('');
      return taken();
    },
  };
}
