import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';
import { dictation } from './dictation.ts';

/**
 * Whether the caller's words are a complete sentence, by the lists of the call's language (`shared/languages/`). Pure. It affects only the endpointing delay, so a mistake costs a second or splits a sentence in two.
 */

export type Completeness =
  /** A question, a full answer, a sentence with its verb where verbs come last, a whole phone number. */
  | 'complete'
  | 'unsure'
  /** The last word needs another: a conjunction, a preposition, an article, a filler. */
  | 'incomplete'
  /** A number, a name or an address is being dictated and is not complete. */
  | 'dictating';

/** A short answer has at most this many words. */
const ANSWER_WORDS = 6;
/** A full stop, or a verb at the end, counts after this many words: transcribers write a stop at every pause. */
const SENTENCE_WORDS = 3;
/** Only the end of the text is examined. */
const MAX_TAIL_CHARACTERS = 300;

/** `known`: the words of the call's language. */
export function completeness(text: string, known: TurnWords = turnWords()): Completeness {
  const trimmed = tailOf(text).replace(/["'”’)\]]+$/u, '');
  const words = plainWords(trimmed);
  const last = words.at(-1);
  if (last === undefined) return 'unsure';

  const dictated = dictation(words, trimmed, known.dictation);
  if (dictated) return dictated.state === 'complete' ? 'complete' : 'dictating';

  const { lists } = known;
  const asked = /[?？؟]$/u.test(trimmed);
  // An ellipsis is no full stop.
  const stopped = asked || /(^|[^.])[.!।۔]$/u.test(trimmed);
  if (/([,،;؛:–—-]|…|\.\.)$/u.test(trimmed)) return 'incomplete';
  if (words.length <= ANSWER_WORDS && lists.answers.cover(words)) return 'complete';

  // The last letter of "U S A" is no article.
  const closed = lists.complete_endings.atEnd(words) || /(^| )[b-z] a$/.test(words.slice(-2).join(' '));
  if (!closed && lists.incomplete.atEnd(words)) return 'incomplete';
  if (asked) return 'complete';
  if (!closed && !stopped && expectsMore(words, last, known)) return 'incomplete';
  if (words.length > 1 && lists.closings.atEnd(words)) return 'complete';
  if (words.length < SENTENCE_WORDS) return 'unsure';
  return stopped || endsWithVerb(words, last, known) ? 'complete' : 'unsure';
}

/** Whether the last word needs another, where the transcriber wrote no full stop. */
function expectsMore(words: readonly string[], last: string, known: TurnWords): boolean {
  const { lists, incompleteSuffix } = known;
  if (lists.incomplete_without_stop.atEnd(words)) return true;
  if (words.length === 1 && lists.incomplete_alone.has(last)) return true;
  const before = words.at(-2) ?? '';
  if (lists.linking_verbs.has(last) && !lists.complete_after.has(before)) return true;
  if (lists.naming_verbs.has(last) && lists.named_things.has(before)) return true;
  return incompleteSuffix?.test(last) === true && !endsWithVerb(words, last, known);
}

function endsWithVerb(words: readonly string[], last: string, { lists, finalVerbSuffix }: TurnWords): boolean {
  return lists.final_verbs.atEnd(words) || (finalVerbSuffix?.test(last) ?? false);
}

/**
 * True for dictation that is surely not complete, for a transcriber that detects turns: four or six digits may be a whole code,
 * whose end must not be delayed.
 */
export function isUnfinishedDictation(text: string, known: TurnWords = turnWords()): boolean {
  const end = tailOf(text);
  const dictated = dictation(plainWords(end), end, known.dictation);
  return dictated?.state === 'under_way' && dictated.digits !== 4 && dictated.digits !== 6;
}

function tailOf(text: string): string {
  return text.slice(-MAX_TAIL_CHARACTERS).trim();
}
