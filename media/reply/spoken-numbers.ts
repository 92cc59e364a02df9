import {
  DASH,
  NUMBER,
  type Rule,
  readNumber,
  type SpokenLanguage,
  sayNumber,
  sticky,
  WORD_END,
  words,
} from './spoken-language.ts';

/**
 * Rules for numbers without a unit. A plain number of up to four digits stays as it is: synthesizers read it well. Grouped
 * numbers and decimals are quantities; five digits or more without groups are an id, spoken digit by digit, unless round.
 */

const HINDI_ORDINALS: Record<string, string> = {
  '1ला': 'पहला',
  '1ली': 'पहली',
  '1ले': 'पहले',
  '2रा': 'दूसरा',
  '2री': 'दूसरी',
  '2रे': 'दूसरे',
  '3रा': 'तीसरा',
  '3री': 'तीसरी',
  '3रे': 'तीसरे',
  '4था': 'चौथा',
  '4थी': 'चौथी',
  '4थे': 'चौथे',
  '6ठा': 'छठा',
  '6ठी': 'छठी',
  '6ठे': 'छठे',
};

/** Before "#", which then need not be spoken. */
const NAMED = /(?:\bnumber|\bno\.?|नंबर)\s?$/i;

const isYearNumber = (digits: string) => /^(?:19|20)\d\d$/.test(digits);

