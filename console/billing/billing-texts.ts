import type { Failure } from '../data/failure.ts';
import { sentence } from '../data/field-errors.ts';
import type { Balance, CallLines, OwnPlan, Payment, Plan } from '../generated/api.ts';
import { locale, t, tn } from '../texts/texts.ts';
import { type Currency, money } from './money.ts';

/** What the pages of Billing say. */

export const day = (at: string): string =>
  new Date(at).toLocaleDateString(locale(), { day: 'numeric', month: 'short', year: 'numeric' });

export function balanceText({ minutes_left, price_per_minute_paise, currency }: Balance): string {
  const price = money(price_per_minute_paise, currency);
  return minutes_left === 0
    ? t('Not a minute is left at {{price}} a minute.', { price })
    : tn(
        'About {{count}} minute at {{price}} a minute.',
        'About {{count}} minutes at {{price}} a minute.',
        minutes_left,
        {
          price,
        },
      );
}

const feeText = ({ monthly_fee_paise, currency }: Plan): string =>
  monthly_fee_paise === 0
    ? t('No monthly fee.')
    : t('{{fee}} for 30 days.', { fee: money(monthly_fee_paise, currency) });

const perMinuteText = ({ price_per_minute_paise, concurrency_limit, currency }: Plan): string =>
  tn('{{price}} a minute, {{count}} call at once.', '{{price}} a minute, {{count}} calls at once.', concurrency_limit, {
    price: money(price_per_minute_paise, currency),
  });

/** What the workspace's own plan costs, and what is left of it. */
export function planFacts(plan: OwnPlan): string[] {
  const { plan_paid_until, next_charge_paise, plan_minutes_total_seconds, plan_minutes_left_seconds, currency } = plan;
  return [
    perMinuteText(plan),
    feeText(plan),
    ...(plan_minutes_total_seconds > 0
      ? [
          tn(
            '{{left}} of {{count}} included minute left.',
            '{{left}} of {{count}} included minutes left.',
            Math.floor(plan_minutes_total_seconds / 60),
            { left: Math.floor(plan_minutes_left_seconds / 60) },
          ),
        ]
      : []),
    ...(plan_paid_until && next_charge_paise > 0
      ? [
          t('{{amount}} will be taken on {{day}}.', {
            amount: money(next_charge_paise, currency),
            day: day(plan_paid_until),
          }),
        ]
      : []),
  ];
}

/** What a plan that can be chosen has. */
export function planOffers(plan: Plan): string[] {
  const { included_minutes, included_numbers, member_limit, browser_price_per_minute_paise, currency } = plan;
  return [
    perMinuteText(plan),
    ...(browser_price_per_minute_paise === null
      ? []
      : [t('{{price}} a minute in the browser.', { price: money(browser_price_per_minute_paise, currency) })]),
    ...(included_minutes > 0
      ? [tn('{{count}} included minute.', '{{count}} included minutes.', included_minutes)]
      : []),
    ...(included_numbers > 0
      ? [tn('{{count}} phone number without a fee.', '{{count}} phone numbers without a fee.', included_numbers)]
      : []),
    ...(plan.includes_caller_verification ? [t('A verified caller id without a fee.')] : []),
    member_limit === null
      ? t('Any number of members.')
      : tn('{{count}} member.', 'Up to {{count}} members.', member_limit),
  ];
}

/** What a switch to this plan takes, and what becomes of the present one. */
export function switchTexts({ name, monthly_fee_paise, included_minutes, currency }: Plan, present: string): string[] {
  return [
    monthly_fee_paise === 0
      ? t('{{name}} has no monthly fee. It holds at once.', { name })
      : t('{{fee}} are taken from your credits now, and again every 30 days. {{name}} holds at once.', {
          fee: money(monthly_fee_paise, currency),
          name,
        }),
    ...(included_minutes > 0
      ? [tn('Its {{count}} included minute begins now.', 'Its {{count}} included minutes begin now.', included_minutes)]
      : []),
    t('What you paid for {{name}} is not given back.', { name: present }),
  ];
}

