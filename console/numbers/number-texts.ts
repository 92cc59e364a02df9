import { type Currency, money } from '../billing/money.ts';
import type { AvailableNumber, CallerIdRequest, PhoneNumber } from '../generated/api.ts';
import { language, locale, t } from '../texts/texts.ts';

/** What phone numbers and caller ids are called and how they stand, for people. */

export interface Standing {
  text: string;
  tone: 'good' | 'bad' | 'live' | 'quiet';
}

export function typeText(type: PhoneNumber['type']): string {
  if (type === 'local') return t('Local');
  if (type === 'mobile') return t('Mobile');
  if (type === 'toll_free') return t('Toll-free');
  return type === 'series_140' ? t('Series 140, for promotions') : t('Series 160, for banks');
}

/** The name of a country in the person's language; empty for numbers of no country. */
export function countryText(code: string): string {
  if (code === '') return '';
  return new Intl.DisplayNames([language()], { type: 'region' }).of(code) ?? code;
}

/** Carriers are written as they write themselves. */
export const carrierText = (provider: string): string => `${provider.slice(0, 1).toUpperCase()}${provider.slice(1)}`;

/** Local, India, Twilio. */
export const numberFacts = ({ type, country, provider }: Pick<PhoneNumber, 'type' | 'country' | 'provider'>): string =>
  [typeText(type), countryText(country), carrierText(provider)].filter(Boolean).join(' · ');

export function numberStanding({ status }: Pick<PhoneNumber, 'status'>): Standing {
  if (status === 'active') return { text: t('Active'), tone: 'good' };
  if (status === 'past_due') return { text: t('Not paid'), tone: 'bad' };
  return { text: t('Released'), tone: 'quiet' };
}

/** What a number costs for 30 days. */
export function feeText({ included, monthly_fee_paise, currency }: PhoneNumber): string {
  if (included) return t('included in the plan');
  if (monthly_fee_paise === 0) return t('free of charge');
  return t('{{fee}} for 30 days', { fee: money(monthly_fee_paise, currency as Currency) });
}

/** What is taken when the number is bought. */
export const firstFee = ({ monthly_fee_paise, setup_fee_paise, currency }: AvailableNumber): string =>
  money(monthly_fee_paise + setup_fee_paise, currency as Currency);

/** Returns such as `28 Dec 2026`. */
export const dateText = (at: string): string =>
  new Date(at).toLocaleDateString(locale(), { day: 'numeric', month: 'short', year: 'numeric' });

export function callerIdStanding(status: CallerIdRequest['status']): Standing {
  if (status === 'submitted') return { text: t('Submitted'), tone: 'live' };
  if (status === 'in_review') return { text: t('In review'), tone: 'live' };
  if (status === 'active') return { text: t('Active'), tone: 'good' };
  if (status === 'rejected') return { text: t('Rejected'), tone: 'bad' };
  return status === 'withdrawn' ? { text: t('Withdrawn'), tone: 'quiet' } : { text: t('Removed'), tone: 'quiet' };
}

/** Requests that hold their numbers: a number can be in one of them only. */
export const isOpenRequest = ({ status }: Pick<CallerIdRequest, 'status'>): boolean =>
  status === 'submitted' || status === 'in_review' || status === 'active';

/** What a shown caller id costs, and until when that is paid. */
export function callerIdFee({ status, fee_paise, currency, paid_until }: CallerIdRequest): string {
  if (fee_paise === 0) return t('included in the plan');
  const fee = money(fee_paise, currency as Currency);
  if (paid_until !== null) return t('{{fee}} for 30 days, paid until {{date}}', { fee, date: dateText(paid_until) });
  return status === 'active'
    ? t('{{fee}} for 30 days', { fee })
    : t('{{fee}} for 30 days from the approval on', { fee });
}

export const MAX_LOGO_BYTES = 1024 * 1024;

/** Returns what is wrong with a logo before it is sent; empty when nothing is. */
export function logoError({ type, size }: { type: string; size: number }): string {
  if (type !== 'image/png' && type !== 'image/jpeg') return t('Choose a PNG or JPG file.');
  if (size > MAX_LOGO_BYTES) return t('The file is larger than 1 MB.');
  return '';
}
