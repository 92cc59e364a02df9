import { errorText } from '../../shared/log.ts';
import { maskNumber } from '../../shared/phone.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { afterLook, LOOK_LEASE_MS } from './order-policy.ts';
import { leaseDueOrders, type OrderRow, setNextLook, setOrderState } from './order-store.ts';
import type { InventoryDeps } from './search-inventory.ts';
import { settleOrder } from './settle-order.ts';

const POLL_MS = 10_000;
const MAX_CONCURRENT = 4;

/**
 * Looks up orders whose answer never came, and gives up numbers at their carriers. A process that dies leaves its orders to the next
 * look; a carrier that is away is asked again every minute.
 */
export function startOrderWorker(deps: InventoryDeps): PollingJob {
  const { sql, clock, log } = deps;
  return startLeaseWorker<OrderRow>({
    ...{ name: 'number orders', intervalMs: POLL_MS, clock, log, maxConcurrent: MAX_CONCURRENT },
    wakeOn: { sql, topic: 'number orders' },
    openWork: { sql, query: "select from number_orders where state in ('ordering', 'releasing')" },
    lease: async (limit) => ({
      jobs: await leaseDueOrders(sql, limit, clock.wall(), LOOK_LEASE_MS),
      more: false,
    }),
    work: async (order) => {
      await workOnOrder(deps, order);
      return true;
    },
    release: async () => {},
    graceMs: 15_000,
    fieldsOf: ({ id, provider }) => ({ order_id: id, provider }),
  });
}

/** One look at the carrier, or one attempt to release. When the carrier does not answer, the lease says when it is tried again. */
export async function workOnOrder({ sql, clock, log, carriers }: InventoryDeps, order: OrderRow): Promise<void> {
  const { number, provider, id: order_id } = order;
  const facts = { order_id, provider, number: maskNumber(number) };
  const inventory = carriers.get(provider)?.numbers;
  if (!inventory) {
    log.warn(facts, 'number order waits: its carrier is not configured');
    return;
  }
  try {
    if (order.state === 'releasing') {
      await inventory.release(number, order.id);
      await sql.begin((tx) => setOrderState(tx, order, 'released', new Date(clock.wall()), order.reason));
      return;
    }
    const held = await inventory.find(number, order.id);
    const next = afterLook(order, held?.state ?? null, clock.wall());
    if (next.step === 'look again') return await setNextLook(sql, order, next);
    const reason = next.step === 'give up' ? 'the carrier did not decide' : 'the carrier never sold it';
    const result = { bought: next.step === 'bought', stillOpen: next.step === 'give up', reason };
    const state = await settleOrder(sql, order, result, clock.wall());
    log.info({ ...facts, state }, 'number order settled by looking it up');
  } catch (error) {
    log.warn({ ...facts, error: errorText(error) }, 'carrier did not answer about a number order; asked again');
  }
}
