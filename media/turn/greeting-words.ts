import { greetingText, type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';

/**
 * What the words of a greeting say about its speaker: a machine, a person, or nothing certain. The
 * phrases are those of a language's file, of voicemail and network announcements; a person who uses one of them is recognized by the other clues.
 */
export interface GreetingClues {
  /** Only a machine says this. */
  certain: boolean;
  /** How many different phrases were said that machines use often, and people seldom. */
  hints: number;
  /** A person addresses the caller: a question, an offer of help. Or a screening service asks who calls. */
  person: boolean;
}

/** Longest greeting in words; of a longer one the end is read. */
const MAX_WORDS = 200;

/** `greeting` is all that was said so far, `last` its last utterance; `words` those of the call's language. */
export function readGreeting(greeting: string, last: string, words: TurnWords = turnWords()): GreetingClues {
  const all = greetingText(greeting, MAX_WORDS);
  const latest = greetingText(last, MAX_WORDS);
  const among = (text: string) => (phrase: RegExp) => phrase.test(text);
  const { certain, hints, screening, person } = words.greeting;
  const screened = screening.some(among(latest));
  return {
    certain: !screened && certain.some(among(all)),
    hints: hints.filter(among(all)).length,
    person: screened || person.some(among(latest)),
  };
}
