import type { Currency } from './rates.ts';

const LOCALES = { INR: 'en-IN', USD: 'en-US' };
/** Made when first needed: the platform's data take a hundredth of a second. */
const formats: Partial<Record<Currency, Intl.NumberFormat>> = {};

/** An amount as a person reads it: `₹1,18,000.00`, `$20.00`. */
export function moneyText(paise: number, currency: Currency): string {
  formats[currency] ??= new Intl.NumberFormat(LOCALES[currency], { style: 'currency', currency });
  return formats[currency].format(paise / 100);
}
