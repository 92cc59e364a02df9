import type { Transaction } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';
import { issueInvoice } from './invoices/issue-invoice.ts';
import { spendCredits } from './ledger.ts';
import type { Currency } from './rates.ts';
import type { RenewalKind } from './renewals/renewals.ts';

/** A fee of 30 days, or of what is left of them. */
export interface Fee {
  workspace_id: string;
  kind: RenewalKind;
  /** In the workspace's smallest unit; 0: nothing is charged. */
  amount_paise: number;
  /** What it was taken in; left out: what the workspace pays in now. */
  currency?: Currency | undefined;
  /** In the ledger and on the invoice. */
  description: string;
  /** The name of who bought it; empty: the service. */
  by_name: string;
  /** Idempotency key in the ledger: the same fee is taken once. */
  key: string;
  at_ms: number;
}

/**
 * Takes a fee from the credits, with its invoice: the last thing of a transaction, because the number of an invoice is waited for.
 * False, and nothing is written, when the credits do not cover it.
 */
export async function takeFee(tx: Transaction, fee: Fee): Promise<boolean> {
  const taken = await spendFee(tx, fee);
  if (taken) await invoiceFee(tx, fee);
  return taken;
}

/** Takes a fee, of which `invoiceFee` makes the invoice later in the transaction. False when the credits do not cover it. */
export async function spendFee(tx: Transaction, { amount_paise, description, ...fee }: Fee): Promise<boolean> {
  if (amount_paise === 0) return true;
  const row = await spendCredits(tx, { ...fee, amount_paise: -amount_paise, note: description });
  return row !== null;
}

/** The ledger's words begin small, as all its notes do; those of an invoice as a sentence does. */
export async function invoiceFee(tx: Transaction, { by_name: _, ...fee }: Fee): Promise<void> {
  const description = fee.description.charAt(0).toUpperCase() + fee.description.slice(1);
  if (fee.amount_paise > 0) await issueInvoice(tx, { ...fee, description, paid_from: 'credits' });
}

/** The 402 of a purchase: `not enough credits: plan Growth costs 2999.00 INR`. */
export function notEnoughCredits(what: string, amountPaise: number, currency: Currency): HttpError {
  return new HttpError(402, `not enough credits: ${what} costs ${(amountPaise / 100).toFixed(2)} ${currency}`);
}
