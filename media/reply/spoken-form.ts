import { abbreviationRules } from './spoken-abbreviations.ts';
import { amountRules } from './spoken-amounts.ts';
import { codeRules } from './spoken-codes.ts';
import { dateRules, timeRules, weekdayRules } from './spoken-dates.ts';
import { english } from './spoken-english.ts';
import { hindi } from './spoken-hindi.ts';
import { CONTEXT, type Rule, type SpokenLanguage } from './spoken-language.ts';
import { numberRules } from './spoken-numbers.ts';

/**
 * Written text as a person reads it aloud: money, dates, times, telephone numbers, measures, ranges, ids, abbreviations
 * and addresses in words. Whatever no rule knows stays as it is. English and Hindi; Hindi in Latin letters is read by the
 * English rules. Time grows with the length of the text only: rules are tried where a word begins, each reads a bounded
 * stretch, and what was read is not read again.
 */

/** The first that reads something wins. */
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
/** What no rule began to read is passed over as a whole, so that none begins in its middle. */
const UNMATCHED_TOKEN = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\d+(?:[.,:/-]\d+)*/uy;
const DEVANAGARI_DIGIT = /[\u0966-\u096f]/g;
const DEVANAGARI = /[\u0904-\u0939\u0958-\u0961]/g;
const LATIN_WORD = /[a-z]{3,}/gi;

const WHITESPACE = /\s/u;

/** After so many characters of what is said, so many of what is written have been said. */
export interface AlignmentPoint {
  spoken: number;
  written: number;
}

export interface AlignedSpokenForm {
  spoken: string;
  /** Where a word ends in both, ascending; the last is the end of both. What was read as one thing has none inside. */
  alignment: AlignmentPoint[];
}

/** `language` as in the settings of a voice: "en", "hi-IN". Text for other languages is given back as it is. */
export function spokenForm(text: string, language: string): string {
  return alignedSpokenForm(text, language).spoken;
}

/** The same, and which part of it stands for which part of the text (UTF-16 units). */
export function alignedSpokenForm(text: string, language: string): AlignedSpokenForm {
  return read(text, rulesFor(text, language.slice(0, 2).toLowerCase()) ?? []);
}

/** The letters decide between the two: a Hindi agent may answer in Latin letters. */
function rulesFor(text: string, language: string): Rule[] | null {
  if (language !== 'en' && language !== 'hi') return null;
  const devanagari = text.match(DEVANAGARI)?.length ?? 0;
  const latin = text.match(LATIN_WORD)?.join('').length ?? 0;
  if (language === 'hi') return devanagari === 0 && latin > 0 ? ENGLISH_RULES : HINDI_RULES;
  return devanagari > latin ? HINDI_RULES : ENGLISH_RULES;
}

/** Without rules the text is said as it is written. */
function read(written: string, rules: Rule[]): AlignedSpokenForm {
  const composed = rules.length === 0 ? written : written.normalize('NFC');
  const placeOf = placesIn(written, composed);
  const text = composed.replace(DEVANAGARI_DIGIT, (digit) => String(digit.charCodeAt(0) - 0x966));
  const said: string[] = [];
  const joints: AlignmentPoint[] = [];
  let length = 0;
  let wasRead = false;
  let at = 0;
  function say(words: string): void {
    said.push(words);
    length += words.length;
  }
  while (at < text.length) {
    const afterSpace = at > 0 && WHITESPACE.test(text[at - 1]!);
    if (at > 0 && (afterSpace ? wasRead : WHITESPACE.test(text[at]!))) {
      joints.push({ spoken: length, written: placeOf(at) });
    }
    const idle = text[at] === ' ' && INSIDE_WORD.test(text[at + 1] ?? '');
    const begins = at === 0 || !INSIDE_WORD.test(text[at - 1]!) || !INSIDE_WORD.test(text[at]!);
    const hit = begins && !idle ? firstMatch(text, at, rules) : null;
    if (hit !== null) {
      const previous = said.at(-1) ?? '';
      // "5-6" in words needs air around what stood close together.
      if (/[\p{L}\p{M}]$/u.test(previous) && /^[\p{L}\p{M}]/u.test(hit.said)) say(' ');
      say(hit.said);
      at = hit.end;
      wasRead = true;
      if (at < text.length && /[\p{L}\p{M}\p{N}]$/u.test(hit.said) && INSIDE_WORD.test(text[at]!)) say(' ');
      continue;
    }
    UNMATCHED_TOKEN.lastIndex = at;
    const passed = begins ? UNMATCHED_TOKEN.exec(text) : null;
    const end = passed === null ? at + 1 : UNMATCHED_TOKEN.lastIndex;
    say(composed.slice(at, end));
    at = end;
    wasRead = false;
  }
  joints.push({ spoken: length, written: written.length });
  return { spoken: said.join(''), alignment: joints };
}

/**
 * From a place beside a space in the composed text to the same place in the written one: composing changes what lies between
 * spaces and never a space.
 */
function placesIn(written: string, composed: string): (at: number) => number {
  if (written === composed) return (at) => at;
  const spaces = Array.from(written.matchAll(/\s/gu), (match) => match.index);
  const places = new Map(Array.from(composed.matchAll(/\s/gu), (match, nth) => [match.index, spaces[nth]!]));
  return (at) => places.get(at) ?? places.get(at - 1)! + 1;
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
