import { oneSpelling, plainWords } from '../words.ts';
import type { DictationLists, GreetingPatterns, Language, TurnLists } from './language.ts';
import { createPhrases, type Phrases, phrasesOf } from './phrases.ts';
import { DEFAULT_LANGUAGE, languageOf } from './registry.ts';

/**
 * The lists of a language and of those that its speakers mix in, compiled once, for the rules of turn-taking. A language without
 * a file is neutral: nothing in it is a backchannel but sounds, nothing a command, no sentence complete or incomplete by its
 * words.
 */
export interface TurnWords {
  /** ISO 639-1; '' for a language without a file. */
  readonly code: string;
  readonly lists: Readonly<Record<TurnList, Phrases>>;
  /** Endings of a last word; null where the language has none. */
  readonly incompleteSuffix: RegExp | null;
  readonly finalVerbSuffix: RegExp | null;
  readonly dictation: DictationWords;
  readonly greeting: GreetingWords;
  /** They mean "I am listening", not "let me speak". */
  isBackchannel(words: readonly string[]): boolean;
  /** They interrupt the agent however short they are. */
  isCommand(words: readonly string[]): boolean;
}

export type TurnList = Exclude<keyof TurnLists, 'incomplete_suffixes' | 'final_verb_suffixes' | 'hesitations'>;

export interface DictationWords {
  /** Digits by their names. */
  readonly digits: ReadonlyMap<string, number>;
  /** 10 to 99 by their names, which are of up to `longestNumber` words. */
  readonly twoDigits: ReadonlyMap<string, number>;
  readonly longestNumber: number;
  /** How often the digit after them stands. */
  readonly repeats: ReadonlyMap<string, number>;
  readonly lists: Readonly<Record<DictationList, Phrases>>;
  /** A written address that is complete. */
  readonly wholeAddress: RegExp;
  readonly phone: { national: RegExp; international: RegExp; maxDigits: number };
}

type DictationList = Exclude<keyof DictationLists, 'digits' | 'two_digits' | 'double' | 'triple' | 'phone'>;

export interface GreetingWords {
  readonly certain: readonly RegExp[];
  readonly hints: readonly RegExp[];
  readonly screening: readonly RegExp[];
  readonly person: readonly RegExp[];
  readonly calls: Phrases;
}

const TURN_LISTS: readonly TurnList[] = [
  ...(['backchannels', 'commands', 'commands_alone', 'courtesies', 'incomplete', 'incomplete_without_stop'] as const),
  ...(['incomplete_alone', 'complete_endings', 'linking_verbs', 'complete_after', 'answers', 'closings'] as const),
  ...(['final_verbs', 'naming_verbs', 'named_things'] as const),
];
const DICTATION_LISTS: readonly DictationList[] = [
  ...(['zero_among_digits', 'number_words', 'code_words', 'card_words', 'letter_names', 'letter_words'] as const),
  ...([
    'abbreviations',
    'letter_examples',
    'mail_words',
    'mail_hosts',
    'is',
    'at',
    'dot',
    'plus',
    'top_domains',
  ] as const),
];

/** Sounds of a listener that transcribers write in any language of Latin script. */
const SOUNDS = 'mm, mmm, mhm, mmhm, mmhmm, hm, hmm, hmmm, mm-hm, mm-hmm, aha, ah';

const compiled = new Map<string, TurnWords>();

/**
 * Returns the words of turn-taking for a language tag, like `hi` or `es-MX`. Left out: those of an agent that names no language.
 */
export function turnWords(tag = DEFAULT_LANGUAGE): TurnWords {
  const language = languageOf(tag);
  const code = language?.code ?? '';
  let words = compiled.get(code);
  if (words === undefined) {
    words = compile(language === null ? [] : [language, ...language.mixes.map((mixed) => languageOf(mixed)!)]);
    compiled.set(code, words);
  }
  return words;
}

