import { latinDigits } from '../../shared/digit-words.ts';
import { languageOf } from '../../shared/languages/registry.ts';
import { SPOKEN_FORMS } from '../../shared/languages/spoken/registry.ts';
import type { SpokenForms } from '../../shared/languages/spoken/spoken-forms.ts';
import type { Pronunciation } from '../../shared/pronunciation.ts';
import { abbreviationRules } from './spoken-abbreviations.ts';
import { amountRules } from './spoken-amounts.ts';
import { codeRules } from './spoken-codes.ts';
import { dateRules, numericDateRules, timeRules, weekdayRules } from './spoken-dates.ts';
import { english } from './spoken-english.ts';
import { spokenLanguageOf } from './spoken-from-forms.ts';
import { hindi } from './spoken-hindi.ts';
import { CONTEXT, type Rule, type SpokenLanguage } from './spoken-language.ts';
import { numberRules } from './spoken-numbers.ts';

/** In order of precedence: the first rule that matches wins. */
const ENGLISH_RULES = rulesOf(english, 'english');
const HINDI_RULES = rulesOf(hindi, 'hindi');

function rulesOf(language: SpokenLanguage, name: 'english' | 'hindi'): Rule[] {
  return [
    ...commonRules(language, dateRules(language)),
    ...(name === 'english' ? weekdayRules(language) : []),
    ...abbreviationRules(name),
  ];
}

/** Those that every language has; only the dates differ. */
function commonRules(language: SpokenLanguage, dates: readonly Rule[]): Rule[] {
  return [
    ...codeRules(language).slice(0, -1),
    ...dates,
    ...timeRules(language),
    ...amountRules(language),
    ...numberRules(language),
    ...codeRules(language).slice(-1),
  ];
}

/** The rules of a language whose spoken form is data, made at its first use. */
interface FormRules {
  rules: Rule[];
  forms: SpokenForms;
  /** Letters of the script that it is written in. */
  letters: RegExp;
}

const formRules = new Map<string, FormRules>();

function formRulesOf(code: string): FormRules | null {
  const made = formRules.get(code);
  if (made) return made;
  const forms = SPOKEN_FORMS[code];
  if (forms === undefined) return null;
  const language = spokenLanguageOf(forms, code);
  const rules = commonRules(language, numericDateRules(language));
  const result = { rules, forms, letters: new RegExp(`\\p{Script=${languageOf(code)!.scripts[0]}}`, 'u') };
  formRules.set(code, result);
  return result;
}

const INSIDE_WORD = /[\p{L}\p{M}\p{N}_]/u;
/** A token that no rule matches is skipped as a whole, so that no rule matches in its middle. */
const UNMATCHED_TOKEN = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\d+(?:[.,:/-]\d+)*/uy;
const DEVANAGARI = /[\u0904-\u0939\u0958-\u0961]/g;
const LATIN_WORD = /[a-z]{3,}/gi;

const WHITESPACE = /\s/u;

/** Offsets of the same point in the spoken and the written text. */
export interface AlignmentPoint {
  spoken: number;
  written: number;
}

export interface AlignedSpokenForm {
  spoken: string;
  /** Ends of words in both texts, ascending; the last is the end of both. A match of a rule has none inside. */
  alignment: AlignmentPoint[];
}

/**
 * Returns the spoken form of a written text: money, dates, times, telephone numbers, measures, ranges, ids, abbreviations and
 * addresses in words. What no rule matches stays as it is. `language`: a tag like "en" or "hi-IN". Hindi in Latin letters uses the
 * English rules; text in languages without a file, and in letters that are not the language's own, is returned unchanged. Linear in the length of the text: rules are tried at
 * the beginning of words, match a bounded length, and matched text is not read again.
 */
export function spokenForm(text: string, language: string): string {
  return alignedSpokenForm(text, language).spoken;
}

/** Returns the spoken form with its alignment to the written text (UTF-16 units). Words of `pronunciation` come before all rules. */
export function alignedSpokenForm(
  text: string,
  language: string,
  pronunciation: Pronunciation | null = null,
): AlignedSpokenForm {
  const code = language.slice(0, 2).toLowerCase();
  const made = formRulesOf(code);
  if (made === null) return applyRules(text, { rules: rulesFor(text, code) ?? [], pronunciation });
  const ownLetters = made.letters.test(text) || !/\p{L}{2}/u.test(text);
  if (!ownLetters) return applyRules(text, { rules: [], pronunciation });
  return applyRules(text, { rules: made.rules, pronunciation, decimal: made.forms.decimal });
}

