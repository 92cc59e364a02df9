import {
  anyOf,
  type Currency,
  DASH,
  lookUp,
  NUMBER,
  type Rule,
  readNumber,
  type SpokenLanguage,
  sayNumber,
  sticky,
  stopAfter,
  WORD_END,
  type WrittenNumber,
  words,
} from './spoken-language.ts';

/** Rules for money, percentages and measures. */

const AFTER_WORD = /[\p{L}\p{M}\p{N})]$/u;

export function amountRules(language: SpokenLanguage): Rule[] {
  const currencyOf = lookUp(language.currencies);
  const scaleOf = lookUp(language.scales);
  const unitOf = lookUp(language.units);
  const perOf = lookUp(language.per);
  const signs = `(?:${anyOf(Object.keys(language.currencies))}\\.?)`;
  const scales = `${anyOf(Object.keys(language.scales))}${WORD_END}`;
  const minus = '([-−])?';
  const scaled = `(${NUMBER})(?:\\s?(${scales}))?`;

  function currency(sign: string): Currency {
    return currencyOf(sign.replace(/\.$/, '').toUpperCase())!;
  }

  function scaleWord(written: string | undefined): string {
    return written === undefined ? '' : scaleOf(written.toLowerCase())!;
  }

  const beforeNoun = (said: string) => language.beforeNoun?.(said) ?? said;

  function count(number: WrittenNumber, of?: Currency): string {
    const counting = of === undefined || of.counting === 'western' ? (number.counting ?? of?.counting) : of.counting;
    return sayNumber(number, language, counting ?? 'indian');
  }

  /** "two point five crore", "ढाई करोड़". */
  function countScaled(text: string, scale: string | undefined, of?: Currency): string {
    const number = readNumber(text);
    if (scale === undefined) return count(number, of);
    return words(language.halves(number.whole, number.fraction) ?? count(number, of), scaleWord(scale));
  }

  function money(text: string, scale: string | undefined, more: string, of: Currency): string {
    let number = readNumber(text);
    // "$5.500": thousandths are never written, but many countries group thousands with a point.
    if (/^[1-9]\d{0,2}\.\d00$/.test(text)) number = readNumber(text.replace('.', ','));
    if (scale !== undefined || number.fraction.length > 2) return words(countScaled(text, scale, of), more, of.many);
    const hundredths = Number(number.fraction.padEnd(2, '0'));
    const isWholeZero = /^0+$/.test(number.whole);
    const whole = words(
      beforeNoun(count({ ...number, fraction: '' }, of)),
      /^0*1$/.test(number.whole) ? of.one : of.many,
    );
    if (hundredths === 0) return whole;
    const small = beforeNoun(language.cardinal(String(hundredths), 'western'));
    const named = words(small, hundredths === 1 ? of.smallOne : of.smallMany);
    if (isWholeZero) return named;
    if (of.bareHundredths && hundredths >= 10) return words(whole, small);
    return of.hundredthsJoint !== undefined || of.bareHundredths || of.counting === 'indian'
      ? words(whole, joinHundredths(of), named)
      : words(whole, named);
  }

  /** "rupees and fifty paise"; in Hindi nothing stands between. */
  function joinHundredths(of: Currency): string {
    if (of.hundredthsJoint !== undefined) return of.hundredthsJoint;
    return /^[a-z]/i.test(of.smallMany) ? language.and : '';
  }

  const moneyRange: Rule = {
    pattern: sticky(`(${signs})\\s?${scaled}${DASH}(?:${signs}\\s?)?${scaled}(?:\\s?\\/-)?`),
    say(match) {
      const [, sign, from, fromScale, to, toScale] = match as unknown as string[];
      if (fromScale === toScale && readNumber(from!).value >= readNumber(to!).value) return null;
      const of = currency(sign!);
      return language.range(countScaled(from!, fromScale, of), money(to!, toScale, '', of));
    },
  };

  const moneyBefore: Rule = {
    pattern: sticky(`${minus}(${signs})\\s?${scaled}(?:\\s(${NUMBER})\\s(${scales}))?(?:\\s?\\/-)?`),
    say(match, before) {
      const [, negative, sign, text, scale, moreText, moreScale] = match as unknown as (string | undefined)[];
      if (negative !== undefined && AFTER_WORD.test(before)) return null;
      const more = moreText === undefined ? '' : countScaled(moreText, moreScale);
      return words(negative ? language.minus : '', money(text!, scale, more, currency(sign!)));
    },
  };

  const moneyAfter: Rule = {
    pattern: sticky(`${scaled}\\s?(${signs})(?![\\p{L}\\p{M}\\p{N}]|\\.?\\s?\\d)(?:\\/-)?`),
    say(match, _before, after) {
      const [whole, text, scale, sign] = match as unknown as string[];
      return money(text!, scale, '', currency(sign!)) + stopAfter(whole!, after);
    },
  };

  const percent: Rule = {
    pattern: sticky(`${minus}(?:(${NUMBER})${DASH})?(${NUMBER})\\s?%`),
    say(match, before) {
      const [, negative, from, to] = match as unknown as (string | undefined)[];
      if (negative !== undefined && AFTER_WORD.test(before)) return null;
      const said = count(readNumber(to!));
      const both = from === undefined ? said : language.range(count(readNumber(from)), said);
      return words(negative ? language.minus : '', both, language.percent);
    },
  };

  const measure: Rule = {
    pattern: sticky(
      `${minus}(?:(${NUMBER})${DASH})?(${NUMBER})\\s?(${anyOf(Object.keys(language.units))})(?![\\p{L}\\p{M}\\p{N}]|\\.\\p{L})\\.?`,
    ),
    say(match, before, after) {
      const [whole, negative, from, to, written] = match as unknown as (string | undefined)[];
      if (negative !== undefined && AFTER_WORD.test(before)) return null;
      // "5G", "10 M", "8 L", "3 v 3" are not grams, metres, litres and volts.
      if (/^[GMLvw]$/.test(written!)) return null;
      const number = readNumber(to!);
      const unit = unitOf(written!.toLowerCase())!;
      const said = language.halves(number.whole, number.fraction) ?? count(number);
      const both = from === undefined ? beforeNoun(said) : language.range(count(readNumber(from)), beforeNoun(said));
      const name = from === undefined && number.value === 1 ? unit.one : unit.many;
      return words(negative ? language.minus : '', both, name) + stopAfter(whole!, after);
    },
  };

  /** Hindi has words for "one and a half lakh". */
  const halfScaled: Rule = {
    pattern: sticky(`(\\d{1,3})\\.(50{0,2})\\s?(${scales})`),
    say(match) {
      const half = language.halves(match[1]!, match[2]!);
      return half === null ? null : words(half, scaleWord(match[3]));
    },
  };

  const each: Rule = {
    pattern: sticky(`\\s?\\/\\s?(${anyOf(Object.keys(language.per))})${WORD_END}`),
    say(match, before) {
      if (!/(?:\d|\/-|\d\s?[\p{L}\p{M}.%₹$€£]{1,9})$/u.test(before)) return null;
      return ` ${language.each} ${perOf(match[1]!.toLowerCase())}`;
    },
  };

  return [moneyRange, moneyBefore, moneyAfter, percent, measure, halfScaled, each];
}
