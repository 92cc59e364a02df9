import { isBackchannel, isCommand, plainWords } from './words.ts';

/**
 * When the caller speaks while the agent does. Two steps: the agent falls silent at once on speech that means
 * business (`shouldHush`), and what was said then decides whether it goes on (`verdict`). Pure.
 */

/**
 * So much speech without a break silences the agent even before any word is known. Voice activity notices a voice
 * 20 to 30 ms after it began, so that it is a quarter of a second of the caller's.
 */
export const PAUSE_AFTER_UNBROKEN_MS = 230;
/** Speech that brought no words so long after its end was noise: the agent goes on. */
export const RESUME_WITHOUT_WORDS_MS = 1_500;

/** Fall silent now? `unbrokenMs` of voice; `text` as far as the transcriber knows it, '' when it does not. */
export function shouldPause(unbrokenMs: number, text: string): boolean {
  const words = plainWords(text);
  if (words.length > 0) return !isBackchannel(words);
  return unbrokenMs >= PAUSE_AFTER_UNBROKEN_MS;
}

/** Voice without words that goes on for so long is the room, and the agent goes on in spite of it. */
export const NOISE_AFTER_MS = 3_000;
/** A word over so little of what is left of a sentence is an answer to it, however short. */
export const NEARLY_OVER_MS = 1_500;

export type InterruptionVerdict =
  /** Real words: the reply is cut and the caller is answered. */
  | 'interrupt'
  /** Nothing was meant: the agent goes on from where it stopped. */
  | 'resume'
  /** Too early to say: the caller is still speaking. */
  | 'wait';

/**
 * What the caller's words so far mean. `complete` when no more are coming in this turn.
 * Fewer words than `minWords` do not cut, except that a command counts however short.
 */
export function interruptionVerdict(text: string, minWords: number, complete: boolean): InterruptionVerdict {
  const words = plainWords(text);
  if (words.length > 0 && !isBackchannel(words)) {
    if (isCommand(words) || words.length >= minWords) return 'interrupt';
  }
  return complete ? 'resume' : 'wait';
}
