import { languageOf } from '../../shared/languages/registry.ts';
import type { NumberScale, SpokenForms } from '../../shared/languages/spoken/spoken-forms.ts';
import {
  type ClockTime,
  CURRENCY_ALIASES,
  type Currency,
  SCALE_ALIASES,
  type SpokenLanguage,
  type Unit,
  withAliases,
  words,
} from './spoken-language.ts';

/** Makes of a language's data what the rules of the spoken form need to know about it. */

const UNIT_KEYS = ['km', 'm', 'cm', 'kg', 'g', 'l', 'ml', 'min', 'h', 's', 'gb', 'mb', '°c'];
const FRACTION_KEYS = ['1/2', '1/3', '2/3', '1/4', '3/4', '24/7'];
const SIGN_KEYS = ['@', '.', '-', '_', '+', '/'];

const split = (list: string) => list.split(',').map((entry) => entry.trim());
const filled = (template: string, values: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '').trim();

/** A list of "written: spoken", or of words that are both. */
function pairs(list: string): Record<string, string> {
  return Object.fromEntries(
    split(list).map((entry) => {
      const [written, said = written] = entry.split(':').map((part) => part.trim());
      return [written!.toLowerCase(), said!];
    }),
  );
}

export function spokenLanguageOf(forms: SpokenForms, code: string): SpokenLanguage {
  const cardinal = createCardinal(forms, code);
  const number = (value: number) => cardinal(String(value));
  const months = split(forms.months);
  const days = forms.days === undefined ? [] : split(forms.days);
  const day = (value: number) => days[value - 1] ?? number(value);
  const clock = createClock(forms, number);

  function year(value: number): string {
    const { year_hundreds: hundreds } = forms;
    if (hundreds === undefined || value < 1100 || value > 1999) return number(value);
    const rest = value % 100;
    return `${number(Math.floor(value / 100))}${hundreds}${rest === 0 ? '' : number(rest)}`.trim();
  }

  function date(dayOfMonth: number, month: number, inYear: number | null, through: number | null): string {
    const said = day(dayOfMonth);
    const both = through === null ? said : filled(forms.range, { from: said, to: day(through) });
    const values = { day: both, month: months[month - 1]!, year: inYear === null ? '' : year(inYear) };
    return filled(inYear === null ? forms.date_without_year : forms.date, values);
  }

  return {
    range: (from, to) => filled(forms.range, { from, to }),
    ...{ minus: forms.minus, plus: forms.plus, point: forms.point, percent: forms.percent, number: forms.number },
    ...{ about: forms.about, and: forms.and, each: forms.each },
    signs: keyed(SIGN_KEYS, split(forms.signs)),
    cardinal,
    ...(forms.before_noun ? { beforeNoun: createBeforeNoun(forms.before_noun) } : {}),
    digits: (digits) => Array.from(digits, (digit) => cardinal(digit)).join(' '),
    ordinal: number,
    year,
    date: (dayOfMonth, month, inYear, _monthFirst, through) => date(dayOfMonth, month, inYear, through),
    monthAndYear: (month, inYear) => filled(forms.month_and_year, { month: months[month - 1]!, year: year(inYear) }),
    time: (at, before) => clock(at, before),
    timeRange: (from, to, before) => filled(forms.time.range, { from: clock(from, before), to: clock(to, '') }),
    halves: () => null,
    currencies: withAliases(currenciesOf(forms), CURRENCY_ALIASES),
    scales: withAliases(pairs(forms.written_scales), SCALE_ALIASES),
    units: keyed(UNIT_KEYS, split(forms.units).map(unitOf)),
    per: pairs(forms.per),
    fractions: keyed(FRACTION_KEYS, split(forms.fractions)),
    outOf: (part, whole) => filled(forms.out_of, { part, whole }),
    beforeDigits: new RegExp(`(?:^|[^\\p{L}\\p{M}])(?:${split(forms.before_digits).join('|')})[.:#]*\\s?$`, 'iu'),
    isYear: createIsYear(forms),
  };
}

function keyed<Entry>(keys: readonly string[], entries: readonly Entry[]): Record<string, Entry> {
  return Object.fromEntries(keys.flatMap((key, at) => (entries[at] === undefined ? [] : [[key, entries[at]]])));
}

function unitOf(names: string): Unit {
  const [one, many = one] = names.split('/');
  return { one: one!, many: many! };
}

function currenciesOf(forms: SpokenForms): Record<string, Currency> {
  return Object.fromEntries(
    Object.entries(forms.currencies).map(([sign, names]) => {
      const [one, many, smallOne, smallMany] = split(names);
      const currency: Currency = {
        ...{ one: one!, many: many!, smallOne: smallOne!, smallMany: smallMany! },
        counting: forms.counting,
        hundredthsJoint: forms.hundredths_joint,
        ...(forms.bare_hundredths ? { bareHundredths: true } : {}),
      };
      return [sign, currency];
    }),
  );
}

