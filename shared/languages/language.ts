/**
 * What the engine knows of a language: one object per language, in the file of its ISO 639-1 code. A list is one string of words
 * and phrases with commas between, in natural spelling; capitals, accents written in two ways and Arabic vowel signs do not
 * matter. `docs/languages.md` says how to add a language; `test/shared/languages/` holds the rules.
 */
export interface Language {
  /** ISO 639-1. */
  code: string;
  /** In English, for the note to the language model. */
  name: string;
  /** Unicode scripts that it is written in, the usual one first. */
  scripts: readonly Script[];
  /** Languages whose words its speakers mix in on the telephone: their lists apply as well. */
  mixes: readonly string[];
  /** Frequent short words that tell it from other languages of its script. */
  common: string;
  turn: TurnLists;
  dictation: DictationLists;
  greeting: GreetingPatterns;
  /** What the agent says without its model. */
  texts: {
    /** Short words while a tool or the model takes long; at least two. */
    fillers: readonly [string, string, ...string[]];
    /** It did not understand the caller. */
    reprompt: string;
    /** A quiet caller is asked whether they are still there. */
    online_check: string;
    /** Before the agent hangs up. */
    goodbye: string;
  };
}

export const SCRIPTS = ['Latin', 'Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Arabic'] as const;
export type Script = (typeof SCRIPTS)[number];

export interface TurnLists {
  /** They mean "I am listening", not "let me speak", also several in a row. */
  backchannels: string;
  /** They interrupt the agent wherever they stand. */
  commands: string;
  /** They interrupt the agent when nothing else is said, besides backchannels. */
  commands_alone?: string;
  /** Greetings, thanks and goodbyes that ask nothing: no knowledge is looked up for them. Single words. */
  courtesies: string;
  /** Sounds and words of somebody who thinks, and will go on. */
  hesitations: string;
  /** A sentence is incomplete after these, whatever punctuation the transcriber wrote: "and", "my". */
  incomplete: string;
  /** It is incomplete after these unless the transcriber wrote a full stop or question mark: "with", "I would like". */
  incomplete_without_stop: string;
  /** Endings of a last word, likewise: case endings of a noun whose verb is to come. */
  incomplete_suffixes?: string;
  /** Incomplete when it is all that was said: "well". */
  incomplete_alone?: string;
  /** Complete phrases that end with one of the above. */
  complete_endings?: string;
  /** Incomplete without what follows them, except after `complete_after`: "is", but not "yes it is". */
  linking_verbs?: string;
  complete_after?: string;
  /** Complete answers, also several in a row. */
  answers: string;
  /** Endings of complete sentences. */
  closings: string;
  /** A sentence of three words that ends with one of these is complete, where the verb comes last. */
  final_verbs?: string;
  /** Endings of such verbs. */
  final_verb_suffixes?: string;
  /** Of `final_verbs` those that stand before a name too: "mera naam hai …" … */
  naming_verbs?: string;
  /** … after one of these. */
  named_things?: string;
}

export interface DictationLists {
  /** Names of the digits 0 to 9 as numbers are dictated. */
  digits: readonly [string, string, string, string, string, string, string, string, string, string];
  /** Names of 10 to 99, in their order; one without a name of its own is left out as an empty entry. `/` between two names. */
  two_digits: string;
  /** Words before a digit that stands twice or three times. */
  double: string;
  triple: string;
  /** A zero only among other digits: "oh". */
  zero_among_digits?: string;
  /** Words after which digits follow; those of them that announce a code, or a card. */
  number_words: string;
  code_words: string;
  card_words: string;
  /** Patterns of a whole telephone number: with its plus and country code, and without. Digits only. */
  phone: { national: string; international: string; max_digits: number };
  /** Names of letters where they are written as words; three in a row are spelling. */
  letter_names?: string;
  /** Letters of Latin script that are words as well: "a". */
  letter_words?: string;
  /** Spelled letters that are words, and no spelling: "u s". */
  abbreviations?: string;
  /** Between a spelled letter and the word that begins with it: "b for Bombay", "S as in Sam". */
  letter_examples?: string;
  mail_words: string;
  mail_hosts: string;
  /** "my email is". */
  is: string;
  at: string;
  dot: string;
  /** Before a country code. */
  plus: string;
  top_domains: string;
}

/**
 * What voicemail, announcements of networks, call-screening services and people say when a call is answered. Patterns over plain
 * words, one a line: brackets group, `|` separates alternatives, `…` stands for up to eight words.
 */
export interface GreetingPatterns {
  /** Only a machine says this. */
  certain: string;
  /** Machines say this often, and people seldom: two of them make a machine. */
  hints: string;
  /** A screening service, which expects an answer. */
  screening: string;
  /** A person addresses the caller: a question, an offer of help. */
  person: string;
  /** Single words of a person who calls out: "hello". */
  calls: string;
}

/** Ten digits, or eleven with a leading 0 or 1, or twelve with a country code: India and North America. */
export const TEN_DIGIT_PHONE = {
  national: '[1-9]\\d{9}|[01]\\d{10}|\\d{12}',
  international: '[01]\\d{10}|\\d{12}',
  max_digits: 11,
} as const;
