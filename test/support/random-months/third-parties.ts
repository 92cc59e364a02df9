import type { NumberInventory } from '../../../control/carriers/number-inventory.ts';
import type { GatewayName, GatewayOrder, PaymentGateway, Reversal } from '../../../control/payments/gateway.ts';

/** A payment gateway and a carrier behind the service's ports, in memory: what they hold survives every process that dies. */

interface HeldOrder {
  id: string;
  reference: string;
  total: number;
  currency: string;
  /** The gateway's payment that took the money. */
  paid: { id: string; atMs: number } | null;
}

export interface GatewayAccount {
  name: GatewayName;
  orders: HeldOrder[];
  reversals: (Reversal & { atMs: number })[];
  /** Whose answers are as the test says. `lost`: the order is made. */
  port(answer?: 'created' | 'lost' | 'refused'): PaymentGateway;
  pay(orderId: string, atMs: number): string;
}

export function createGatewayAccount(name: GatewayName): GatewayAccount {
  const currency = name === 'razorpay' ? 'INR' : 'USD';
  const orders: HeldOrder[] = [];
  const reversals: GatewayAccount['reversals'] = [];
  const told = ({ id, reference, total, paid }: HeldOrder): GatewayOrder => ({
    ...{ id, reference, state: paid ? 'closed' : 'open' },
    payments: paid
      ? [{ id: paid.id, status: 'captured', amount_paise: total, currency, method: 'card', failure_reason: '' }]
      : [],
  });
  const find = (test: (order: HeldOrder) => boolean) => {
    const order = orders.find(test);
    return order ? told(order) : null;
  };
  return {
    ...{ name, orders, reversals },
    port: (answer = 'created') => ({
      ...{ name, currency, pageOrigins: [], verifyCompletion: () => true },
      async createOrder({ payment_id, total_paise }) {
        if (answer === 'refused') return { outcome: 'refused', reason: 'not today' };
        const id = `order_${name}_${orders.length}`;
        orders.push({ id, reference: payment_id, total: total_paise, currency, paid: null });
        if (answer === 'lost') return { outcome: 'unknown', reason: 'no answer' };
        return { outcome: 'created', order_id: id, checkout: { public_key: '', script_url: '', checkout_url: 'x' } };
      },
      order: async (orderId) => find(({ id }) => id === orderId)!,
      findOrder: async (payment) => find(({ reference }) => reference === payment.id),
      orderOfPayment: async (payment) => find(({ paid }) => paid?.id === payment),
      readCallback: () => ({ about: 'nothing' }),
      listPayments: async (fromMs, toMs) =>
        orders.flatMap((order) =>
          order.paid && order.paid.atMs >= fromMs && order.paid.atMs <= toMs
            ? [{ ...told(order).payments[0]!, order_id: order.id }]
            : [],
        ),
      listReversals: async (fromMs, toMs) => reversals.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
    }),
    pay(orderId, atMs) {
      const order = orders.find(({ id }) => id === orderId)!;
      order.paid = { id: `pay_${order.id}`, atMs };
      return order.paid.id;
    },
  };
}

export const PURCHASES = ['bought', 'refused', 'lost, bought', 'lost, not bought', 'pending'] as const;
export type Purchase = (typeof PURCHASES)[number];

export interface CarrierAccount {
  held: Map<string, 'held' | 'pending'>;
  port(purchase?: Purchase): NumberInventory;
}

export function createCarrierAccount(): CarrierAccount {
  const held: CarrierAccount['held'] = new Map();
  return {
    held,
    port: (purchase = 'refused') => ({
      search: async () => [],
      list: async () => [],
      pointCalls: async () => {},
      async buy({ number }) {
        if (purchase === 'refused') return { outcome: 'refused', reason: 'no' };
        if (purchase !== 'lost, not bought') held.set(number, purchase === 'pending' ? 'pending' : 'held');
        if (purchase === 'bought') return { outcome: 'bought' };
        return { outcome: purchase === 'pending' ? 'pending' : 'unknown', reason: 'later' };
      },
      async find(number) {
        const state = held.get(number);
        return state ? { number, state } : null;
      },
      async release(number) {
        held.delete(number);
      },
    }),
  };
}
