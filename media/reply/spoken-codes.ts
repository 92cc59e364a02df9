import { anyOf, type Rule, type SpokenLanguage, sticky, words } from './spoken-language.ts';

/** Rules for what is spoken character by character: telephone and card numbers, order ids, e-mail addresses and URLs. */

const NO_MORE = '(?!\\d|[.,]\\d|-\\d)';
const SEPARATORS = /[\s().-]+/;

/** Telephone numbers as people write them; each group of digits is spoken on its own. */
const TELEPHONES = [
  '\\+\\d(?:[\\s().-]{0,2}\\d){7,14}',
  '\\(\\d{2,5}\\)[\\s-]?\\d{3,4}[\\s-]?\\d{3,4}',
  '0?[6-9]\\d{4}[\\s-]?\\d{5}',
  '0?[6-9]\\d{3}[\\s-]\\d{3}[\\s-]\\d{3}',
  '1[\\s-]?8\\d\\d[\\s-]\\d{2,4}[\\s-]\\d{3,4}',
  '0\\d{2,4}[\\s-]\\d{3,4}[\\s-]?\\d{3,4}',
  '\\d{3}[\\s.-]\\d{3}[\\s.-]\\d{4}',
  // Cards and identity numbers.
  '\\d{4}(?:[\\s-]\\d{4}){2,3}',
];

const LABEL = '[a-z0-9][a-z0-9-]{0,62}';
const TOP_LEVEL = anyOf('com in org net io ai co gov edu app dev info'.split(' '));
const PATH = '(?:\\/[\\p{L}\\p{N}_~%+-]{1,40}(?:\\.[\\p{L}\\p{N}]{1,10})?){0,8}\\/?';
const QUERY = '(?:[?#][^\\s]{0,300}[^\\s.,;:!?)\'"”’])?';
/** Top-level domains of two letters that are spoken as words. */
const SAID_ENDINGS = new Set(['in', 'co', 'me']);

function groupsOf(text: string): string[] {
  const groups = text.replace('+', '').split(SEPARATORS).filter(Boolean);
  if (groups.length > 2) return groups;
  const digits = groups.at(-1)!;
  const split = digits.length === 10 ? [digits.slice(0, 5), digits.slice(5)] : null;
  if (split !== null) return [...groups.slice(0, -1), ...split];
  if (groups.length > 1) return groups;
  if (digits.length > 10 && digits.length <= 13) {
    return [digits.slice(0, -10), digits.slice(-10, -5), digits.slice(-5)];
  }
  return digits.match(/\d{1,4}/g) ?? [digits];
}

/** "COVID-19", "1080P", "128GSM" are names; "B2B", "5G" and "T20" are too short for codes. */
const NAMES = /^(?:[A-Z]{4,}-?\d{1,2}|\d{1,3}[A-Z]{1,3}|\d+P)$/;

export function codeRules(language: SpokenLanguage): Rule[] {
  const telephones: Rule[] = TELEPHONES.map((source) => ({
    pattern: sticky(source + NO_MORE),
    say([written]) {
      const said = groupsOf(written).map((group) => language.digits(group));
      return words(written.startsWith('+') ? language.plus : '', said.join(', '));
    },
  }));

  const code: Rule = {
    // Capitals only: case-insensitive, the pattern would match words.
    pattern:
      /(?=[A-Z0-9-]{0,40}[A-Z])(?=[A-Z0-9-]{0,40}\d)[A-Z0-9]{1,24}(?:-[A-Z0-9]{1,24}){0,5}(?![\p{L}\p{M}\p{N}])/uy,
    say([written]) {
      const signs = written.replaceAll('-', '');
      const digits = signs.replace(/\D/g, '').length;
      if (signs.length < 4 || digits < 2 || NAMES.test(written)) return null;
      return written.split('-').map(sayPart).join(', ');
    },
  };

  /** A part that is a word stays one; anything else is spelled out. */
  function sayPart(part: string): string {
    if (/^[A-Z]{4,}$/.test(part) && /[AEIOU]/.test(part)) return part;
    return Array.from(part, (sign) => (/\d/.test(sign) ? language.digits(sign) : sign)).join(' ');
  }

  const financialYear: Rule = {
    pattern: /FY\s?((?:19|20)\d\d)(?:[-–](\d\d))?(?![\p{L}\p{M}\p{N}])/uy,
    say: ([, year, to]) =>
      words(
        'F Y',
        language.year(Number(year)),
        to === undefined ? '' : language.range('', language.cardinal(to, 'indian')).trim(),
      ),
  };

  /** "rahul dot k at example dot com". */
  function sayAddress(address: string): string {
    const parts = address.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [];
    return parts
      .map((part, index) => {
        if (/^\d/.test(part)) return language.digits(part);
        const ending = parts[index - 1] === '.' && part.length === 2 && !SAID_ENDINGS.has(part.toLowerCase());
        return ending ? Array.from(part).join(' ') : (language.signs[part] ?? part);
      })
      .join(' ');
  }

  const email: Rule = {
    pattern: sticky(`[a-z0-9](?:[a-z0-9._%+-]{0,62}[a-z0-9])?@(?:${LABEL}\\.){1,4}[a-z]{2,24}(?![\\p{L}\\p{M}\\p{N}])`),
    say: ([written]) => sayAddress(written),
  };

  function page(begin: string, host: string): Rule {
    return {
      pattern: sticky(`${begin}(${host})(?::\\d{1,5})?(${PATH})${QUERY}(?![\\p{L}\\p{M}\\p{N}@])`),
      // The query is not spoken.
      say: (match) => sayAddress(match[1]! + match[2]!.replace(/\/$/, '')),
    };
  }

  const anyHost = `(?:${LABEL}\\.){1,4}[a-z]{2,24}`;
  return [
    email,
    page('https?:\\/\\/(?:www\\.)?', anyHost),
    page('www\\.', anyHost),
    page('', `(?=[a-z])(?:${LABEL}\\.){1,3}${TOP_LEVEL}`),
    ...telephones,
    financialYear,
    code,
  ];
}
