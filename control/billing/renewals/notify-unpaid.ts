import type { Transaction } from '../../db/connect.ts';
import { notifyWorkspace } from '../../workspaces/notify-workspace.ts';
import { moneyText } from '../money-text.ts';
import type { Currency } from '../rates.ts';
import type { DueRenewal } from './renew.ts';
import { lastAttempt } from './renewal-policy.ts';

/** What could not be renewed, in the words of the e-mail. */
export interface UnpaidFee {
  subject: string;
  /** Whose fee it is: `the plan Growth`. */
  of: string;
  amount_paise: number;
  currency: Currency;
  /** A sentence about the days until it is paid. */
  meanwhile?: string;
  /** What happens after the last attempt: `the lines are removed`. */
  ending: string;
}

/** Queues the e-mail about a fee that the credits did not cover, with where to add some and until when it is tried again. */
export async function notifyUnpaid(tx: Transaction, due: DueRenewal, fee: UnpaidFee): Promise<void> {
  const { workspace_id, at_ms, billing_url } = due;
  const { subject, of, amount_paise, currency, meanwhile, ending } = fee;
  await notifyWorkspace(tx, {
    ...{ workspace_id, at_ms, subject },
    text: (timeText) =>
      `The fee of ${of}, ${moneyText(amount_paise, currency)} for 30 days, could not be taken: the credits do not cover it.` +
      `${meanwhile ? ` ${meanwhile}` : ''}\n\nPlease add credits in Billing: ${billing_url}\n\n` +
      `We try again every day until ${timeText(lastAttempt(due))}; if it is not paid by then, ${ending}.`,
  });
}