/** Replaces the ending of a number before a noun. */
function createBeforeNoun(endings: Readonly<Record<string, string>>): (said: string) => string {
  const entries = Object.entries(endings).map(([ending, other]) => [ending.normalize('NFC'), other] as const);
  return (said) => {
    const found = entries.find(([ending]) => said.endsWith(ending));
    return found ? said.slice(0, -found[0].length) + found[1] : said;
  };
}

function createCardinal(forms: SpokenForms, code: string): (digits: string) => string {
  const { dictation } = languageOf(code)!;
  const small = [
    ...dictation.digits.map((names) => split(names)[0]!),
    ...split(dictation.two_digits).map((names) => names.split('/')[0]!),
  ];
  const hundreds = split(forms.hundreds);
  const hundredsBefore = split(forms.hundreds_before ?? forms.hundreds);
  const beforeNoun = createBeforeNoun(forms.before_noun ?? {});
  const { scales, hundreds_joint = ' ', scale_joint = ' ' } = forms;

  function belowThousand(value: number): string {
    const rest = value % 100;
    if (value < 100) return small[value]!;
    const at = Math.floor(value / 100) - 1;
    return rest === 0 ? hundreds[at]! : hundredsBefore[at]! + hundreds_joint + small[rest]!;
  }

  function scaled(count: string, scale: NumberScale, more: boolean): string {
    const value = Number(count);
    if (value === 1) return (more ? scale.one_before : undefined) ?? scale.one;
    if (value === 2 && scale.two !== undefined) return scale.two;
    const few = value >= 3 && value <= 10 ? scale.few : undefined;
    return beforeNoun(cardinal(count)) + (few ?? (more ? scale.many_before : undefined) ?? scale.many);
  }

  function joint(rest: string): string {
    if (!forms.scale_joint_before_round) return scale_joint;
    const value = Number(rest);
    return value <= 100 || (value < 1_000 && value % 100 === 0) ? scale_joint : ' ';
  }

  /** Below 10^15; longer ones are counted in the largest scale. */
  function cardinal(digits: string): string {
    const significant = digits.replace(/^0+/, '');
    if (significant.length <= 3) return belowThousand(Number(significant));
    const scale = scales.find(({ zeros }) => significant.length > zeros)!;
    const rest = significant.slice(-scale.zeros).replace(/^0+/, '');
    const count = scaled(significant.slice(0, -scale.zeros), scale, rest !== '');
    return rest === '' ? count : count + joint(rest) + cardinal(rest);
  }

  return cardinal;
}

function createClock(forms: SpokenForms, number: (value: number) => string): (at: ClockTime, before: string) => string {
  const { time } = forms;
  const hours = time.hours === undefined ? [] : split(time.hours);
  const parts = time.parts === undefined ? [] : split(time.parts);
  const beforeNoun = createBeforeNoun(forms.before_noun ?? {});

  function hourName(of24: number): string {
    if (time.clock === 24) return hours[of24] ?? beforeNoun(number(of24));
    return hours[of24 % 12] ?? number(of24 % 12 === 0 ? 12 : of24 % 12);
  }

  function partOfDay({ hour, half }: ClockTime, of24: number, before: string): string {
    const open = half === null && hour !== 0 && hour < 13;
    const [night, morning, noon, evening, late] = parts;
    if (night === undefined || open || parts.some((part) => before.trimEnd().endsWith(part))) return '';
    if (of24 < 4) return of24 === 0 ? late! : night;
    return (of24 < 12 ? morning : of24 < 16 ? noon : of24 < 20 ? evening : late)!;
  }

  return (at, before) => {
    const of24 = at.half === null ? at.hour : (at.hour % 12) + (at.half === 'p' ? 12 : 0);
    const hour = hourName(of24);
    const halfPast = at.minute === 30 ? (halfOf(of24 % 12) ?? time.half) : undefined;
    const template = at.minute === 0 ? time.whole : (halfPast ?? time.minutes);
    const said = filled(template, { hour, minute: number(at.minute) });
    const part = partOfDay(at, of24, before);
    return time.part_after ? words(said, part) : words(part, said);
  };

  function halfOf(hour: number): string | undefined {
    return hour === 1 ? time.half_one : hour === 2 ? time.half_two : undefined;
  }
}

function createIsYear(forms: SpokenForms): (before: string, after: string) => boolean {
  const before = new RegExp(`(?:^|[^\\p{L}\\p{M}])(?:${split(forms.before_year).join('|')})\\s$`, 'iu');
  const after =
    forms.after_year === undefined
      ? null
      : new RegExp(`^\\s?(?:${split(forms.after_year).join('|')})(?![\\p{L}\\p{M}])`, 'iu');
  return (textBefore, textAfter) => before.test(textBefore) || (after?.test(textAfter) ?? false);
}