export function numberRules(language: SpokenLanguage): Rule[] {
  /** Whether "a-b" is a range rather than a score, an id or a telephone number. */
  function isRange(from: string, to: string, before: string): boolean {
    if (/[-–/]$/.test(before) || /^0\d/.test(from) || /^0\d/.test(to)) return false;
    const [low, high] = [readNumber(from), readNumber(to)];
    if (low.value >= high.value || low.whole.length > 9) return false;
    if (low.grouped || high.grouped) return true;
    if (low.whole.length > 4 || high.whole.length > 4) return low.whole.endsWith('00') && high.whole.endsWith('00');
    return low.whole.length < 3 || low.whole.length === high.whole.length || high.whole.endsWith('0');
  }

  const ordinal: Rule = {
    pattern: sticky(`(\\d{1,6})(?:st|nd|rd|th)(?:${DASH}(\\d{1,6})(?:st|nd|rd|th))?${WORD_END}`),
    say([, from, to]) {
      const first = language.ordinal(Number(from));
      return to === undefined ? first : language.range(first, language.ordinal(Number(to)));
    },
  };

  const hindiOrdinal: Rule = {
    pattern: sticky(`(\\d{1,6})(वां|वाँ|वीं|वें|ला|ली|ले|रा|री|रे|था|थी|थे|ठा|ठी|ठे)${WORD_END}`),
    say([read, digits, ending]) {
      const irregular = HINDI_ORDINALS[read];
      if (irregular !== undefined) return irregular;
      return ending!.startsWith('व') ? language.cardinal(digits!, 'indian') + ending : null;
    },
  };

  const aroundTheClock: Rule = {
    pattern: sticky(`24\\s?[x×/]\\s?7${WORD_END}`),
    say: () => language.fractions['24/7']!,
  };

  const fraction: Rule = {
    pattern: sticky(`(?:(\\d{1,2})\\s)?([123]\\/[234])(?![\\d/]|\\.\\d)`),
    say([, whole, part]) {
      const said = language.fractions[part!];
      if (said === undefined) return null;
      if (whole === undefined) return said;
      const half = part === '1/2' ? language.halves(whole, '5') : null;
      if (half !== null) return half;
      const article = said === 'half' ? 'a half' : said;
      return words(language.cardinal(whole, 'indian'), language.and, article);
    },
  };

  const outOf: Rule = {
    pattern: sticky(`(\\d{1,2}(?:\\.\\d)?)\\/(5|10|100)(?![\\d/]|\\.\\d)`),
    say([, part, whole], before) {
      if (!part!.includes('.') && !/(?:rat(?:ed|ing)|scored?|रेटिंग|अंक)\D{0,12}$/i.test(before)) return null;
      return language.outOf(sayNumber(readNumber(part!), language), language.cardinal(whole!, 'indian'));
    },
  };

  const years: Rule = {
    pattern: sticky(`(\\d{4})[-–](\\d{4}|\\d{2})(?![\\p{L}\\d]|[-–.,/]\\d)`),
    say([, from, to], before) {
      if (!isYearNumber(from!) || /[-–/]$/.test(before)) return null;
      const first = Number(from);
      const second = to!.length === 4 ? Number(to) : first - (first % 100) + Number(to);
      const following = to!.length === 2 && second === first + 1;
      if (!following && !(to!.length === 4 && isYearNumber(to!) && second > first)) return null;
      const end = to!.length === 2 ? language.cardinal(to!.replace(/^0/, ''), 'indian') : language.year(second);
      return language.range(language.year(first), end);
    },
  };

  const range: Rule = {
    pattern: sticky(`(${NUMBER})${DASH}(${NUMBER})(?![-–/]\\d|${WORD_END.slice(3, -1)})`),
    say([, from, to], before) {
      if (!isRange(from!, to!, before)) return null;
      return language.range(sayNumber(readNumber(from!), language), sayNumber(readNumber(to!), language));
    },
  };

  /** A telephone number without area code. */
  const local: Rule = {
    pattern: sticky('(\\d{3})-(\\d{4})(?![-–.,/]?\\d|[\\p{L}\\p{M}])'),
    say: ([, first, second], before) =>
      /[-–/.]$/.test(before) ? null : `${language.digits(first!)}, ${language.digits(second!)}`,
  };

  const decade: Rule = {
    pattern: sticky(`((?:19|20)?[2-9]0)s${WORD_END}`),
    say([, digits], before) {
      if (!/[a-z]\s['’]?$/i.test(before)) return null;
      if (digits!.length === 2 && !/\bthe\s['’]?$/i.test(before)) return null;
      const said = language.year(Number(digits));
      return said.endsWith('y') ? `${said.slice(0, -1)}ies` : null;
    },
  };

  const version: Rule = {
    pattern: sticky(`\\d{1,4}(?:\\.\\d{1,4}){2,4}(?!\\d|\\.\\d)`),
    say: ([read]) =>
      read
        .split('.')
        .map((part) => (part.length < 3 ? language.cardinal(part, 'indian') : language.digits(part)))
        .join(` ${language.point} `),
  };

  const counted: Rule = {
    pattern: sticky(`(#\\s?)?([-−])?(${NUMBER})`),
    say([, hash, negative, text], before, after) {
      if (negative !== undefined && /[\p{L}\p{M}\p{N})-]$/u.test(before)) return null;
      const number = readNumber(text!);
      const said = count(text!, hash !== undefined, before, after);
      if (hash !== undefined) {
        const named = NAMED.test(before) ? '' : language.number;
        return words(named, said ?? text!);
      }
      if (negative === undefined) return said;
      return words(language.minus, said ?? language.cardinal(number.whole, 'indian'));
    },
  };

  /** Null when the digits are best left to the synthesizer. */
  function count(text: string, hash: boolean, before: string, after: string): string | null {
    const number = readNumber(text);
    if (number.grouped || number.fraction !== '') return sayNumber(number, language);
    // "3-4" and "1:2" may mean anything.
    if (/^(?:[-–:/]\d)/.test(after) || /\d[-–:/]$/.test(before)) return null;
    if (text.length >= 3 && (hash || language.beforeDigits.test(before))) return language.digits(text);
    if (text.length >= 3 && text.startsWith('0')) return language.digits(text);
    if (isYearNumber(text) && language.isYear(before, after)) return language.year(Number(text));
    if (text.length < 5) return null;
    return text.endsWith('000') ? language.cardinal(text, 'indian') : language.digits(text);
  }

  /** "#A1234": the id has its own rule. */
  const hashed: Rule = {
    pattern: sticky('#(?=[a-z]{1,6}-?\\d)'),
    say: (_match, before) => (NAMED.test(before) ? '' : `${language.number} `),
  };

  /** 5'8" */
  const feetAndInches: Rule = {
    pattern: sticky(`(\\d)['’′]\\s?(\\d{1,2})(?:["”″]|'')`),
    say: ([, feet, inches]) =>
      words(language.cardinal(feet!, 'indian'), language.units.ft!.many, language.cardinal(inches!, 'indian')),
  };

  const long: Rule = {
    pattern: sticky(`\\d{16,40}(?!\\d|[.,]\\d)`),
    say: ([read]) => language.digits(read),
  };

  const heart: Rule = {
    pattern: sticky('\\s?<3(?=\\s*(?:$|[.!?]))'),
    say: () => '',
  };

  const more: Rule = {
    pattern: sticky('\\+(?=\\s|$)'),
    say: (_match, before) => (/\d$/.test(before) ? ` ${language.plus}` : null),
  };

  const about: Rule = {
    pattern: sticky('~\\s?(?=[\\d₹$€£])'),
    say: (_match, before) => (/[\p{L}\p{N}]$/u.test(before) ? null : `${language.about} `),
  };

  const and: Rule = {
    pattern: sticky('\\s&\\s'),
    say: () => ` ${language.and} `,
  };

  return [
    ordinal,
    hindiOrdinal,
    aroundTheClock,
    fraction,
    outOf,
    years,
    range,
    local,
    decade,
    version,
    feetAndInches,
    hashed,
    counted,
    long,
    heart,
    more,
    about,
    and,
  ];
}
