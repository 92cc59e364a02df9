import type { SpokenWords } from '../../shared/languages/spoken/spoken-forms.ts';

/** Lakh and crore, or thousand and million. */
export type Counting = 'indian' | 'western';

export interface Currency {
  one: string;
  many: string;
  /** The hundredth part. */
  smallOne: string;
  smallMany: string;
  counting: Counting;
  /** "three dollars fifty": hundredths are spoken without their name. */
  bareHundredths?: true;
  /** Between the units and the hundredths; left out: the language's "and" where a language of Latin letters wants one. */
  hundredthsJoint?: string;
}

export interface Unit {
  one: string;
  many: string;
}

/** A time of day as written. */
export interface ClockTime {
  hour: number;
  minute: number;
  half: 'a' | 'p' | null;
}

/** What the rules of the spoken form need to know about a language. */
export interface SpokenLanguage extends SpokenWords {
  /** "₹5-10", "10-12 people". */
  range(from: string, to: string): string;
  /** Names of the characters in addresses. */
  signs: Readonly<Record<string, string>>;
  /** Below 10^15, without leading zeros. */
  cardinal(digits: string, counting: Counting): string;
  /** The form of a number before a noun, where it differs: "uno" is "un". */
  beforeNoun?(said: string): string;
  /** One by one. */
  digits(digits: string): string;
  ordinal(value: number): string;
  year(value: number): string;
  /** Month 1 to 12. `through` is the last day of "10-12 November". */
  date(day: number, month: number, year: number | null, monthFirst: boolean, through: number | null): string;
  monthAndYear(month: number, year: number): string;
  /** `before` and `after`: the surrounding text, which may already contain the part of the day. */
  time(at: ClockTime, before: string, after: string): string;
  timeRange(from: ClockTime, to: ClockTime, before: string, after: string): string;
  /** Words for halves, as in "2.5 lakh"; null when the plain number is right. */
  halves(whole: string, fraction: string): string | null;
  /** By sign or code, in capitals and without a stop. */
  currencies: Readonly<Record<string, Currency>>;
  /** By written form, in small letters. */
  scales: Readonly<Record<string, string>>;
  units: Readonly<Record<string, Unit>>;
  each: string;
  /** "500/month": by what follows the slash. */
  per: Readonly<Record<string, string>>;
  fractions: Readonly<Record<string, string>>;
  outOf(part: string, whole: string): string;
  /** Matches text before a number whose digits are spoken one by one. Ends with `$`. */
  beforeDigits: RegExp;
  /** Whether the number between these texts is a year. */
  isYear(before: string, after: string): boolean;
}

/** Joins words, without the empty ones. */
export function words(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

const INDIAN_GROUPS = { crore: 7, lakh: 5, thousand: 3 };

/** Splits digits into crore, lakh, thousand and rest; the crores include everything above. */
export function indianParts(digits: string): { crore: string; lakh: number; thousand: number; rest: number } {
  const padded = digits.padStart(INDIAN_GROUPS.crore, '0');
  const end = padded.length;
  return {
    crore: padded.slice(0, end - INDIAN_GROUPS.crore).replace(/^0+/, ''),
    lakh: Number(padded.slice(end - INDIAN_GROUPS.crore, end - INDIAN_GROUPS.lakh)),
    thousand: Number(padded.slice(end - INDIAN_GROUPS.lakh, end - INDIAN_GROUPS.thousand)),
    rest: Number(padded.slice(end - INDIAN_GROUPS.thousand)),
  };
}

/** A written form and how it is spoken. */
export interface Rule {
  /** Sticky, and bounded in length, so that a text takes linear time. */
  pattern: RegExp;
  /** Returns the spoken form, or null for no match. The surrounding texts are limited to `CONTEXT` characters. */
  say(match: RegExpExecArray, before: string, after: string): string | null;
}

export const CONTEXT = 40;

/** The word or number ends here. */
export const WORD_END = '(?![\\p{L}\\p{M}\\p{N}])';
/** A number with or without groups and decimals. */
export const NUMBER = '(?:\\d{1,3}(?:,\\d{2,3}){0,5},\\d{3}|\\d{1,15})(?:\\.\\d{1,8})?(?!\\d|[.,]\\d)';
export const DASH = '\\s?[-–]\\s?';

export function sticky(source: string): RegExp {
  return new RegExp(source.normalize('NFC'), 'iuy');
}

/** Alternatives of a pattern, the longest first. */
export function anyOf(keys: readonly string[]): string {
  const escaped = keys.map((key) => key.replace(/[.$/+*?]/g, '\\$&'));
  return `(?:${escaped.sort((a, b) => b.length - a.length).join('|')})`;
}

/** Looks up a table by NFC keys. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>): (key: string) => Entry | null {
  const entries = new Map(Object.entries(table).map(([key, entry]) => [key.normalize('NFC'), entry]));
  return (key) => entries.get(key) ?? null;
}

export interface WrittenNumber {
  whole: string;
  /** The digits after the point; empty without one. */
  fraction: string;
  /** By the size of its groups. */
  counting: Counting | null;
  grouped: boolean;
  value: number;
}

