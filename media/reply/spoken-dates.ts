import {
  type ClockTime,
  DASH,
  type Rule,
  type SpokenLanguage,
  sticky,
  stopAfter,
  WORD_END,
} from './spoken-language.ts';

/** Rules for dates, times and weekdays. Numeric dates are read in Indian order, day before month, where that is valid. */

const MONTHS = [
  'jan(?:uary)?|जनवरी',
  'feb(?:ruary)?|फ़रवरी|फरवरी',
  'mar(?:ch)?|मार्च',
  'apr(?:il)?|अप्रैल',
  'may|मई',
  'june?|जून',
  'july?|जुलाई',
  'aug(?:ust)?|अगस्त',
  'sept?(?:ember)?|सितंबर|सितम्बर',
  'oct(?:ober)?|अक्टूबर|अक्तूबर',
  'nov(?:ember)?|नवंबर|नवम्बर',
  'dec(?:ember)?|दिसंबर|दिसम्बर',
];
const MONTH = `(${MONTHS.join('|')})${WORD_END}`;
const MONTH_PATTERNS = MONTHS.map((names) => new RegExp(`^(?:${names})$`.normalize('NFC'), 'iu'));
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(\\d{4})(?!\\d|[.,]\\d)';
const END = '(?!\\d|[-/.:,]\\d|%)';

const HALF = '\\s?(?:([ap])\\.\\s?m\\.|([ap])\\.?m(?![\\p{L}\\p{M}\\p{N}]))';
const CLOCK = '(\\d{1,2})(?:[:.]([0-5]\\d))?';
/** Words that the spoken time contains anyway. */
const HOURS = '(?:\\s?(?:hrs|hours|बजे)(?![\\p{L}\\p{M}\\p{N}]))?';
const BAJE = '(?:\\s?बजे(?![\\p{L}\\p{M}\\p{N}]))?';

const WEEKDAYS: Record<string, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  tues: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  thur: 'Thursday',
  thurs: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
const WEEKDAY = 'mon|tues?|wed|thu(?:rs?)?|fri|sat|sun';

function monthOf(name: string): number {
  return MONTH_PATTERNS.findIndex((pattern) => pattern.test(name)) + 1;
}

/** "may" and "march" are often verbs. */
function isVerb(name: string): boolean {
  return /^ma/.test(name);
}

function isDay(day: number, month: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= DAYS_IN_MONTH[month - 1]!;
}

/** Dates in digits alone, and those with the names of months in English and Hindi. */
export function dateRules(language: SpokenLanguage): Rule[] {
  return [...numericDateRules(language), ...namedDateRules(language)];
}

export function numericDateRules(language: SpokenLanguage): Rule[] {
  function numeric(day: number, month: number, year: number): string | null {
    if (isDay(day, month)) return language.date(day, month, year, false, null);
    return isDay(month, day) ? language.date(month, day, year, false, null) : null;
  }

  return [
    {
      pattern: sticky(`(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${END}`),
      say: ([, year, , month, day]) =>
        isDay(Number(day), Number(month)) ? numeric(Number(day), Number(month), Number(year)) : null,
    },
    {
      pattern: sticky(`(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4})${END}`),
      say: ([, day, , month, year]) => numeric(Number(day), Number(month), Number(year)),
    },
    {
      pattern: sticky(`(\\d{1,2})([-/])(\\d{1,2})\\2(\\d{2})${END}`),
      say: ([, day, , month, year]) => numeric(Number(day), Number(month), 2000 + Number(year)),
    },
  ];
}

