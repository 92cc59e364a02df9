import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { returnCharge } from '../billing/ledger.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { lockOrder, type OrderRow, setOrderState } from './order-store.ts';
import { insertNumber, setPurchase } from './store.ts';

/** Who writes what a job found out. */
const SERVICE: Actor = { kind: 'service', id: 'service', name: 'service' };
const CYCLE_MS = 30 * 86_400_000;

/** The ledger's key of what an order charged. */
export const chargeKeyOf = (orderId: string) => `number:${orderId}`;

export interface OrderResult {
  bought: boolean;
  /** Not bought, and the carrier still has the order: it is taken back there. */
  stillOpen?: boolean;
  reason?: string;
}

/**
 * Ends an order with what happened at the carrier, in one transaction: the workspace has the number, or its fee back. Whoever comes
 * first settles it; a purchase that is reported after it was given up is given up at the carrier too.
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
    const order = await lockOrder(tx, workspace_id, id);
    if (!order) throw new Error('the order is gone');
    const at = new Date(atMs);
    if (order.state === 'failed' && result.bought) {
      await setOrderState(tx, order, 'releasing', at, 'bought after it was given up');
      return 'releasing';
    }
    if (order.state !== 'ordering') return order.state;
    if (result.bought && (await takeNumber(tx, order, atMs))) {
      await setOrderState(tx, order, 'bought', at);
      await audit(tx, order, 'number.bought', atMs);
      return 'bought';
    }
    // Not released at the carrier when the service's team has entered the number meanwhile: it is theirs.
    const ended = result.stillOpen ? 'releasing' : 'failed';
    await setOrderState(tx, order, ended, at, result.reason ?? 'the number was entered by the service');
    await returnCharge(tx, {
      ...{ workspace_id, key: chargeKeyOf(id), at_ms: atMs },
      note: `number ${order.number}: not bought, fee returned`,
    });
    await audit(tx, order, 'number.purchase_failed', atMs);
    return ended;
  });
}

async function takeNumber(tx: Transaction, order: OrderRow, atMs: number): Promise<boolean> {
  const { workspace_id, number, provider } = order;
  const created_at = new Date(atMs);
  if (!(await insertNumber(tx, { workspace_id, number, provider, created_at }))) return false;
  await setPurchase(tx, order, order.charged_paise > 0 ? new Date(order.created_at.getTime() + CYCLE_MS) : null);
  return true;
}

const audit = (tx: Transaction, { workspace_id, id, number, provider }: OrderRow, action: string, at_ms: number) => {
  const name = maskNumber(number);
  const target = { kind: 'number', id: name, name };
  return writeAudit(tx, { workspace_id, actor: SERVICE, action, target, data: { provider, order_id: id }, at_ms });
};
