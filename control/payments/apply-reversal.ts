import { writeAudit } from '../audit/write-audit.ts';
import { creditNote, replaceCreditNote } from '../billing/invoices/issue-invoice.ts';
import { returnCharge, returnedKeyOf, takeBackCredits, writeLedger } from '../billing/ledger.ts';
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
 * issued once it is final, and both credits return with the money, with an invoice in place of a credit note. Reported any number of
 * times, in any order, it moves credits once.
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
    if (reversal.status === 'returned' && next.credit_note_id !== null) {
      const reason = `the ${wordsOf(reversal)} was ${reversal.kind === 'refund' ? 'not carried out' : 'paid again'}`;
      await replaceCreditNote(tx, { workspace_id, credit_note_id: next.credit_note_id, reason, at_ms: atMs });
    }
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

const wordsOf = ({ kind }: Pick<Reversal, 'kind'>) => (kind === 'refund' ? 'refund' : 'disputed payment');

/**
 * Takes the credits back, or gives them back, so that what was taken for the payment is always its share of all that is gone, rounded
 * down: whatever returned before, parts that add up to the whole take the whole. Returns the row to write.
 */
async function move(tx: Transaction, row: PaymentRow, { all, before, reversal, atMs }: Move): Promise<ReversalRow> {
  const { workspace_id, id: payment_id, gateway } = row;
  const { id: gateway_id, kind, status, amount_paise } = reversal;
  const now = new Date(atMs);
  const next: ReversalRow = before
    ? { ...before, status, updated_at: now }
    : {
        ...{ gateway, gateway_id, workspace_id, payment_id, kind, status, amount_paise },
        ...{ credits_paise: 0, bonus_paise: 0, credit_note_id: null, created_at: now, updated_at: now },
      };
  if (before ? status !== 'returned' : status === 'returned') return next;
  const rows = [...all.filter((each) => each !== before), next];
  const sum = (of: 'amount_paise' | 'credits_paise' | 'bonus_paise', from = rows) =>
    from.reduce((total, each) => total + each[of], 0);
  const active = rows.filter((each) => each.status !== 'returned');
  const gone = Math.min(sum('amount_paise', active), row.total_paise);
  const share = (paise: number) => Number((BigInt(paise) * BigInt(gone)) / BigInt(row.total_paise));
  const credits = share(row.amount_paise) - sum('credits_paise');
  const bonus = share(row.bonus_paise + row.coupon_bonus_paise) - sum('bonus_paise');
  next.credits_paise += credits;
  next.bonus_paise += bonus;
  const inWallet = await converter(tx, row);
  const entry = { workspace_id, key: `reversal:${gateway_id}`, at_ms: atMs };
  const adjustment = { ...entry, kind: 'adjustment' as const, payment_id, by_name: '' };
  if (before) {
    const note = `${wordsOf(reversal)} returned`;
    // What it took and gives back otherwise: a paisa of rounding, or all where the payment went back twice.
    const more_paise = inWallet(-next.credits_paise - next.bonus_paise);
    const returned = await returnCharge(tx, { ...entry, note, more_paise });
    if (!returned && more_paise > 0) {
      await writeLedger(tx, { ...adjustment, key: returnedKeyOf(entry.key), amount_paise: more_paise, note });
    }
    return next;
  }
  const free_paise = inWallet(bonus);
  const taken = inWallet(credits) + free_paise;
  if (taken > 0)
    await takeBackCredits(tx, { ...adjustment, amount_paise: -taken, note: wordsOf(reversal), free_paise });
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