function namedDateRules(language: SpokenLanguage): Rule[] {
  return [
    {
      pattern: sticky(`${DAY}(?:${DASH}${DAY})?(?:\\sof\\s|\\s|-)?${MONTH}(\\.?)(?:(?:,\\s?|\\s|-)${YEAR})?`),
      say(match, _before, after) {
        const [whole, day, through, name, , year] = match as unknown as (string | undefined)[];
        const month = monthOf(name!);
        const last = through === undefined ? null : Number(through);
        if (isVerb(name!) && year === undefined && !/^\d+[a-z]/i.test(whole!)) return null;
        if (!isDay(Number(day), month) || (last !== null && (!isDay(last, month) || last <= Number(day)))) return null;
        const said = language.date(Number(day), month, year === undefined ? null : Number(year), false, last);
        return said + stopAfter(whole!, after);
      },
    },
    {
      pattern: sticky(`${MONTH}\\.?\\s${DAY}(?:[-–]${DAY})?${END}${WORD_END}(?:,?\\s${YEAR})?`),
      say(match) {
        const [, name, day, through, year] = match as unknown as (string | undefined)[];
        const month = monthOf(name!);
        const last = through === undefined ? null : Number(through);
        if (isVerb(name!) || !isDay(Number(day), month) || (last !== null && !isDay(last, month))) return null;
        return language.date(Number(day), month, year === undefined ? null : Number(year), true, last);
      },
    },
    {
      pattern: sticky(`${MONTH}\\.?,?\\s${YEAR}${WORD_END}`),
      say: ([, name, year]) => language.monthAndYear(monthOf(name!), Number(year)),
    },
  ];
}

function clockTime(hour: string, minute: string | undefined, half: string | undefined): ClockTime | null {
  const at = { hour: Number(hour), minute: Number(minute ?? 0), half: half?.toLowerCase() as 'a' | 'p' | undefined };
  if (at.hour > 23) return null;
  // "19:00 pm" means what it says before "pm".
  return { ...at, half: at.hour > 12 || at.hour === 0 ? null : (at.half ?? null) };
}

export function timeRules(language: SpokenLanguage): Rule[] {
  return [
    {
      pattern: sticky(`${CLOCK}(?:${HALF})?${DASH}${CLOCK}${HALF}${BAJE}`),
      say(match, before, after) {
        const [whole, hour, minute, a1, a2, toHour, toMinute, b1, b2] = match as unknown as string[];
        const end = clockTime(toHour!, toMinute, b1 ?? b2);
        const given = a1 ?? a2;
        const sameHalf = Number(hour) % 12 <= Number(toHour) % 12;
        const begin = clockTime(hour!, minute, given ?? (sameHalf ? (b1 ?? b2) : undefined));
        if (begin === null || end === null) return null;
        return language.timeRange(begin, end, before, after) + stopAfter(whole!, after);
      },
    },
    {
      pattern: sticky(`${CLOCK}${HALF}${BAJE}`),
      say(match, before, after) {
        const at = clockTime(match[1]!, match[2], match[3] ?? match[4]);
        return at === null ? null : language.time(at, before, after) + stopAfter(match[0], after);
      },
    },
    {
      pattern: sticky(`(\\d{1,2}):([0-5]\\d)${DASH}(\\d{1,2}):([0-5]\\d)(?![:\\d])${HOURS}`),
      say([, hour, minute, toHour, toMinute], before, after) {
        const [begin, end] = [clockTime(hour!, minute, undefined), clockTime(toHour!, toMinute, undefined)];
        return begin === null || end === null ? null : language.timeRange(begin, end, before, after);
      },
    },
    {
      pattern: sticky(`(\\d{1,2}):([0-5]\\d)(?![:\\d]|\\.\\d)${HOURS}`),
      say([, hour, minute], before, after) {
        const at = clockTime(hour!, minute, undefined);
        return at === null ? null : language.time(at, before, after);
      },
    },
    {
      pattern: sticky(`(\\d{1,2})\\.([0-5]\\d)(?:\\s?बजे|(?=\\s?(?:baje|hrs|o['’]clock))|\\s?hrs)`),
      say([, hour, minute], before, after) {
        const at = clockTime(hour!, minute, undefined);
        return at === null ? null : language.time(at, before, after);
      },
    },
  ];
}

/** "Mon-Fri", "Sat, 21 Nov". */
export function weekdayRules(language: SpokenLanguage): Rule[] {
  const day = (written: string) => WEEKDAYS[written.toLowerCase()]!;
  return [
    {
      pattern: sticky(`(${WEEKDAY})\\.?${DASH}(${WEEKDAY})${WORD_END}`),
      say: ([whole, from, to]) => (/^[A-Z]/.test(whole) ? language.range(day(from!), day(to!)) : null),
    },
    {
      pattern: sticky(`(${WEEKDAY})(?=,\\s\\d)`),
      say: ([whole]) => (/^[A-Z]/.test(whole) ? day(whole) : null),
    },
  ];
}
