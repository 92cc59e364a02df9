import type { Transaction } from '../../db/connect.ts';
import { lockWorkspace } from '../../workspaces/lock-workspace.ts';
import { invoiceFee, spendFee } from '../take-fee.ts';
import { afterFailure, afterPayment } from './renewal-policy.ts';
import {
  lockRenewal,
  type Renewal,
  type RenewalKey,
  type RenewalKind,
  stopRenewal,
  updateRenewal,
} from './renewals.ts';

/** An attempt to take a fee. */
export interface Attempt {
  at_ms: number;
  /** Where credits are added, for e-mails. */
  billing_url: string;
}

/** A renewal that is due, with its attempt. */
export interface DueRenewal extends Renewal, Attempt {}

/** A kind of what is paid every 30 days. Everything it does joins the transaction of the attempt, under the workspace's lock. */
export interface RenewalSubject {
  kind: RenewalKind;
  /**
   * Returns the fee of the next 30 days, in the workspace's smallest unit, with what the ledger and the invoice say; 0: nothing
   * is charged, and the cycle goes on. Null: there is nothing to renew any more.
   */
  nextCharge(tx: Transaction, due: DueRenewal): Promise<{ amount_paise: number; description: string } | null>;
  /** The fee is taken: the cycle that begins at `due.cycle_end` ends at `cycleEnd`. */
  paid(tx: Transaction, due: DueRenewal, cycleEnd: Date, amountPaise: number): Promise<void>;
  /** The fee could not be taken, for the first time; it is tried again every day. */
  pastDue(tx: Transaction, due: DueRenewal): Promise<void>;
  /** The fee was not taken for 7 days, or the workspace is closed: ends what it paid for. Its renewal is stopped already. */
  lapsed(tx: Transaction, due: DueRenewal): Promise<void>;
}

export type RenewalOutcome = 'paid' | 'past due' | 'lapsed' | 'stopped';

/**
 * Attempts to take the fee of a locked renewal that is due, one cycle, and does what follows. The same cycle is never charged
 * twice: its end is in the ledger's key. A closed workspace is charged nothing, and what it had ends.
 */
export async function renew(
  tx: Transaction,
  subject: RenewalSubject,
  renewal: Renewal,
  { closed, ...attempt }: Attempt & { closed: boolean },
): Promise<RenewalOutcome> {
  const { at_ms } = attempt;
  const due = { ...renewal, ...attempt };
  const charge = await subject.nextCharge(tx, due);
  if (!charge) {
    await stopRenewal(tx, renewal);
    return 'stopped';
  }
  const { workspace_id, kind } = renewal;
  const fee = { workspace_id, kind, ...charge, by_name: '', key: feeKey(renewal, renewal.cycle_end), at_ms };
  if (!closed && (await spendFee(tx, fee))) {
    const next = afterPayment(renewal);
    await updateRenewal(tx, { ...renewal, ...next });
    await subject.paid(tx, due, next.cycle_end, charge.amount_paise);
    await invoiceFee(tx, fee);
    return 'paid';
  }
  const next = closed ? null : afterFailure(renewal, at_ms);
  if (!next) {
    await stopRenewal(tx, renewal);
    await subject.lapsed(tx, due);
    return 'lapsed';
  }
  await updateRenewal(tx, { ...renewal, ...next });
  if (renewal.past_due_since === null) await subject.pastDue(tx, { ...due, ...next });
  return 'past due';
}

/** The ledger's key of the cycle that begins then, the first one included. */
export const feeKey = ({ kind, subject_id }: Omit<RenewalKey, 'workspace_id'>, begin: Date): string =>
  `${kind}:${subject_id}:${begin.toISOString()}`;

/** Attempts a leased renewal; null when it was changed since, or taken over by another process. */
export async function renewLeased(
  tx: Transaction,
  subjects: ReadonlyMap<RenewalKind, RenewalSubject>,
  leased: Renewal,
  attempt: Attempt,
): Promise<RenewalOutcome | null> {
  const workspace = await lockWorkspace(tx, leased.workspace_id);
  const renewal = await lockRenewal(tx, leased);
  if (!workspace || renewal?.next_attempt_at.getTime() !== leased.next_attempt_at.getTime()) return null;
  const subject = subjects.get(renewal.kind);
  if (!subject) throw new Error(`nothing renews ${renewal.kind}`);
  return renew(tx, subject, renewal, { ...attempt, closed: workspace.state === 'closed' });
}
