import { writeAudit } from '../audit/write-audit.ts';
import { creditNote } from '../billing/invoices/issue-invoice.ts';
import { returnCharge, takeBackCredits } from '../billing/ledger.ts';
import type { Transaction } from '../db/connect.ts';
import { converter } from './credit-payment.ts';
import type { GatewayName, Reversal } from './gateway.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { lockByGatewayPayment, type PaymentRow, type ReversalRow, reversalsOf, saveReversal } from './store.ts';

/** A state is never left for an earlier one, in whatever order the reports arrive. */
const RANK = { taken: 0, final: 1, returned: 2 } as const;

const WORDS = {
  refund: { taken: 'refunding', final: 'refunded', returned: 'refund_failed' },
  dispute: { taken: 'disputed', final: 'dispute_lost', returned: 'dispute_won' },
} as const;

/**
 * Writes down money that goes back to who paid: credits and bonus are taken back in proportion as soon as it leaves, a credit note is
 * issued once it is final, and both credits return with the money. Reported any number of times, in any order, it moves credits once.
 *
 * @returns `unknown` when the payment is not one that was credited here.
 */
export async function applyReversal(
  { sql, clock, log, writeLog }: PaymentDeps,
  gateway: GatewayName,
  reversal: Reversal,
): Promise<'applied' | 'unknown'> {
  return sql.begin(async (tx) => {
    const row = await lockByGatewayPayment(tx, gateway, reversal.gateway_payment_id);
    if (!row) return 'unknown';
    const all = await reversalsOf(tx, row);
    const before = all.find(({ gateway_id }) => gateway_id === reversal.id);
    if (before && RANK[before.status] >= RANK[reversal.status]) return 'applied';
    const { workspace_id, id: payment_id } = row;
    const facts = { payment_id, gateway, reversal_id: reversal.id, status: reversal.status };
    if (reversal.currency !== row.currency || reversal.amount_paise <= 0) {
      log.error(
        { ...facts, currency: reversal.currency },
        'a refund in another currency than its payment is not applied',
      );
      return 'applied';
    }
    const atMs = clock.wall();
    const next = await move(tx, row, { all, before, reversal, atMs });
    if (reversal.status === 'final') next.credit_note_id = await noteOf(tx, row, reversal, atMs);
    await saveReversal(tx, next);
    const action = WORDS[reversal.kind][reversal.status];
    await writeAudit(tx, {
      ...{ workspace_id, actor: { kind: 'service', id: gateway, name: gateway }, action: `payment.${action}` },
      target: { kind: 'payment', id: payment_id, name: '' },
      data: { reversal_id: reversal.id, amount_paise: reversal.amount_paise, currency: reversal.currency },
      at_ms: atMs,
    });
    const message = `payment ${action.replace('_', ' ')}`;
    writeLog({ workspace_id, level: 'warning', message, data: { payment_id, amount_paise: reversal.amount_paise } });
    return 'applied';
  });
}

interface Move {
  /** All of the payment. */
  all: readonly ReversalRow[];
  /** What is written of this one. */
  before: ReversalRow | undefined;
  reversal: Reversal;
  atMs: number;
}

/** Takes the credits back, or gives them back. Returns the row to write. */
async function move(tx: Transaction, row: PaymentRow, { all, before, reversal, atMs }: Move): Promise<ReversalRow> {
  const { workspace_id, id: payment_id, gateway } = row;
  const { id: gateway_id, kind, status, amount_paise } = reversal;
  const now = new Date(atMs);
  const key = `reversal:${gateway_id}`;
  const words = kind === 'refund' ? 'refund' : 'disputed payment';
  if (before) {
    if (status === 'returned') await returnCharge(tx, { workspace_id, key, note: `${words} returned`, at_ms: atMs });
    return { ...before, status, updated_at: now };
  }
  const next: ReversalRow = {
    ...{ gateway, gateway_id, workspace_id, payment_id, kind, status, amount_paise },
    ...{ credits_paise: 0, bonus_paise: 0, credit_note_id: null, created_at: now, updated_at: now },
  };
  if (status === 'returned') return next;
  const active = all.filter((each) => each.status !== 'returned');
  const sum = (of: 'amount_paise' | 'credits_paise' | 'bonus_paise') =>
    active.reduce((total, each) => total + each[of], 0);
  // In proportion to all that went back, so that several parts of it add up to the whole.
  const gone = Math.min(sum('amount_paise') + amount_paise, row.total_paise);
  const share = (paise: number) => Number((BigInt(paise) * BigInt(gone)) / BigInt(row.total_paise));
  next.credits_paise = share(row.amount_paise) - sum('credits_paise');
  next.bonus_paise = share(row.bonus_paise + row.coupon_bonus_paise) - sum('bonus_paise');
  const inWallet = await converter(tx, row);
  const free_paise = inWallet(next.bonus_paise);
  const taken = inWallet(next.credits_paise) + free_paise;
  if (taken > 0) {
    const entry = { workspace_id, kind: 'adjustment' as const, amount_paise: -taken, payment_id, by_name: '', key };
    await takeBackCredits(tx, { ...entry, note: words, at_ms: atMs, free_paise });
  }
  return next;
}

/** The credit note of money that has gone back for good; null where nothing of the invoice is left. */
async function noteOf(tx: Transaction, row: PaymentRow, reversal: Reversal, atMs: number): Promise<string | null> {
  const { workspace_id, invoice_id } = row;
  if (!invoice_id) return null;
  const note = await creditNote(tx, {
    ...{ workspace_id, invoice_id, total_paise: reversal.amount_paise, at_ms: atMs },
    ...{ reason: reversal.kind === 'refund' ? 'Refund' : 'Disputed payment', key: `reversal:${reversal.id}` },
  });
  return note?.id ?? null;
}
