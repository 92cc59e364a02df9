import { abbreviationRules } from './spoken-abbreviations.ts';
import { amountRules } from './spoken-amounts.ts';
import { codeRules } from './spoken-codes.ts';
import { dateRules, timeRules, weekdayRules } from './spoken-dates.ts';
import { english } from './spoken-english.ts';
import { hindi } from './spoken-hindi.ts';
import { CONTEXT, type Rule, type SpokenLanguage } from './spoken-language.ts';
import { numberRules } from './spoken-numbers.ts';

/** In order of precedence: the first rule that matches wins. */
const ENGLISH_RULES = rulesOf(english, 'english');
const HINDI_RULES = rulesOf(hindi, 'hindi');

function rulesOf(language: SpokenLanguage, name: 'english' | 'hindi'): Rule[] {
  return [
    ...codeRules(language).slice(0, -1),
    ...dateRules(language),
    ...timeRules(language),
    ...amountRules(language),
    ...numberRules(language),
    ...codeRules(language).slice(-1),
    ...(name === 'english' ? weekdayRules(language) : []),
    ...abbreviationRules(name),
  ];
}

const INSIDE_WORD = /[\p{L}\p{M}\p{N}_]/u;
/** A token that no rule matches is skipped as a whole, so that no rule matches in its middle. */
const UNMATCHED_TOKEN = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\d+(?:[.,:/-]\d+)*/uy;
const DEVANAGARI_DIGIT = /[\u0966-\u096f]/g;
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
 * addresses in words. What no rule matches stays as it is. English and Hindi, like "en" or "hi-IN"; Hindi in Latin letters uses
 * the English rules, and text in other languages is returned unchanged. Linear in the length of the text: rules are tried at
 * the beginning of words, match a bounded length, and matched text is not read again.
 */
export function spokenForm(text: string, language: string): string {
  return alignedSpokenForm(text, language).spoken;
}

/** Returns the spoken form with its alignment to the written text (UTF-16 units). */
export function alignedSpokenForm(text: string, language: string): AlignedSpokenForm {
  return applyRules(text, rulesFor(text, language.slice(0, 2).toLowerCase()) ?? []);
}

/** The script decides between the two: a Hindi agent may write in Latin letters. */
function rulesFor(text: string, language: string): Rule[] | null {
  if (language !== 'en' && language !== 'hi') return null;
  const devanagari = text.match(DEVANAGARI)?.length ?? 0;
  const latin = text.match(LATIN_WORD)?.join('').length ?? 0;
  if (language === 'hi') return devanagari === 0 && latin > 0 ? ENGLISH_RULES : HINDI_RULES;
  return devanagari > latin ? HINDI_RULES : ENGLISH_RULES;
}

function applyRules(written: string, rules: Rule[]): AlignedSpokenForm {
  const composed = rules.length === 0 ? written : written.normalize('NFC');
  const writtenOffset = offsetMap(written, composed);
  const text = composed.replace(DEVANAGARI_DIGIT, (digit) => String(digit.charCodeAt(0) - 0x966));
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
    const match = begins && !idle ? firstMatch(text, at, rules) : null;
    if (match !== null) {
      const previous = said.at(-1) ?? '';
      // "5-6" needs spaces between its words.
      if (/[\p{L}\p{M}]$/u.test(previous) && /^[\p{L}\p{M}]/u.test(match.said)) say(' ');
      say(match.said);
      at = match.end;
      afterMatch = true;
      if (at < text.length && /[\p{L}\p{M}\p{N}]$/u.test(match.said) && INSIDE_WORD.test(text[at]!)) say(' ');
      continue;
    }
    UNMATCHED_TOKEN.lastIndex = at;
    const token = begins ? UNMATCHED_TOKEN.exec(text) : null;
    const end = token === null ? at + 1 : UNMATCHED_TOKEN.lastIndex;
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
