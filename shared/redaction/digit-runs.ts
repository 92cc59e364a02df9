import { latinDigits, REPEATS, TENS, UNITS } from '../digit-words.ts';

/** Runs of digits in texts that follow each other, written or in words, with fillers and pauses between them. Pure. */

/** Some digits that belong together: "4111", "four", "double five", "twenty two". */
export interface DigitGroup {
  digits: string;
  /** Which text, and from where to where in it. */
  text: number;
  from: number;
  to: number;
}

export interface DigitRun {
  groups: DigitGroup[];
  /** A plus stands before it: a phone number with its country code. */
  international: boolean;
  /** Other words may have come after it, so that the next text cannot go on with it. */
  closed: boolean;
}

interface Word {
  word: string;
  from: number;
  to: number;
}

const FILLERS = new Set(
  'um umm uh uhh er erm hmm hm mm okay ok yes yeah and then so sorry wait dash hyphen space comma dot hold on just let me see aur phir haan ji matlab और फिर हाँ हां जी डैश'.split(
    ' ',
  ),
);
/** "One second", "ek minute": no digit. */
const MOMENTS = new Set('second seconds sec minute minutes moment min सेकंड सेकेंड मिनट'.split(' '));
const MAX_FILLERS = 4;
/** Between the digits of two turns: "yes, and after that it is". */
const MAX_WORDS_BETWEEN_TEXTS = 8;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

export function digitRuns(texts: readonly string[]): DigitRun[] {
  const runs: DigitRun[] = [];
  let run: DigitRun | null = null;
  let between = 0;
  const close = () => {
    if (run) run.closed = true;
    run = null;
  };
  for (const [text, value] of texts.entries()) {
    const words = wordsOf(value);
    let crossed = text > 0;
    for (let at = 0; at < words.length; ) {
      const { group, words: count } = groupAt(words, at, text);
      if (group) {
        const plus = value[group.from - 1] === '+';
        if (plus) close();
        if (run) run.groups.push(group);
        else {
          run = { groups: [group], international: plus, closed: false };
          runs.push(run);
        }
        between = 0;
        crossed = false;
      } else if (run && count === 1 && !FILLERS.has(words[at]!.word)) {
        between++;
        // Words at the end of a text are perhaps followed by digits in the next one.
        const rest = words.length - at;
        const ended = crossed ? between > MAX_WORDS_BETWEEN_TEXTS : rest > MAX_FILLERS || digitsFollow(words, at);
        if (ended) close();
      } else if (run && ++between > MAX_FILLERS + (crossed ? MAX_WORDS_BETWEEN_TEXTS : 0)) close();
      at += count;
    }
  }
  return runs;
}

/** In the same text no word that is no filler stands between digits of one number. */
function digitsFollow(words: readonly Word[], from: number): boolean {
  for (let at = from; at < words.length; at++) if (groupAt(words, at, 0).group) return true;
  return false;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    from: index,
    to: index + word.length,
  }));
}

function groupAt(words: readonly Word[], at: number, text: number): { group: DigitGroup | null; words: number } {
  const { word, from } = words[at]!;
  const next = words[at + 1];
  const of = (digits: string, count: number) => ({
    group: { digits, text, from, to: words[at + count - 1]!.to },
    words: count,
  });
  const repeat = REPEATS.get(word);
  if (repeat !== undefined && next) {
    const digit = /^[0-9०-९]$/u.test(next.word) ? latinDigits(next.word) : UNITS.get(next.word);
    if (digit !== undefined) return of(String(digit).repeat(repeat), 2);
  }
  if (/^[0-9०-९]+$/u.test(word)) return of(latinDigits(word), 1);
  const tens = TENS.get(word);
  const unit = UNITS.get(word);
  if (unit !== undefined && next && MOMENTS.has(next.word)) return { group: null, words: 2 };
  if (tens !== undefined) {
    const following = tens >= 20 && next ? UNITS.get(next.word) : undefined;
    return following ? of(String(tens + following), 2) : of(String(tens), 1);
  }
  return unit === undefined ? { group: null, words: 1 } : of(String(unit), 1);
}
