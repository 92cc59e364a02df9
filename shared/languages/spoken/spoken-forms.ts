/** Words of a language for what is written as a sign. */
export interface SpokenWords {
  minus: string;
  plus: string;
  point: string;
  percent: string;
  number: string;
  about: string;
  and: string;
}

/**
 * How a language speaks what is written in digits: numbers, money, dates, times and measures. Data for `media/reply/`, which
 * applies it; English and Hindi have rules of their own there. In templates `{from}`, `{day}` … are replaced. Lists are strings
 * with commas between; the names of 0 to 99 are those in the language's own file.
 */
export interface SpokenForms extends SpokenWords {
  /** The written decimal sign; the other one groups thousands. */
  decimal: '.' | ',';
  /** Lakh and crore, or thousand and million. */
  counting: 'indian' | 'western';
  /** 100 to 900, alone; and where more follows, if that differs. */
  hundreds: string;
  hundreds_before?: string;
  /** Between hundreds and what follows, and between a scale and what follows; a space if left out. */
  hundreds_joint?: string;
  scale_joint?: string;
  /** The joint of scales stands only before hundreds alone and what is below: "mil e cem", but "mil cento e um". */
  scale_joint_before_round?: true;
  /** From the largest down. */
  scales: readonly NumberScale[];
  /** Endings of a number before a noun: `uno` becomes `un`. */
  before_noun?: Readonly<Record<string, string>>;
  /** Of a year from 1100 to 1999, after the century: "neunzehnhundert…". Left out: years are spoken like numbers. */
  year_hundreds?: string;
  range: string;
  out_of: string;
  /** Names of `@ . - _ + /`. */
  signs: string;
  months: string;
  /** Days of the month, where they are no plain numbers. */
  days?: string;
  date: string;
  date_without_year: string;
  month_and_year: string;
  time: SpokenTime;
  /** By sign: name of one, of many, of one hundredth, of many. */
  currencies: Readonly<Record<string, string>>;
  /** Between the units and the hundredths. */
  hundredths_joint: string;
  /** Whether hundredths are said without their name: "trois euros cinquante". */
  bare_hundredths?: true;
  /** Names of `km m cm kg g l ml min h s gb mb °c`, with `/` between one and many. */
  units: string;
  /** Written scales and how they are said: "k: mil". */
  written_scales: string;
  /** After a slash: "/mes". */
  per: string;
  each: string;
  /** Names of 1/2, 1/3, 2/3, 1/4, 3/4 and 24/7. */
  fractions: string;
  /** Words before a number whose digits are spoken one by one. */
  before_digits: string;
  /** Words before, or after, a number of four digits that make it a year. */
  before_year: string;
  after_year?: string;
}

export interface NumberScale {
  /** Power of ten. */
  zeros: number;
  /** "mil", "un millón". */
  one: string;
  /** Where a language has a dual, and a plural for three to ten. */
  two?: string;
  few?: string;
  /** After its number; it begins with a space where one is spoken. */
  many: string;
  /** The same where more follows. */
  one_before?: string;
  many_before?: string;
}

export interface SpokenTime {
  clock: 12 | 24;
  /** Hours by their number (12 or 24 of them, beginning with 0), where they are no plain numbers. */
  hours?: string;
  whole: string;
  minutes: string;
  /** Half past, where it has a form of its own. */
  half?: string;
  /** Half past one and two, where they have words of their own. */
  half_one?: string;
  half_two?: string;
  /** Parts of the day for a clock of 12: night and early morning, morning, noon, evening, late evening. */
  parts?: string;
  /** Where the part of the day stands: before the hour, or after it. */
  part_after?: true;
  range: string;
}
