import {
  type ClockTime,
  type Counting,
  CURRENCY_ALIASES,
  indianParts,
  PER_ALIASES,
  SCALE_ALIASES,
  type SpokenLanguage,
  UNIT_ALIASES,
  type Unit,
  withAliases,
  words,
} from './spoken-language.ts';

/** Indian English: lakh and crore, day before month. Also used for Hindi in Latin letters. */

const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = ',,twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety'.split(',');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const IRREGULAR_ORDINALS: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

function belowHundred(value: number): string {
  if (value < 20) return SMALL[value]!;
  return words(TENS[Math.floor(value / 10)]!, value % 10 === 0 ? '' : SMALL[value % 10]!);
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  if (hundreds === 0) return belowHundred(rest);
  return words(`${SMALL[hundreds]} hundred`, rest === 0 ? '' : belowHundred(rest));
}

function cardinal(digits: string, counting: Counting): string {
  if (/^0+$/.test(digits)) return 'zero';
  return counting === 'indian' ? indian(digits) : western(digits);
}

function indian(digits: string): string {
  const { crore, lakh, thousand, rest } = indianParts(digits);
  return words(
    crore === '' ? '' : `${indian(crore)} crore`,
    lakh === 0 ? '' : `${belowHundred(lakh)} lakh`,
    thousand === 0 ? '' : `${belowHundred(thousand)} thousand`,
    rest === 0 ? '' : belowThousand(rest),
  );
}

function western(digits: string): string {
  const padded = digits.padStart(15, '0');
  const said = ['trillion', 'billion', 'million', 'thousand', ''].map((name, index) => {
    const value = Number(padded.slice(index * 3, index * 3 + 3));
    return value === 0 ? '' : words(belowThousand(value), name);
  });
  return words(...said);
}

function ordinal(value: number): string {
  const said = indian(String(value)).split(' ');
  const last = said.pop()!;
  return words(...said, IRREGULAR_ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`));
}

/** "nineteen ninety nine", "two thousand five", "twenty twenty six". */
function year(value: number): string {
  const century = Math.floor(value / 100);
  const rest = value % 100;
  if (value < 100) return belowHundred(value);
  if (value % 1000 < 10) return western(String(value));
  if (rest === 0) return `${belowHundred(century)} hundred`;
  return words(belowHundred(century), rest < 10 ? 'oh' : '', belowHundred(rest));
}

/** Synthesizers read a small "a" as the article. */
const HALVES_OF_DAY = { a: 'AM', p: 'p m' };

/** Hours from 13 on, and 0, imply a half of the day; others stay as open as written. */
function clock({ hour, minute, half }: ClockTime): { said: string; half: string } {
  const known = half ?? (hour >= 13 ? 'p' : hour === 0 ? 'a' : null);
  return {
    said: words(
      belowHundred(hour % 12 === 0 ? 12 : hour % 12),
      minute === 0 ? '' : minute < 10 ? 'oh' : '',
      minute === 0 ? '' : belowHundred(minute),
    ),
    half: known === null ? '' : HALVES_OF_DAY[known],
  };
}

function time(at: ClockTime, _before: string, after: string): string {
  const { said, half } = clock(at);
  if (half !== '' || at.minute !== 0) return words(said, half);
  return /^\s*(?:o['’]clock|baje|hrs|hours|in the|sharp)/i.test(after) ? said : `${said} o'clock`;
}

function timeRange(from: ClockTime, to: ClockTime, _before: string, _after: string): string {
  const [first, second] = [clock(from), clock(to)];
  return words(first.said, first.half === second.half ? '' : first.half, 'to', second.said, second.half);
}

function unit(one: string, many = `${one}s`): Unit {
  return { one, many };
}

const [minutes, hours, litres, metres] = [unit('minute'), unit('hour'), unit('litre'), unit('metre')];
const squareFeet = unit('square foot', 'square feet');
const kilometresPerHour = unit('kilometre per hour', 'kilometres per hour');

const rupee = {
  one: 'rupee',
  many: 'rupees',
  smallOne: 'paisa',
  smallMany: 'paise',
  counting: 'indian',
} as const;
const dollar = {
  one: 'dollar',
  many: 'dollars',
  smallOne: 'cent',
  smallMany: 'cents',
  counting: 'western',
  bareHundredths: true,
} as const;
const euro = { ...dollar, one: 'euro', many: 'euros' };
const pound = { ...dollar, one: 'pound', many: 'pounds', smallOne: 'penny', smallMany: 'pence' };
const yen = { ...dollar, one: 'yen', many: 'yen', smallOne: 'sen', smallMany: 'sen' };
const dirham = { ...dollar, one: 'dirham', many: 'dirhams', smallOne: 'fils', smallMany: 'fils' };

/** After these a number of four digits is a year, unless a noun follows. */
const BEFORE_YEAR = /\b(?:in|since|year|until|till|during|between|from|FY|saal|(?:19|20)\d\d (?:and|to))\s$/i;
const AFTER_YEAR =
  /^(?:\s*$|[.,;:!?)]|\s(?:and|we|it|the|to|was|is|with|for|but|or|as|at|on|when|you|they|mein|me|se|tak)\b)/i;

