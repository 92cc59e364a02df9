import type { Currency } from './rates.ts';

const FORMATS = {
  INR: new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' }),
  USD: new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }),
};

/** An amount as a person reads it: `₹1,18,000.00`, `$20.00`. */
export const moneyText = (paise: number, currency: Currency): string => FORMATS[currency].format(paise / 100);
