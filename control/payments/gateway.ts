import type { Currency } from '../billing/rates.ts';

/**
 * A payment gateway. The port knows amounts in the smallest unit of the currency, and our own id of a payment, by which an order is
 * found again when its answer was lost. No request is repeated inside.
 */
export interface PaymentGateway {
  name: GatewayName;
  /** What it is paid in. */
  currency: Currency;
  /** Origins whose script and frames its checkout brings into the console's page; empty: the browser is sent away to it. */
  pageOrigins: readonly string[];
  /** Never throws: without a certain answer the outcome is `unknown`, and `findOrder` shows what happened. */
  createOrder(order: NewOrder): Promise<OrderOutcome>;
  /** Whether the browser brought back what the gateway signed for this order. It proves nothing about the money. */
  verifyCompletion(orderId: string, completion: Completion): boolean;
  /** @throws GatewayError */
  order(orderId: string): Promise<GatewayOrder>;
  /** The order of our payment; null: the gateway has none. @throws GatewayError */
  findOrder(payment: { id: string; created_at: Date }): Promise<GatewayOrder | null>;
  /** The order that the gateway's payment belongs to; null: it belongs to none. @throws GatewayError */
  orderOfPayment(gatewayPaymentId: string): Promise<GatewayOrder | null>;
  /** Takes the money of an authorized payment, where the gateway asks for that. @throws GatewayError */
  capture?(payment: GatewayPayment): Promise<void>;
  /** What a callback says, read from its signed bytes. */
  readCallback(callback: GatewayCallback): GatewayEvent | 'wrong signature' | 'too old';
  /** All payments of the account that took money in this time, for comparison with ours. @throws GatewayError */
  listPayments(fromMs: number, toMs: number): Promise<ListedPayment[]>;
  /** All refunds and disputes of the account made in this time. @throws GatewayError */
  listReversals(fromMs: number, toMs: number): Promise<Reversal[]>;
}

export const GATEWAY_NAMES = ['razorpay', 'stripe'] as const;
export type GatewayName = (typeof GATEWAY_NAMES)[number];

export interface NewOrder {
  /** Our id; a second request with it creates no second order where the gateway can tell. */
  payment_id: string;
  total_paise: number;
  currency: Currency;
  /** For who pays. */
  description: string;
  created_at: Date;
  expires_at: Date;
  /** Where a checkout outside of our page returns to. */
  return_url: string;
}

export type OrderOutcome =
  | { outcome: 'created'; order_id: string; checkout: Checkout }
  /** Certainly not created. */
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unknown'; reason: string };

/** What a page needs to let somebody pay. */
export interface Checkout {
  /** Names our account in public; may be empty. */
  public_key: string;
  /** The gateway's script; empty: `checkout_url` is where to go. */
  script_url: string;
  checkout_url: string;
}

/** What the browser brings back from the checkout. */
export interface Completion {
  gateway_payment_id: string;
  gateway_signature: string;
}

export interface GatewayOrder {
  id: string;
  /** Our id of the payment; empty: not said. */
  reference: string;
  /** pending: paid, and the money is not certain yet. closed: cannot be paid any more. */
  state: 'open' | 'pending' | 'closed';
  payments: GatewayPayment[];
}

export interface GatewayPayment {
  id: string;
  /** captured: the money is ours, whatever was refunded later. authorized: it waits to be captured. */
  status: 'authorized' | 'captured' | 'failed';
  amount_paise: number;
  /** As `INR`. */
  currency: string;
  /** As `card`; empty: not said. */
  method: string;
  /** Of a failed one. */
  failure_reason: string;
}

export interface ListedPayment extends GatewayPayment {
  order_id: string;
}

/** Money on its way back to who paid. */
export interface Reversal {
  id: string;
  kind: 'refund' | 'dispute';
  gateway_payment_id: string;
  /** taken: it has left, not for good yet. final: for good. returned: it came back. */
  status: 'taken' | 'final' | 'returned';
  amount_paise: number;
  currency: string;
}

export interface GatewayCallback {
  /** Of the body, as received. */
  raw: string;
  header(name: string): string;
  now_ms: number;
}

export type GatewayEvent =
  | { about: 'order'; order: GatewayOrder }
  | { about: 'reversal'; reversal: Reversal }
  /** Nothing that matters here. */
  | { about: 'nothing' };

/** The gateway did not answer, or answered with an error. The message holds no secret. */
export class GatewayError extends Error {}

/** Configured gateways. */
export type Gateways = ReadonlyMap<GatewayName, PaymentGateway>;
