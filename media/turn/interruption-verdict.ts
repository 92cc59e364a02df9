import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';

/**
 * What happens when the caller speaks while the agent does, in two steps: speech that may be an interruption pauses the agent
 * at once (`shouldPause`), and its words then decide whether the agent resumes (`interruptionVerdict`). Pure.
 */

/**
 * Unbroken speech of this length pauses the agent before any word is known. Voice activity detects speech 20 to 30 ms late,
 * so it is about 250 ms of the caller's speech.
 */
export const PAUSE_AFTER_UNBROKEN_MS = 230;
/** Speech without words this long after its end was noise: the agent resumes. */
export const RESUME_WITHOUT_WORDS_MS = 1_500;

/**
 * True when the agent should pause now. `unbrokenMs` of speech; `text` so far, '' when there is no transcript yet; `known`: the
 * words of the call's language.
 */
export function shouldPause(unbrokenMs: number, text: string, known: TurnWords = turnWords()): boolean {
  const words = plainWords(text);
  if (words.length > 0) return !known.isBackchannel(words);
  return unbrokenMs >= PAUSE_AFTER_UNBROKEN_MS;
}

/** Voice activity without words for this long is background noise, and the agent resumes during it. */
export const NOISE_AFTER_MS = 3_000;
/** With less than this left of a sentence, even one word of the caller is an answer to it. */
export const NEARLY_OVER_MS = 1_500;

export type InterruptionVerdict =
  /** The reply ends here and the caller is answered. */
  | 'interrupt'
  /** No interruption: the agent resumes where it was paused. */
  | 'resume'
  /** Too early to say: the caller is still speaking. */
  | 'wait';

/**
 * What the caller's words so far mean; `complete` when the turn has no more of them. Fewer words than `minWords` do not
 * interrupt, except for a command. `known`: the words of the call's language.
 */
export function interruptionVerdict(
  text: string,
  minWords: number,
  complete: boolean,
  known: TurnWords = turnWords(),
): InterruptionVerdict {
  const words = plainWords(text);
  if (words.length > 0 && !known.isBackchannel(words)) {
    if (known.isCommand(words) || words.length >= minWords) return 'interrupt';
  }
  return complete ? 'resume' : 'wait';
}