export const english: SpokenLanguage = {
  range: (from, to) => `${from} to ${to}`,
  minus: 'minus',
  plus: 'plus',
  point: 'point',
  percent: 'percent',
  number: 'number',
  about: 'about',
  and: 'and',
  signs: { '@': 'at', '.': 'dot', '-': 'dash', _: 'underscore', '+': 'plus', '/': 'slash' },
  cardinal,
  digits: (digits) => Array.from(digits, (digit) => SMALL[Number(digit)]).join(' '),
  ordinal,
  year,
  date(day, month, inYear, monthFirst, through) {
    const days = through === null ? ordinal(day) : `${ordinal(day)} to ${ordinal(through)}`;
    const name = MONTHS[month - 1]!;
    if (monthFirst) return inYear === null ? `${name} ${days}` : `${name} ${days}, ${year(inYear)}`;
    return words(days, 'of', name, inYear === null ? '' : year(inYear));
  },
  monthAndYear: (month, inYear) => `${MONTHS[month - 1]} ${year(inYear)}`,
  time,
  timeRange,
  halves: () => null,
  currencies: withAliases(
    {
      '₹': rupee,
      $: dollar,
      A$: { ...dollar, one: 'Australian dollar', many: 'Australian dollars' },
      C$: { ...dollar, one: 'Canadian dollar', many: 'Canadian dollars' },
      S$: { ...dollar, one: 'Singapore dollar', many: 'Singapore dollars' },
      '€': euro,
      '£': pound,
      '¥': yen,
      AED: dirham,
    },
    CURRENCY_ALIASES,
  ),
  scales: withAliases(
    {
      hundred: 'hundred',
      thousand: 'thousand',
      lakh: 'lakh',
      crore: 'crore',
      million: 'million',
      billion: 'billion',
      trillion: 'trillion',
    },
    SCALE_ALIASES,
  ),
  units: withAliases(
    {
      km: unit('kilometre'),
      m: metres,
      cm: unit('centimetre'),
      mm: unit('millimetre'),
      kg: unit('kilogram'),
      g: unit('gram'),
      mg: unit('milligram'),
      l: litres,
      ml: unit('millilitre'),
      ft: unit('foot', 'feet'),
      'sq ft': squareFeet,
      'sq m': unit('square metre'),
      'km/h': kilometresPerHour,
      'm/s': unit('metre per second', 'metres per second'),
      mph: unit('mile per hour', 'miles per hour'),
      hr: hours,
      min: minutes,
      sec: unit('second'),
      yr: unit('year'),
      kb: unit('kilobyte'),
      mb: unit('megabyte'),
      gb: unit('gigabyte'),
      tb: unit('terabyte'),
      w: unit('watt'),
      v: unit('volt'),
      mah: unit('milliampere hour'),
      mp: unit('megapixel'),
      mbps: unit('megabit per second', 'megabits per second'),
      hz: unit('hertz', 'hertz'),
      khz: unit('kilohertz', 'kilohertz'),
      mhz: unit('megahertz', 'megahertz'),
      ghz: unit('gigahertz', 'gigahertz'),
      kw: unit('kilowatt'),
      kwh: unit('kilowatt hour'),
      '°c': unit('degree Celsius', 'degrees Celsius'),
      '°f': unit('degree Fahrenheit', 'degrees Fahrenheit'),
      '°': unit('degree'),
    },
    UNIT_ALIASES,
  ),
  each: 'per',
  per: withAliases(
    {
      month: 'month',
      year: 'year',
      week: 'week',
      day: 'day',
      night: 'night',
      hour: 'hour',
      minute: 'minute',
      person: 'person',
      head: 'head',
      piece: 'piece',
      kg: 'kilogram',
      km: 'kilometre',
      unit: 'unit',
      'sq ft': 'square foot',
    },
    PER_ALIASES,
  ),
  fractions: {
    '1/2': 'half',
    '1/3': 'one third',
    '2/3': 'two thirds',
    '1/4': 'one quarter',
    '3/4': 'three quarters',
    '24/7': 'twenty four seven',
  },
  outOf: (part, whole) => `${part} out of ${whole}`,
  beforeDigits:
    /\b(?:otp|pin|pin ?code|passcode|code|id|number|no|dial|reference|ref|extension|ext|flight|room|ending (?:in|with))\b[.:#]*(?:\s(?:number|no|id|is|hai)\b[.:#]*){0,2}\s?$/i,
  isYear: (before, after) => BEFORE_YEAR.test(before) && AFTER_YEAR.test(after),
};
