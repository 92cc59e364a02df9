import type { Sql } from '../../control/db/connect.ts';
import { type BuyDeps, buyNumber } from '../../control/numbers/buy-number.ts';
import { FIRST_LOOK_MS } from '../../control/numbers/order-policy.ts';
import { leaseDueOrders } from '../../control/numbers/order-store.ts';
import { workOnOrder } from '../../control/numbers/settle-orders.ts';

/** Buying numbers without the API, and what comes of it. */

export const BUYER = { kind: 'user', id: 'u', name: 'Asha' } as const;

/** Buys without the API: resolves with the name of the error, or `bought`. */
export async function buy(deps: BuyDeps, workspaceId: string, number: string): Promise<string> {
  const request = { workspaceId, actor: BUYER, number, markCarriedOut: async () => {} };
  return buyNumber(deps, request).then(
    () => 'bought',
    (error: Error & { detail?: string }) => String(error.detail ?? error.message),
  );
}

/** Does what the background job does, time after time, until nothing is open; two processes at once. */
export async function settleAll(deps: BuyDeps, shiftClock: (ms: number) => void): Promise<void> {
  for (let times = 0; times < 60; times++) {
    const [row] = await deps.sql<{ open: number }[]>`
      select count(*)::integer as open from number_orders where state in ('ordering', 'releasing')`;
    if (row!.open === 0) return;
    shiftClock(FIRST_LOOK_MS * 10);
    const leases = [0, 1].map(() => leaseDueOrders(deps.sql, 20, deps.clock.wall(), 60_000));
    for (const orders of await Promise.all(leases)) await Promise.all(orders.map((each) => workOnOrder(deps, each)));
  }
  throw new Error('orders stay open');
}

/** Each number of the ledger with what its workspaces paid for it in the end. */
export async function paidByNumber(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ number: string; paid: number }[]>`
    select o.number, -sum(l.amount_paise)::bigint as paid
    from ledger l join number_orders o on o.workspace_id = l.workspace_id
      and l.key in ('number:' || o.id, 'number:' || o.id || ':returned')
    group by o.number`;
  return new Map(rows.map(({ number, paid }) => [number, Number(paid)]));
}
