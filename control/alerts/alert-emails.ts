import { FAILING_WINDOW_MS } from './alert-policy.ts';

/** The words of the alerts. */

export interface AlertEmail {
  subject: string;
  text: string;
}

export interface CreditsNow {
  /** As a person reads it. */
  balance: string;
  minutes_left: number;
  /** Minutes of the plan that can still be used. */
  plan_minutes_left: number;
  billing_url: string;
}

const facts = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([label, value]) => `${label}: ${value}`).join('\n');

const planMinutes = ({ plan_minutes_left }: CreditsNow): [string, string][] =>
  plan_minutes_left === 0 ? [] : [['Included minutes left', String(plan_minutes_left)]];

export const creditsLowEmail = (now: CreditsNow): AlertEmail => ({
  subject: 'Your credits are running low',
  text:
    `The credits of the workspace pay for ${minutes(now.minutes_left)} more at the price of your plan. When they` +
    `${now.plan_minutes_left === 0 ? '' : ' and the included minutes'} are used up, running calls end and new ones are refused.\n\n` +
    `${facts([['Balance', now.balance], ['Minutes left', String(now.minutes_left)], ...planMinutes(now)])}\n\n` +
    `Add credits in Billing: ${now.billing_url}`,
});

export const creditsUsedUpEmail = (now: CreditsNow): AlertEmail => ({
  subject: 'Your credits are used up',
  text:
    `${now.plan_minutes_left === 0 ? 'New calls are refused until credits are added.' : 'Calls go on with the included minutes of your plan; after them, new calls are refused until credits are added.'}\n\n` +
    `Balance: ${now.balance}\n${facts(planMinutes(now))}`.trim() +
    `\n\nAdd credits in Billing: ${now.billing_url}`,
});

export interface CallsNow {
  finished: number;
  failed: number;
  /** The most frequent first. */
  reasons: readonly { reason: string; calls: number }[];
  console_url: string;
}

const WINDOW = `${FAILING_WINDOW_MS / 60_000} minutes`;

export const callsFailingEmail = ({ finished, failed, reasons, console_url }: CallsNow): AlertEmail => ({
  subject: 'Calls are failing',
  text:
    `In the last ${WINDOW}, ${failed} of ${calls(finished)} that finished failed. Failed calls are not charged.\n\n` +
    `${reasons.map(({ reason, calls: count }) => `${calls(count)}: ${reason}`).join('\n')}\n\n` +
    `We will write again when it is over. See the calls: ${console_url}`,
});

export const callsWorkEmail = ({ finished, failed }: CallsNow): AlertEmail => ({
  subject: 'Calls are no longer failing',
  text:
    finished === 0
      ? `No call has finished in the last ${WINDOW}, so none has failed. The alert is over.`
      : `In the last ${WINDOW}, ${failed} of ${calls(finished)} that finished failed. The alert is over.`,
});

const minutes = (count: number) => `${count} minute${count === 1 ? '' : 's'}`;
const calls = (count: number) => `${count} call${count === 1 ? '' : 's'}`;