/** What the extra lines cost. */
export function linesFacts({
  extra_lines,
  lines_paid_until,
  next_charge_paise,
  currency,
  ...lines
}: CallLines): string[] {
  return [
    tn('{{count}} call at once in all.', '{{count}} calls at once in all.', lines.concurrency_limit),
    t('A line costs {{price}} for 30 days.', { price: money(lines.price_per_line_paise, currency) }),
    ...(extra_lines > 0 && lines_paid_until
      ? [
          t('{{amount}} will be taken on {{day}}.', {
            amount: money(next_charge_paise, currency),
            day: day(lines_paid_until),
          }),
        ]
      : []),
  ];
}

const DAY_MS = 86_400_000;
const CYCLE_DAYS = 30;

/** What so many more lines cost now: for the days that are left of the cycle, or 30. */
export function linesPricePaise(
  { price_per_line_paise, lines_paid_until }: Pick<CallLines, 'price_per_line_paise' | 'lines_paid_until'>,
  quantity: number,
  nowMs: number,
): number {
  const left = lines_paid_until ? Math.ceil((Date.parse(lines_paid_until) - nowMs) / DAY_MS) : CYCLE_DAYS;
  return Math.ceil((quantity * price_per_line_paise * Math.max(left, 0)) / CYCLE_DAYS);
}

const WEEK_MS = 7 * DAY_MS;

export function pastDueText(since: string): string {
  const end = day(new Date(Date.parse(since) + WEEK_MS).toISOString());
  return t(
    'The fee of your plan could not be taken on {{day}}. Add credits: it is tried again every day until {{end}}.',
    { day: day(since), end },
  );
}

/** A payment's state in a word or two, and why where that is known. */
export function paymentState({ status, failure_reason, refunded_paise, currency }: Payment): string {
  switch (status) {
    case 'paid':
      return refunded_paise > 0
        ? t('Paid, {{amount}} refunded', { amount: money(refunded_paise, currency) })
        : t('Paid');
    case 'created':
      return t('Not paid yet');
    case 'failed':
      return failure_reason === '' ? t('Failed') : t('Failed: {{reason}}', { reason: failure_reason });
    default:
      return failure_reason === '' ? t('Expired') : t('Expired: {{reason}}', { reason: failure_reason });
  }
}

export const bonusText = ({ code, percent }: { code: string; percent: number }): string =>
  t('Your code {{code}} adds {{percent}} % to the next top-up.', { code, percent });

/** Why a top-up could not begin, or a payment was refused. */
export function topUpError({ status, detail }: Failure): string {
  if (status === 0) return t('The service cannot be reached. Check your connection and try again.');
  if (status === 401) return t('You were signed out. Sign in again, please.');
  if (status === 403 && detail.startsWith('confirm your email')) {
    return t('Confirm your email address first: follow the link in our email.');
  }
  if (status === 403) return t('Only an owner of the workspace can add credits.');
  return detail === '' ? t('That did not work. Try again in a moment.') : sentence(detail);
}

export const paidText = ({ amount_paise, bonus_paise, currency }: Payment): string =>
  bonus_paise === 0
    ? t('Thank you: {{amount}} of credits were added.', { amount: money(amount_paise, currency) })
    : t('Thank you: {{amount}} of credits and {{bonus}} on top were added.', {
        amount: money(amount_paise, currency),
        bonus: money(bonus_paise, currency),
      });

export const waitingText = () => t('The money is on its way. Credits are added as soon as the bank confirms it.');
export const notConfirmedText = () =>
  t(
    'The payment is not confirmed yet. If money was taken, the credits are added by themselves; this page looks again.',
  );
export const notPaidText = () => t('Nothing was paid.');
export const noScriptText = () =>
  t('The checkout could not be loaded. A content blocker may be the reason; allow it and try again.');

export const creditText = (amountPaise: number, currency: Currency): string =>
  t('{{amount}} of credits were added.', { amount: money(amountPaise, currency) });