/** The first language is the call's own. */
function compile(languages: readonly Language[]): TurnWords {
  const own = languages[0];
  const turn = languages.map((language) => language.turn);
  const listOf = (name: keyof TurnLists) => phrasesOf(...turn.map((lists) => lists[name]));
  const lists = Object.fromEntries(TURN_LISTS.map((name) => [name, createPhrases(listOf(name))])) as Record<
    TurnList,
    Phrases
  >;
  lists.incomplete = createPhrases([...listOf('incomplete'), ...listOf('hesitations')]);
  lists.backchannels = createPhrases(own ? listOf('backchannels') : phrasesOf(SOUNDS));
  const aloneOrBackchannel = createPhrases([...listOf('commands_alone'), ...listOf('backchannels')]);
  return {
    code: own?.code ?? '',
    lists,
    incompleteSuffix: suffixPattern(listOf('incomplete_suffixes')),
    finalVerbSuffix: suffixPattern(listOf('final_verb_suffixes')),
    dictation: compileDictation(languages),
    greeting: compileGreeting(languages),
    isBackchannel: (words) => lists.backchannels.cover(words),
    isCommand: (words) =>
      lists.commands.within(words) || (lists.commands_alone.within(words) && aloneOrBackchannel.cover(words)),
  };
}

/** A word with at least two characters before the ending. */
function suffixPattern(suffixes: readonly string[]): RegExp | null {
  return suffixes.length === 0 ? null : new RegExp(`^..+(?:${suffixes.join('|')})$`, 'u');
}

function compileDictation(languages: readonly Language[]): DictationWords {
  const dictation = languages.map((language) => language.dictation);
  const listOf = (name: DictationList | 'double' | 'triple') => phrasesOf(...dictation.map((lists) => lists[name]));
  const digits = new Map<string, number>();
  const twoDigits = new Map<string, number>();
  // The call's own language last: it wins where a name means two digits.
  for (const lists of [...dictation].reverse()) {
    for (const [value, names] of lists.digits.entries()) for (const name of phrasesOf(names)) digits.set(name, value);
    for (const [at, names] of lists.two_digits.split(',').entries()) {
      for (const name of phrasesOf(...names.split('/'))) {
        twoDigits.set(name, 10 + at);
        twoDigits.set(name.replaceAll('-', ' '), 10 + at);
        twoDigits.set(name.replaceAll(' ', '-'), 10 + at);
      }
    }
  }
  const lists = Object.fromEntries(DICTATION_LISTS.map((name) => [name, createPhrases(listOf(name))]));
  const domains = listOf('top_domains').filter((domain) => /^[a-z]+$/.test(domain));
  const phone = dictation[0]?.phone;
  return {
    digits,
    twoDigits,
    longestNumber: Math.max(1, ...Array.from(twoDigits.keys(), (name) => name.split(' ').length)),
    repeats: new Map([
      ...listOf('double').map((word): [string, number] => [word, 2]),
      ...listOf('triple').map((word): [string, number] => [word, 3]),
    ]),
    lists: lists as Record<DictationList, Phrases>,
    wholeAddress: new RegExp(`\\S+@[\\w-]+(\\.[\\w-]+)*\\.(${domains.join('|') || 'com'})[.!?,।]*$`, 'iu'),
    phone: {
      national: new RegExp(`^(?:${phone?.national ?? '(?!)'})$`),
      international: new RegExp(`^(?:${phone?.international ?? '(?!)'})$`),
      maxDigits: phone?.max_digits ?? 0,
    },
  };
}

function compileGreeting(languages: readonly Language[]): GreetingWords {
  const patternsOf = (name: keyof GreetingPatterns) =>
    languages.flatMap(({ greeting }) => greeting[name].split('\n').filter((line) => line !== '')).map(greetingPattern);
  return {
    certain: patternsOf('certain'),
    hints: patternsOf('hints'),
    screening: patternsOf('screening'),
    person: patternsOf('person'),
    calls: createPhrases(phrasesOf(...languages.map(({ greeting }) => greeting.calls))),
  };
}

function greetingPattern(phrase: string): RegExp {
  const source = sameSpelling(phrase)
    .replaceAll(' … ', ' (?:\\S+ ){0,8}?')
    .replaceAll(/\((?!\?)/g, '(?:');
  return new RegExp(`(?<=^| )(?:${source})(?= |$)`, 'u');
}

/** Unifies ways of writing one word that a greeting's patterns need not tell apart: nasals, dots below, accents. */
export function sameSpelling(text: string): string {
  return oneSpelling(text)
    .normalize('NFD')
    .replaceAll('ँ', 'ं')
    .replaceAll('़', '')
    .replaceAll(/[\u0300-\u036f]/g, '');
}

/** Returns the plain words of a greeting as its patterns are spelled, the last `maxWords` of them. */
export function greetingText(text: string, maxWords: number): string {
  return sameSpelling(plainWords(text).slice(-maxWords).join(' '));
}
