import type { AuditAction } from '../../shared/audit-actions.ts';
import { maskNumber } from '../../shared/phone.ts';
import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import { returnCharge, rowOfKey } from '../billing/ledger.ts';
import { cycleEndAfter } from '../billing/renewals/renewal-policy.ts';
import { startRenewal } from '../billing/renewals/renewals.ts';
import { invoiceFee } from '../billing/take-fee.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { lockOrder, type OrderRow, setOrderState } from './order-store.ts';
import { findNumber, insertNumber, setPurchase } from './store.ts';

/** The ledger's key of what an order charged. */
export const chargeKeyOf = (orderId: string) => `number:${orderId}`;

/** What the ledger and the invoice say of a fee. */
export const feeText = (number: string) => `number ${number}, 30 days`;
/** Of the first one, which has what the carrier takes once. */
export const firstFeeText = ({
  number,
  charged_paise,
  monthly_fee_paise,
}: Pick<OrderRow, 'number' | 'charged_paise' | 'monthly_fee_paise'>) =>
  charged_paise > monthly_fee_paise ? `${feeText(number)} and setup` : feeText(number);

export interface OrderResult {
  bought: boolean;
  /** Not bought, and the carrier still has the order: it is taken back there. */
  stillOpen?: boolean;
  reason?: string;
}

/**
 * Ends an order with what happened at the carrier, in one transaction: the workspace has the number, or its fee back. The first to
 * come settles it; a purchase that is reported after it was given up, or after its workspace was closed, is given up at the carrier
 * too.
 *
 * @returns the state after it.
 */
export async function settleOrder(
  sql: Sql,
  { workspace_id, id }: Pick<OrderRow, 'workspace_id' | 'id'>,
  result: OrderResult,
  atMs: number,
): Promise<OrderRow['state']> {
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    const order = await lockOrder(tx, workspace_id, id);
    if (!order) throw new Error('the order is gone');
    const at = new Date(atMs);
    if (order.state === 'failed' && result.bought && !(await isEntered(tx, order))) {
      await setOrderState(tx, order, 'releasing', at, 'bought after it was given up');
      return 'releasing';
    }
    if (order.state !== 'ordering') return order.state;
    if (result.bought && workspace?.state !== 'closed' && (await takeNumber(tx, order, atMs))) {
      await setOrderState(tx, order, 'bought', at);
      await audit(tx, order, 'number.bought', atMs);
      const { charged_paise: amount_paise, ordered_by: by_name } = order;
      const fee = { workspace_id, kind: 'number', amount_paise, description: firstFeeText(order), by_name } as const;
      const key = chargeKeyOf(id);
      const charge = await rowOfKey(tx, { workspace_id, key });
      await invoiceFee(tx, { ...fee, currency: charge?.currency, key, at_ms: atMs });
      return 'bought';
    }
    const { state, reason } = await failureOf(tx, order, result);
    await setOrderState(tx, order, state, at, reason);
    await returnCharge(tx, {
      ...{ workspace_id, key: chargeKeyOf(id), at_ms: atMs },
      note: `number ${order.number}: not bought, fee returned`,
    });
    await audit(tx, order, 'number.purchase_failed', atMs);
    return state;
  });
}

/** What becomes of an order that brings its workspace no number. */
async function failureOf(
  tx: Transaction,
  order: OrderRow,
  { bought, stillOpen, reason = '' }: OrderResult,
): Promise<Pick<OrderRow, 'state' | 'reason'>> {
  if (!bought) return { state: stillOpen ? 'releasing' : 'failed', reason };
  if (await isEntered(tx, order)) return { state: 'failed', reason: 'the number was entered by the service' };
  return { state: 'releasing', reason: 'the workspace was closed' };
}

/** Whether the service's team has entered the number meanwhile: it is theirs, and not released at the carrier. */
async function isEntered(tx: Transaction, { number }: OrderRow): Promise<boolean> {
  const entered = await findNumber(tx, number);
  return entered !== null && entered.status !== 'released';
}

async function takeNumber(tx: Transaction, order: OrderRow, atMs: number): Promise<boolean> {
  const { workspace_id, number, provider } = order;
  const created_at = new Date(atMs);
  if (!(await insertNumber(tx, { workspace_id, number, provider, created_at }))) return false;
  await setPurchase(tx, order);
  await startRenewal(tx, { workspace_id, kind: 'number', subject_id: number, cycle_end: cycleEndAfter(atMs) });
  return true;
}

const audit = (
  tx: Transaction,
  { workspace_id, id, number, provider }: OrderRow,
  action: AuditAction,
  at_ms: number,
) => {
  const name = maskNumber(number);
  const target = { kind: 'number', id: name, name };
  return writeAudit(tx, { workspace_id, actor: SERVICE, action, target, data: { provider, order_id: id }, at_ms });
};
