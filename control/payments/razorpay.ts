import { createHmac } from 'node:crypto';
import { jsonObject, jsonText, parseJsonObject } from '../carriers/callback-fields.ts';
import { anySignatureMatches } from '../carriers/compare-signatures.ts';
import { basicAuth, jsonBody } from '../http/rest-request.ts';
import type { GatewayEvent, GatewayOrder, GatewayPayment, PaymentGateway, Reversal } from './gateway.ts';
import {
  amountIn,
  type Json,
  objectsIn,
  orderOutcome,
  reasonText,
  resultOf,
  sendGatewayRequest,
} from './gateway-request.ts';

export interface RazorpayAccount {
  key_id: string;
  key_secret: string;
  /** The newest first: callbacks that are sent again after a change still carry the signature of the old one. */
  webhook_secrets: readonly string[];
  api_url: string;
  /** Of the checkout's script. */
  checkout_url: string;
}

/** Callbacks are sent again for a day, and by Razorpay's support for 15. */
const MAX_CALLBACK_AGE_MS = 16 * 86_400_000;
const LIST_SIZE = 100;

/** The checkout's script loads more from other hosts of Razorpay, such as the detection of fraud from `cdn`. */
function pageOriginOf(url: string): string {
  const { origin, hostname } = new URL(url);
  return hostname.endsWith('.razorpay.com') ? 'https://*.razorpay.com' : origin;
}

/** Razorpay: Orders API and Standard Checkout. Source: Razorpay's public documentation. */
export function razorpay(account: RazorpayAccount): PaymentGateway {
  const { key_id, key_secret, webhook_secrets, checkout_url } = account;
  const api = `${account.api_url.replace(/\/+$/, '')}/v1`;
  const headers = { authorization: basicAuth(key_id, key_secret) };
  const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
  const send = (method: 'GET' | 'POST', path: string, body?: object) =>
    sendGatewayRequest({ method, url: `${api}${path}`, headers, ...(body ? { body: jsonBody(body) } : {}) });
  const get = async (path: string) => resultOf(await send('GET', path), reasonOf);

  async function order(orderId: string): Promise<GatewayOrder> {
    const path = `/orders/${encodeURIComponent(orderId)}`;
    const [entity, payments] = await Promise.all([get(path), get(`${path}/payments`)]);
    return readOrder(entity, objectsIn(payments.items));
  }

  /** Every item of a list of this time; newest first. */
  async function list(path: string, fromMs: number, toMs: number): Promise<Json[]> {
    const all: Json[] = [];
    for (let more = true; more; ) {
      const range = `from=${Math.floor(fromMs / 1000)}&to=${Math.ceil(toMs / 1000)}`;
      const { items } = await get(`${path}?${range}&count=${LIST_SIZE}&skip=${all.length}`);
      const page = objectsIn(items);
      all.push(...page);
      more = page.length === LIST_SIZE;
    }
    return all;
  }

  return {
    name: 'razorpay',
    currency: 'INR',
    pageOrigins: [...new Set([checkout_url, account.api_url].map(pageOriginOf))],
    order,

    createOrder: ({ payment_id, total_paise, currency }) =>
      orderOutcome(
        () =>
          send('POST', '/orders', {
            ...{ amount: total_paise, currency, receipt: payment_id, notes: { payment_id } },
            // Whatever the account's own setting says; the period is in minutes.
            payment: { capture: 'automatic', capture_options: { automatic_expiry_period: 12, refund_speed: 'normal' } },
          }),
        (json) => ({
          outcome: 'created',
          order_id: jsonText(json, 'id'),
          checkout: { public_key: key_id, script_url: checkout_url, checkout_url: '' },
        }),
        reasonOf,
      ),

    verifyCompletion: (orderId, { gateway_payment_id, gateway_signature }) =>
      anySignatureMatches([gateway_signature], [hmac(key_secret, `${orderId}|${gateway_payment_id}`)]),

    async findOrder({ id }) {
      const { items } = await get(`/orders?receipt=${id}`);
      const found = objectsIn(items).filter((each) => jsonText(each, 'receipt') === id);
      const best = found.find((each) => each.status === 'paid') ?? found[0];
      return best ? order(jsonText(best, 'id')) : null;
    },

    async orderOfPayment(gatewayPaymentId) {
      const orderId = jsonText(await get(`/payments/${encodeURIComponent(gatewayPaymentId)}`), 'order_id');
      return orderId === '' ? null : order(orderId);
    },

    async capture({ id, amount_paise: amount, currency }) {
      resultOf(await send('POST', `/payments/${encodeURIComponent(id)}/capture`, { amount, currency }), reasonOf);
    },

    readCallback({ raw, header, now_ms }) {
      const expected = webhook_secrets.map((secret) => hmac(secret, raw));
      if (!anySignatureMatches([header('x-razorpay-signature')], expected)) return 'wrong signature';
      const event = parseJsonObject(raw);
      const ageMs = now_ms - amountIn(event, 'created_at') * 1000;
      return ageMs > MAX_CALLBACK_AGE_MS ? 'too old' : readEvent(event);
    },

    listPayments: async (fromMs, toMs) =>
      (await list('/payments', fromMs, toMs)).flatMap((each) => {
        const payment = readPayment(each);
        return payment?.status === 'captured' ? [{ ...payment, order_id: jsonText(each, 'order_id') }] : [];
      }),

    async listReversals(fromMs, toMs) {
      const refunds = await list('/refunds', fromMs, toMs);
      const disputes = await list('/disputes', fromMs, toMs);
      return [...refunds.flatMap(readRefund), ...disputes.flatMap(readDispute)];
    },
  };
}

