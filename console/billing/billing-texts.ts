import type { Balance, OwnPlan, Payment } from './billing-records.ts';
import { type Currency, money } from './money.ts';

/** What the billing page says. */

export const day = (at: string): string =>
  new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

export function balanceText({ minutes_left, price_per_minute_paise, currency }: Balance): string {
  const price = `at ${money(price_per_minute_paise, currency)} a minute`;
  return minutes_left === 0 ? `Not a minute is left ${price}.` : `About ${count(minutes_left, 'minute')} ${price}.`;
}

export function planFacts(plan: OwnPlan, currency: Currency): string[] {
  const { monthly_fee_paise, plan_paid_until, next_charge_paise, plan_minutes_total_seconds } = plan;
  const left = Math.floor(plan.plan_minutes_left_seconds / 60);
  return [
    `${money(plan.price_per_minute_paise, currency)} a minute, ${count(plan.concurrency_limit, 'call')} at once.`,
    monthly_fee_paise === 0 ? 'No monthly fee.' : `${money(monthly_fee_paise, currency)} for 30 days.`,
    ...(plan_minutes_total_seconds > 0
      ? [`${left} of ${count(Math.floor(plan_minutes_total_seconds / 60), 'included minute')} left.`]
      : []),
    ...(plan_paid_until && next_charge_paise > 0
      ? [`${money(next_charge_paise, currency)} will be taken on ${day(plan_paid_until)}.`]
      : []),
  ];
}

const WEEK_MS = 7 * 86_400_000;

export function pastDueText(since: string): string {
  const end = day(new Date(Date.parse(since) + WEEK_MS).toISOString());
  return `The fee of your plan could not be taken on ${day(since)}. Add credits: it is tried again every day until ${end}.`;
}

/** A payment's state in a word or two, and why where that is known. */
export function paymentState({ status, failure_reason, refunded_paise, currency }: Payment): string {
  if (status === 'paid') return refunded_paise > 0 ? `paid, ${money(refunded_paise, currency)} refunded` : 'paid';
  if (status === 'created') return 'not paid yet';
  return failure_reason === '' ? status : `${status}: ${failure_reason}`;
}

export const bonusText = ({ code, percent }: { code: string; percent: number }): string =>
  `Your code ${code} adds ${percent} % to the next top-up.`;

/** Why a top-up could not begin, or a payment was refused. Status 0: no response. */
export function topUpError({ status, detail }: { status: number; detail: string }): string {
  if (status === 0) return 'The service cannot be reached. Check your connection and try again.';
  if (status === 401) return 'You were signed out. Sign in again, please.';
  if (status === 403 && detail.startsWith('confirm your email')) {
    return 'Confirm your email address first: follow the link in our email.';
  }
  if (status === 403) return 'Only an owner of the workspace can add credits.';
  return detail === '' ? 'That did not work. Try again in a moment.' : `${detail[0]!.toUpperCase()}${detail.slice(1)}.`;
}

export const paidText = ({ amount_paise, bonus_paise, currency }: Payment): string =>
  bonus_paise === 0
    ? `Thank you: ${money(amount_paise, currency)} of credits were added.`
    : `Thank you: ${money(amount_paise, currency)} of credits and ${money(bonus_paise, currency)} on top were added.`;

export const WAITING_TEXT = 'The money is on its way. Credits are added as soon as the bank confirms it.';
export const NOT_CONFIRMED_TEXT =
  'The payment is not confirmed yet. If money was taken, the credits are added by themselves; this page looks again.';
export const NOT_PAID_TEXT = 'Nothing was paid.';
export const NO_SCRIPT_TEXT =
  'The checkout could not be loaded. A content blocker may be the reason; allow it and try again.';

const count = (many: number, unit: string): string => `${many.toLocaleString('en')} ${unit}${many === 1 ? '' : 's'}`;
