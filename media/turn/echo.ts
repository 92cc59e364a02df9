import { isCommand, plainWords } from './words.ts';

/**
 * Does the line send the agent's own voice back? The transcriber then writes down what the agent is just saying, and that is
 * no interruption. Told by the words alone: they follow the agent's, in its order, within its last few. Pure.
 */

/** So many of the agent's last words: about six seconds of them, for the line's delay and the transcriber's. */
const WINDOW_WORDS = 16;
/** A single word, while more may follow, is taken for an echo only of the very last ones. */
const LAST_WORDS = 8;
/** This share of what was heard must be the agent's: an echo is misheard here and there. */
const MIN_SHARE = 0.75;
/** How far ahead of the heard words to look, milliseconds: where words lie in the sound is partly reckoned. */
export const ECHO_AHEAD_MS = 500;
/** An echo is written down at most this long after the agent ended. */
export const ECHO_AFTER_MS = 2_000;

/**
 * `text` was heard, `saying` is what the agent has said up to now. `complete`: no more words are coming. One word alone
 * may be an answer that repeats the question's, so that it counts only as long as more may come; a command always counts as
 * the caller's own.
 */
export function isEcho(text: string, spokenText: string, complete: boolean): boolean {
  const heard = plainWords(text);
  const said = plainWords(spokenText).slice(-WINDOW_WORDS);
  if (heard.length === 0 || said.length === 0) return false;
  if (heard.length === 1) {
    return !complete && !isCommand(heard) && said.slice(-LAST_WORDS).some((word) => similar(word, heard[0]!));
  }
  return inOrder(heard, said) >= heard.length * MIN_SHARE;
}

/** The most words of `heard` that are found in `said` one after the other (their longest common subsequence). */
function inOrder(heard: readonly string[], said: readonly string[]): number {
  let before = new Array<number>(said.length + 1).fill(0);
  for (const word of heard) {
    const row = [0];
    for (const [at, other] of said.entries()) {
      row.push(similar(word, other) ? before[at]! + 1 : Math.max(before[at + 1]!, row[at]!));
    }
    before = row;
  }
  return before[said.length]!;
}

/** The same word, or a longer one with one letter wrong. */
function similar(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