const reasonOf = (json: Json) => jsonText(jsonObject(json.error), 'description');

const PAYMENT_STATUS: Record<string, GatewayPayment['status']> = {
  authorized: 'authorized',
  captured: 'captured',
  refunded: 'captured',
  failed: 'failed',
};

/** Null while nobody has tried to pay. */
function readPayment(entity: Json): GatewayPayment | null {
  const status = PAYMENT_STATUS[jsonText(entity, 'status')];
  if (!status) return null;
  return {
    ...{ id: jsonText(entity, 'id'), status, amount_paise: amountIn(entity, 'amount') },
    ...{ currency: jsonText(entity, 'currency').toUpperCase(), method: jsonText(entity, 'method') },
    failure_reason:
      status === 'failed'
        ? reasonText(jsonText(entity, 'error_description') || jsonText(entity, 'error_reason') || 'the payment failed')
        : '',
  };
}

function readOrder(entity: Json, paymentEntities: readonly Json[]): GatewayOrder {
  const payments = paymentEntities.flatMap((each) => readPayment(each) ?? []);
  const state = payments.some(({ status }) => status === 'authorized') ? 'pending' : 'open';
  return { id: jsonText(entity, 'id'), reference: jsonText(entity, 'receipt'), state, payments };
}

function readEvent(event: Json | null): GatewayEvent {
  const payload = jsonObject(event?.payload);
  const entity = (name: string) => jsonObject(jsonObject(payload?.[name])?.entity);
  const name = jsonText(event, 'event');
  const payment = entity('payment');
  if (/^payment\.(authorized|captured|failed)$|^order\.paid$/.test(name) && payment) {
    const order = entity('order') ?? { id: jsonText(payment, 'order_id') };
    return jsonText(order, 'id') === '' ? NOTHING : { about: 'order', order: readOrder(order, [payment]) };
  }
  if (/^refund\./.test(name)) return reversalEvent(readRefund(entity('refund')));
  if (/^payment\.dispute\./.test(name)) return reversalEvent(readDispute(entity('dispute')));
  return NOTHING;
}

const NOTHING: GatewayEvent = { about: 'nothing' };
const reversalEvent = ([reversal]: Reversal[]): GatewayEvent => (reversal ? { about: 'reversal', reversal } : NOTHING);

const REFUND_STATUS: Record<string, Reversal['status']> = { pending: 'taken', processed: 'final', failed: 'returned' };
const DISPUTE_STATUS: Record<string, Reversal['status']> = {
  ...{ open: 'taken', under_review: 'taken', action_required: 'taken' },
  ...{ lost: 'final', won: 'returned', closed: 'returned' },
};
/** Questions of a bank that take no money yet. */
const PHASES_WITHOUT_MONEY = ['fraud', 'retrieval'];

const readRefund = (entity: Json | null) => readReversal('refund', entity, REFUND_STATUS);

function readDispute(entity: Json | null): Reversal[] {
  const isQuestion = PHASES_WITHOUT_MONEY.includes(jsonText(entity, 'phase')) && entity?.status !== 'lost';
  return isQuestion ? [] : readReversal('dispute', entity, DISPUTE_STATUS);
}

function readReversal(
  kind: Reversal['kind'],
  entity: Json | null,
  statuses: Record<string, Reversal['status']>,
): Reversal[] {
  const status = statuses[jsonText(entity, 'status')];
  const gateway_payment_id = jsonText(entity, 'payment_id');
  if (!status || gateway_payment_id === '') return [];
  return [
    {
      ...{ id: jsonText(entity, 'id'), kind, gateway_payment_id, status, amount_paise: amountIn(entity, 'amount') },
      currency: jsonText(entity, 'currency').toUpperCase(),
    },
  ];
}
