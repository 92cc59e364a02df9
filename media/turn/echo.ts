import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';

/**
 * Detects the agent's own voice coming back on the caller's line. It is transcribed like speech, but is no interruption. It is
 * detected by its words: the agent's last ones, in their order. Pure.
 */

/** How many of the agent's last words are compared: about six seconds, for the delays of line and transcriber. */
const WINDOW_WORDS = 16;
/** A single word is compared with this many. */
const LAST_WORDS = 8;
/** This share of the transcribed words must be the agent's: an echo is transcribed with errors. */
const MIN_SHARE = 0.75;
/** Words up to this far beyond the playout position are compared too, because word times are partly estimated. */
export const ECHO_AHEAD_MS = 500;
/** An echo is transcribed at most this long after the agent's last word. */
export const ECHO_AFTER_MS = 2_000;

/**
 * True when the transcribed `text` is an echo of `spokenText`, what the agent has said so far. `complete`: the turn has no more
 * words. A single word may be an answer that repeats a word of the question, so it is an echo only while more may follow; a
 * command, in the `known` words of the call's language, never is.
 */
export function isEcho(text: string, spokenText: string, complete: boolean, known: TurnWords = turnWords()): boolean {
  const transcribed = plainWords(text);
  const spoken = plainWords(spokenText).slice(-WINDOW_WORDS);
  if (transcribed.length === 0 || spoken.length === 0) return false;
  if (transcribed.length === 1) {
    return (
      !complete &&
      !known.isCommand(transcribed) &&
      spoken.slice(-LAST_WORDS).some((word) => similar(word, transcribed[0]!))
    );
  }
  return commonInOrder(transcribed, spoken) >= transcribed.length * MIN_SHARE;
}

/** The length of the longest common subsequence. */
function commonInOrder(transcribed: readonly string[], spoken: readonly string[]): number {
  let before = new Array<number>(spoken.length + 1).fill(0);
  for (const word of transcribed) {
    const row = [0];
    for (const [at, other] of spoken.entries()) {
      row.push(similar(word, other) ? before[at]! + 1 : Math.max(before[at + 1]!, row[at]!));
    }
    before = row;
  }
  return before[spoken.length]!;
}

/** The same word, or one of four letters or more with one letter different. */
function similar(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