export function readNumber(text: string): WrittenNumber {
  const [whole = '', fraction = ''] = text.split('.');
  const groups = whole.split(',');
  const middle = groups.slice(1, -1);
  const indian = middle.some((group) => group.length === 2);
  const western = middle.length > 0 ? !indian : groups.length === 2 && groups[0]!.length === 3;
  return {
    whole: groups.join(''),
    fraction,
    counting: indian ? 'indian' : western ? 'western' : null,
    grouped: groups.length > 1,
    value: Number(text.replaceAll(',', '')),
  };
}

export function sayNumber(number: WrittenNumber, language: SpokenLanguage, counting = number.counting): string {
  const whole = language.cardinal(number.whole, counting ?? 'indian');
  return number.fraction === '' ? whole : words(whole, language.point, language.digits(number.fraction));
}

/** Returns "." when the stop of an abbreviation also ended the sentence. */
export function stopAfter(read: string, after: string): string {
  return read.endsWith('.') && /^["'”’)\]]*(?:$|\s+\p{Lu}|\s+$)/u.test(after) ? '.' : '';
}

/** Other written forms of the keys of a language's tables. */
export const CURRENCY_ALIASES = {
  '₹': ['RS', 'INR', 'रु', 'रू'],
  $: ['USD', 'US$'],
  '€': ['EUR'],
  '£': ['GBP'],
  '¥': ['JPY'],
};
export const SCALE_ALIASES = {
  ...{ thousand: ['k'], lakh: ['l', 'lac', 'lacs', 'lakhs'], crore: ['cr', 'crores'] },
  ...{ million: ['m', 'mn'], billion: ['b', 'bn'] },
};
export const UNIT_ALIASES = {
  ...{ km: ['kms'], kg: ['kgs'], g: ['gm', 'gms'], l: ['ltr', 'ltrs'], 'sq ft': ['sq. ft.', 'sq. ft', 'sqft'] },
  ...{ 'km/h': ['kmph'], hr: ['hrs'], min: ['mins'], sec: ['secs'], yr: ['yrs'] },
};
export const PER_ALIASES = { month: ['mo'], year: ['yr'], hour: ['hr'], minute: ['min'], 'sq ft': ['sqft'] };

/** Returns the table with an entry for every alias of its keys. */
export function withAliases<Entry>(
  table: Readonly<Record<string, Entry>>,
  ...aliases: Readonly<Record<string, readonly string[]>>[]
): Record<string, Entry> {
  const result = { ...table };
  for (const [key, others] of aliases.flatMap((each) => Object.entries(each))) {
    for (const other of others) if (table[key] !== undefined) result[other] = table[key];
  }
  return result;
}
