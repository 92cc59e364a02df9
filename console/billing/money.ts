import { t } from '../texts/texts.ts';

/** Amounts as people write and read them; the API has them in the smallest unit. */

export type Currency = 'INR' | 'USD';

const LOCALES: Record<Currency, string> = { INR: 'en-IN', USD: 'en-US' };

/** The least and the most that a top-up may be, without tax. */
export const TOPUP_LIMITS: Record<Currency, { min_paise: number; max_paise: number }> = {
  INR: { min_paise: 10_000, max_paise: 50_000_000 },
  USD: { min_paise: 500, max_paise: 1_000_000 },
};

/** Returns an amount such as `₹1,18,000` or `$20.50`; in a column, where all are alike, such as `₹1.00`. */
export function money(paise: number, currency: Currency, { column = false } = {}): string {
  const digits = paise % 100 === 0 && !column ? 0 : 2;
  const name = `${currency} ${digits}`;
  let format = formats.get(name);
  if (!format) {
    format = new Intl.NumberFormat(LOCALES[currency], {
      ...{ style: 'currency', currency },
      ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
    });
    formats.set(name, format);
  }
  return format.format(paise / 100);
}

/** To make one costs more than to draw the row of a list. */
const formats = new Map<string, Intl.NumberFormat>();

/** Reads an amount such as `1,000` or `20.50`; null when it is none. */
export function paiseOf(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text.replace(/[\s,₹$]/g, ''));
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null;
}

/** Returns what is wrong with the amount of a top-up; null when it can be bought. */
export function amountError(paise: number | null, currency: Currency): string | null {
  const { min_paise, max_paise } = TOPUP_LIMITS[currency];
  if (paise === null) return t('Enter an amount, like 1,000.');
  if (paise >= min_paise && paise <= max_paise) return null;
  return t('Choose an amount from {{least}} to {{most}}.', {
    least: money(min_paise, currency),
    most: money(max_paise, currency),
  });
}