/** The script decides between the two: a Hindi agent may write in Latin letters. */
function rulesFor(text: string, language: string): Rule[] | null {
  if (language !== 'en' && language !== 'hi') return null;
  const devanagari = text.match(DEVANAGARI)?.length ?? 0;
  const latin = text.match(LATIN_WORD)?.join('').length ?? 0;
  if (language === 'hi') return devanagari === 0 && latin > 0 ? ENGLISH_RULES : HINDI_RULES;
  return devanagari > latin ? HINDI_RULES : ENGLISH_RULES;
}

/**
 * Swaps commas and points inside numbers where the comma is the decimal sign: "1.250,50" becomes "1,250.50". The length stays.
 */
const COMMA_NUMBER =
  /(?<![\d.,])(?:\d{1,3}(?:[.\u00a0\u202f]\d{3})+(?:,\d{1,8})?|\d{1,3}(?: \d{3})+(?:,\d{1,2})?(?=\s?[\p{Sc}%])|\d{1,15},\d{1,8})(?![\d]|[.,]\d)/gu;
const swapped = (number: string) => number.replace(/[.,\s]/gu, (sign) => (sign === ',' ? '.' : ','));

interface HowToSpeak {
  rules: Rule[];
  pronunciation: Pronunciation | null;
  decimal?: '.' | ',';
}

function applyRules(written: string, { rules, pronunciation, decimal = '.' }: HowToSpeak): AlignedSpokenForm {
  const composed = rules.length === 0 && pronunciation === null ? written : written.normalize('NFC');
  const writtenOffset = offsetMap(written, composed);
  const ascii = rules.length === 0 ? composed : latinDigits(composed);
  const text = decimal === ',' ? ascii.replace(COMMA_NUMBER, swapped) : ascii;
  const said: string[] = [];
  const joints: AlignmentPoint[] = [];
  let length = 0;
  let afterMatch = false;
  let at = 0;
  function say(words: string): void {
    said.push(words);
    length += words.length;
  }
  while (at < text.length) {
    const afterSpace = at > 0 && WHITESPACE.test(text[at - 1]!);
    if (at > 0 && (afterSpace ? afterMatch : WHITESPACE.test(text[at]!))) {
      joints.push({ spoken: length, written: writtenOffset(at) });
    }
    const idle = text[at] === ' ' && INSIDE_WORD.test(text[at + 1] ?? '');
    const begins = at === 0 || !INSIDE_WORD.test(text[at - 1]!) || !INSIDE_WORD.test(text[at]!);
    const match =
      ((begins || pronunciation?.isAnywhere) && pronunciation?.at(composed, at)) ||
      (begins && !idle ? firstMatch(text, at, rules) : null);
    if (match !== null) {
      const previous = said.at(-1) ?? '';
      // "5-6" needs spaces between its words.
      const isTight = 'isTight' in match && match.isTight;
      if (!isTight && /[\p{L}\p{M}]$/u.test(previous) && /^[\p{L}\p{M}]/u.test(match.said)) say(' ');
      say(match.said);
      at = match.end;
      afterMatch = true;
      if (!isTight && at < text.length && /[\p{L}\p{M}\p{N}]$/u.test(match.said) && INSIDE_WORD.test(text[at]!))
        say(' ');
      continue;
    }
    UNMATCHED_TOKEN.lastIndex = at;
    const token = begins ? UNMATCHED_TOKEN.exec(text) : null;
    const tokenEnd = token === null ? at + 1 : UNMATCHED_TOKEN.lastIndex;
    const end = pronunciation?.isAnywhere ? pronunciation.nextInside(composed, at + 1, tokenEnd) : tokenEnd;
    say(composed.slice(at, end));
    at = end;
    afterMatch = false;
  }
  joints.push({ spoken: length, written: written.length });
  return { spoken: said.join(''), alignment: joints };
}

/**
 * Maps an offset beside a space in the NFC text to the written one: composition changes what lies between spaces, never a
 * space.
 */
function offsetMap(written: string, composed: string): (at: number) => number {
  if (written === composed) return (at) => at;
  const spaces = Array.from(written.matchAll(/\s/gu), (match) => match.index);
  const offsets = new Map(Array.from(composed.matchAll(/\s/gu), (match, nth) => [match.index, spaces[nth]!]));
  return (at) => offsets.get(at) ?? offsets.get(at - 1)! + 1;
}

function firstMatch(text: string, at: number, rules: Rule[]): { said: string; end: number } | null {
  let before: string | null = null;
  for (const { pattern, say } of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = at + match[0].length;
    before ??= text.slice(Math.max(0, at - CONTEXT), at);
    const said = say(match, before, text.slice(end, end + CONTEXT));
    if (said !== null) return { said, end };
  }
  return null;
}
