import {
  type ClockTime,
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

/** Hindi in Devanagari, where every number below a hundred has its own name. */

const SMALL = (
  'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस ' +
  'बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस ' +
  'तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस ' +
  'चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास ' +
  'पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ ' +
  'साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर ' +
  'सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी ' +
  'अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी ' +
  'नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे'
).split(' ');
const MONTHS = 'जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर'.split(' ');
const FIRST_ORDINALS = ['', 'पहला', 'दूसरा', 'तीसरा', 'चौथा', 'पाँचवाँ', 'छठा'];

function cardinal(digits: string): string {
  if (/^0+$/.test(digits)) return SMALL[0]!;
  const { crore, lakh, thousand, rest } = indianParts(digits);
  const hundreds = Math.floor(rest / 100);
  return words(
    crore === '' ? '' : `${cardinal(crore)} करोड़`,
    lakh === 0 ? '' : `${SMALL[lakh]} लाख`,
    thousand === 0 ? '' : `${SMALL[thousand]} हज़ार`,
    hundreds === 0 ? '' : `${SMALL[hundreds]} सौ`,
    rest % 100 === 0 ? '' : SMALL[rest % 100]!,
  );
}

/** 1999 is "nineteen hundred ninety nine", 2026 "two thousand twenty six". */
function year(value: number): string {
  if (value < 1100 || value > 1999) return cardinal(String(value));
  const rest = value % 100;
  return words(SMALL[Math.floor(value / 100)]!, 'सौ', rest === 0 ? '' : SMALL[rest]!);
}

/** "One and a half", "two and a half" and "and a half" have words of their own. */
function halves(whole: string, fraction: string): string | null {
  if (!/^50*$/.test(fraction) || /^0*$/.test(whole)) return null;
  const value = whole.replace(/^0+/, '');
  if (value === '1') return 'डेढ़';
  if (value === '2') return 'ढाई';
  return `साढ़े ${cardinal(value)}`;
}

/** After these the part of the day is not added. */
const PART_OF_DAY = /(?:सुबह|सवेरे|दोपहर|शाम|रात|दिन)(?:\s(?:के|को|में))?\s*$/;

function partOfDay(at: ClockTime, before: string): string {
  const { hour, half } = at;
  if (half === null && hour !== 0 && hour < 13) return '';
  if (PART_OF_DAY.test(before)) return '';
  const of24 = half === null ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  if (of24 >= 4 && of24 < 12) return 'सुबह';
  if (of24 >= 12 && of24 < 16) return 'दोपहर';
  return of24 >= 16 && of24 < 20 ? 'शाम' : 'रात';
}

/** Quarters and halves have words: सवा, साढ़े, पौने. */
function clock({ hour, minute }: ClockTime): string {
  const of12 = hour % 12 === 0 ? 12 : hour % 12;
  if (minute === 0) return `${SMALL[of12]} बजे`;
  if (minute === 15) return `सवा ${SMALL[of12]} बजे`;
  if (minute === 30) return `${halves(String(of12), '5')} बजे`;
  if (minute === 45) return `पौने ${SMALL[(of12 % 12) + 1]} बजे`;
  return `${SMALL[of12]} बजकर ${SMALL[minute]} मिनट`;
}

function time(at: ClockTime, before: string): string {
  return words(partOfDay(at, before), clock(at));
}

function unit(name: string): Unit {
  return { one: name, many: name };
}

const [metres, litres, grams, kilograms] = [unit('मीटर'), unit('लीटर'), unit('ग्राम'), unit('किलोग्राम')];
const [kilometres, centimetres, millimetres] = [unit('किलोमीटर'), unit('सेंटीमीटर'), unit('मिलीमीटर')];
const [minutes, hours, seconds] = [unit('मिनट'), { one: 'घंटा', many: 'घंटे' }, unit('सेकंड')];
const squareFeet = unit('वर्ग फ़ुट');
const kilometresPerHour = unit('किलोमीटर प्रति घंटा');

const rupee = {
  one: 'रुपया',
  many: 'रुपये',
  smallOne: 'पैसा',
  smallMany: 'पैसे',
  counting: 'indian',
} as const;

function foreign(name: string, small: string) {
  return { one: name, many: name, smallOne: small, smallMany: small, counting: 'indian' } as const;
}

const [dollar, euro, pound] = [foreign('डॉलर', 'सेंट'), foreign('यूरो', 'सेंट'), foreign('पाउंड', 'पेंस')];
const [yen, dirham] = [foreign('येन', 'सेन'), foreign('दिरहम', 'फ़िल्स')];

const HINDI_SCALES = { hundred: ['सौ'], thousand: ['हजार', 'हज़ार'], lakh: ['लाख'], crore: ['करोड', 'करोड़'] };
const HINDI_UNITS = {
  km: ['किमी', 'कि.मी.', 'कि.मी'],
  m: ['मी', 'मी.'],
  cm: ['सेमी', 'से.मी.'],
  mm: ['मिमी'],
  kg: ['किग्रा', 'कि.ग्रा.'],
};

export const hindi: SpokenLanguage = {
  range: (from, to) => `${from} से ${to}`,
  minus: 'माइनस',
  plus: 'प्लस',
  point: 'दशमलव',
  percent: 'प्रतिशत',
  number: 'नंबर',
  about: 'लगभग',
  and: 'और',
  signs: { '@': 'ऐट', '.': 'डॉट', '-': 'डैश', _: 'अंडरस्कोर', '+': 'प्लस', '/': 'स्लैश' },
  cardinal,
  digits: (digits) => Array.from(digits, (digit) => SMALL[Number(digit)]).join(' '),
  ordinal: (value) => FIRST_ORDINALS[value] ?? `${cardinal(String(value))}वाँ`,
  year,
  date(day, month, inYear, _monthFirst, through) {
    const days = through === null ? SMALL[day]! : `${SMALL[day]} से ${SMALL[through]}`;
    return words(days, MONTHS[month - 1]!, inYear === null ? '' : year(inYear));
  },
  monthAndYear: (month, inYear) => `${MONTHS[month - 1]} ${year(inYear)}`,
  time,
  timeRange: (from, to, before) => {
    const [first, second] = [partOfDay(from, before), partOfDay(to, '')];
    const hour = from.minute === 0 && first === '' ? SMALL[from.hour % 12 === 0 ? 12 : from.hour % 12]! : clock(from);
    return words(first, hour, 'से', first === second ? '' : second, clock(to));
  },
  halves,
  currencies: withAliases(
    {
      '₹': rupee,
      $: dollar,
      A$: foreign('ऑस्ट्रेलियाई डॉलर', 'सेंट'),
      C$: foreign('कनाडाई डॉलर', 'सेंट'),
      S$: foreign('सिंगापुर डॉलर', 'सेंट'),
      '€': euro,
      '£': pound,
      '¥': yen,
      AED: dirham,
    },
    CURRENCY_ALIASES,
  ),
  scales: withAliases(
    {
      hundred: 'सौ',
      thousand: 'हज़ार',
      lakh: 'लाख',
      crore: 'करोड़',
      अरब: 'अरब',
      million: 'मिलियन',
      billion: 'बिलियन',
      trillion: 'ट्रिलियन',
    },
    SCALE_ALIASES,
    HINDI_SCALES,
  ),
  units: withAliases(
    {
      km: kilometres,
      m: metres,
      cm: centimetres,
      mm: millimetres,
      kg: kilograms,
      g: grams,
      mg: unit('मिलीग्राम'),
      l: litres,
      ml: unit('मिलीलीटर'),
      ft: unit('फ़ुट'),
      'sq ft': squareFeet,
      'sq m': unit('वर्ग मीटर'),
      'km/h': kilometresPerHour,
      'm/s': unit('मीटर प्रति सेकंड'),
      mph: unit('मील प्रति घंटा'),
      hr: hours,
      min: minutes,
      sec: seconds,
      yr: unit('साल'),
      kb: unit('केबी'),
      mb: unit('एमबी'),
      gb: unit('जीबी'),
      tb: unit('टीबी'),
      w: unit('वाट'),
      v: unit('वोल्ट'),
      mah: unit('एमएएच'),
      mp: unit('मेगापिक्सल'),
      mbps: unit('एमबीपीएस'),
      hz: unit('हर्ट्ज़'),
      khz: unit('किलोहर्ट्ज़'),
      mhz: unit('मेगाहर्ट्ज़'),
      ghz: unit('गीगाहर्ट्ज़'),
      kw: unit('किलोवाट'),
      kwh: unit('किलोवाट घंटा'),
      '°c': unit('डिग्री सेल्सियस'),
      '°f': unit('डिग्री फ़ारेनहाइट'),
      '°': unit('डिग्री'),
    },
    UNIT_ALIASES,
    HINDI_UNITS,
  ),
  each: 'प्रति',
  per: withAliases(
    {
      month: 'माह',
      माह: 'माह',
      महीना: 'महीना',
      year: 'वर्ष',
      वर्ष: 'वर्ष',
      week: 'सप्ताह',
      day: 'दिन',
      दिन: 'दिन',
      night: 'रात',
      रात: 'रात',
      hour: 'घंटा',
      घंटा: 'घंटा',
      minute: 'मिनट',
      मिनट: 'मिनट',
      person: 'व्यक्ति',
      व्यक्ति: 'व्यक्ति',
      kg: 'किलोग्राम',
      किलो: 'किलो',
      km: 'किलोमीटर',
      किमी: 'किलोमीटर',
      'sq ft': 'वर्ग फ़ुट',
    },
    PER_ALIASES,
  ),
  fractions: {
    '1/2': 'आधा',
    '1/3': 'एक तिहाई',
    '2/3': 'दो तिहाई',
    '1/4': 'एक चौथाई',
    '3/4': 'तीन चौथाई',
    '24/7': 'चौबीसों घंटे',
  },
  outOf: (part, whole) => `${whole} में से ${part}`,
  beforeDigits: /(?:ओटीपी|पिन|कोड|नंबर|नम्बर|आईडी|संख्या|otp|pin|code|id|number)[.:#]*(?:\s(?:है|कोड|नंबर|नम्बर))?[.:#]*\s?$/i,
  isYear: (before, after) => /(?:सन|सन्|साल|वर्ष)\s$/.test(before) || /^\s(?:में|से|तक|के बाद)(?![\p{L}\p{M}])/u.test(after),
};
