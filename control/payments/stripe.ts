import { createHmac } from 'node:crypto';
import { jsonObject, jsonText, parseJsonObject } from '../carriers/callback-fields.ts';
import { anySignatureMatches } from '../carriers/compare-signatures.ts';
import { formBody } from '../http/rest-request.ts';
import type { GatewayEvent, GatewayOrder, GatewayPayment, NewOrder, PaymentGateway, Reversal } from './gateway.ts';
import {
  amountIn,
  type Json,
  objectsIn,
  orderOutcome,
  reasonText,
  resultOf,
  sendGatewayRequest,
} from './gateway-request.ts';

export interface StripeAccount {
  secret_key: string;
  /** For pages; the hosted checkout needs none. */
  publishable_key: string;
  /** Of the endpoint; the newest first. */
  webhook_secrets: readonly string[];
  api_url: string;
}

/** Its fields are read by this version, whatever the account's default is. */
const API_VERSION = '2026-10-28.endive';
const MAX_CALLBACK_AGE_MS = 300_000;
/** Stripe wants at least half an hour by its own clock. */
const EXPIRY_MARGIN_SECONDS = 300;
const LIST_SIZE = 100;
/** Longer than the request that creates a session may take. */
const CREATED_WITHIN_SECONDS = 120;

/** Stripe: Checkout Sessions on Stripe's own page. Source: Stripe's public documentation. */
export function stripe(account: StripeAccount): PaymentGateway {
  const { secret_key, publishable_key, webhook_secrets } = account;
  const api = `${account.api_url.replace(/\/+$/, '')}/v1`;
  const headers = { authorization: `Bearer ${secret_key}`, 'stripe-version': API_VERSION };
  const get = async (path: string) =>
    resultOf(await sendGatewayRequest({ method: 'GET', url: `${api}${path}`, headers }), reasonOf);

  async function list(path: string, query: string): Promise<Json[]> {
    const all: Json[] = [];
    for (let after = '', more = true; more; ) {
      const { data, has_more } = await get(`${path}?${query}&limit=${LIST_SIZE}${after}`);
      const page = objectsIn(data);
      all.push(...page);
      more = has_more === true && page.length > 0;
      after = `&starting_after=${encodeURIComponent(jsonText(page.at(-1) ?? null, 'id'))}`;
    }
    return all;
  }
  const sessionsOf = (query: string) => list('/checkout/sessions', `${query}&expand[]=data.payment_intent`);

  return {
    name: 'stripe',
    currency: 'USD',
    pageOrigins: [],

    createOrder: (order) =>
      orderOutcome(
        () =>
          sendGatewayRequest({
            ...{ method: 'POST', url: `${api}/checkout/sessions`, body: formBody(sessionForm(order)) },
            headers: { ...headers, 'idempotency-key': `topup_${order.payment_id}` },
          }),
        (json) => ({
          outcome: 'created',
          order_id: jsonText(json, 'id'),
          checkout: { public_key: publishable_key, script_url: '', checkout_url: urlIn(json) },
        }),
        reasonOf,
      ),

    // The session's id is all that the browser brings back; what it is worth, the session itself says.
    verifyCompletion: (orderId, { gateway_payment_id }) => gateway_payment_id === orderId,

    order: async (orderId) =>
      readSession(await get(`/checkout/sessions/${encodeURIComponent(orderId)}?expand[]=payment_intent`)),

    async findOrder({ id, created_at }) {
      const from = Math.floor(created_at.getTime() / 1000) - CREATED_WITHIN_SECONDS;
      const sessions = await sessionsOf(`created[gte]=${from}&created[lte]=${from + 2 * CREATED_WITHIN_SECONDS}`);
      const found = sessions.find((each) => jsonText(each, 'client_reference_id') === id);
      return found ? readSession(found) : null;
    },

    async orderOfPayment(gatewayPaymentId) {
      const [session] = await sessionsOf(`payment_intent=${encodeURIComponent(gatewayPaymentId)}`);
      return session ? readSession(session) : null;
    },

    readCallback({ raw, header, now_ms }) {
      const parts = header('stripe-signature')
        .split(',')
        .map((part) => part.trim().split('=', 2) as [string, string?]);
      const valuesOf = (scheme: string) => parts.flatMap(([name, value]) => (name === scheme && value ? [value] : []));
      const [time = ''] = valuesOf('t');
      const expected = webhook_secrets.map((secret) =>
        createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex'),
      );
      if (!anySignatureMatches(valuesOf('v1'), expected)) return 'wrong signature';
      const ageMs = Math.abs(now_ms - Number(time) * 1000);
      return ageMs <= MAX_CALLBACK_AGE_MS ? readEvent(parseJsonObject(raw)) : 'too old';
    },

    async listPayments(fromMs, toMs) {
      const sessions = await sessionsOf(`${createdBetween(fromMs, toMs)}&status=complete`);
      return sessions
        .map((each) => readSession(each))
        .flatMap(({ id: order_id, payments }) =>
          payments.filter(({ status }) => status === 'captured').map((payment) => ({ ...payment, order_id })),
        );
    },

    async listReversals(fromMs, toMs) {
      const query = createdBetween(fromMs, toMs);
      const refunds = await list('/refunds', query);
      const disputes = await list('/disputes', query);
      return [...refunds, ...disputes].flatMap(readReversal);
    },
  };
}

const createdBetween = (fromMs: number, toMs: number) =>
  `created[gte]=${Math.floor(fromMs / 1000)}&created[lte]=${Math.ceil(toMs / 1000)}`;

function sessionForm({ payment_id, total_paise, currency, description, expires_at, return_url }: NewOrder) {
  const separator = return_url.includes('?') ? '&' : '?';
  return new URLSearchParams({
    mode: 'payment',
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': String(total_paise),
    'line_items[0][price_data][product_data][name]': description,
    client_reference_id: payment_id,
    'metadata[payment_id]': payment_id,
    'payment_intent_data[metadata][payment_id]': payment_id,
    'payment_intent_data[description]': description,
    // Accounts in India may sell abroad only to a customer with name and address.
    billing_address_collection: 'required',
    expires_at: String(Math.ceil(expires_at.getTime() / 1000) + EXPIRY_MARGIN_SECONDS),
    success_url: `${return_url}${separator}payment=${payment_id}&session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${return_url}${separator}payment=${payment_id}`,
  });
}

const reasonOf = (json: Json) => jsonText(jsonObject(json.error), 'message');

/** Addresses are longer than other fields. */
const urlIn = (json: Json) => (typeof json.url === 'string' ? json.url : '');

/** An object's id, whether it is expanded or not. */
const idIn = (json: Json | null, name: string) => jsonText(json, name) || jsonText(jsonObject(json?.[name]), 'id');

/** A session; `isOver` when its event says that it can no longer be paid. */
function readSession(session: Json, isOver = false): GatewayOrder {
  const status = jsonText(session, 'status');
  const intent = jsonObject(session.payment_intent);
  // A delayed method that failed leaves the session complete, and its intent as before.
  const failed = isOver || (status === 'complete' && intent?.status === 'requires_payment_method');
  const paid = jsonText(session, 'payment_status') === 'paid';
  const order = { id: jsonText(session, 'id'), reference: jsonText(session, 'client_reference_id') };
  const types = Array.isArray(session.payment_method_types) ? session.payment_method_types : [];
  const payment: GatewayPayment = {
    ...{ id: idIn(session, 'payment_intent'), status: paid ? 'captured' : 'failed' },
    ...{ amount_paise: amountIn(session, 'amount_total'), currency: jsonText(session, 'currency').toUpperCase() },
    method: types.length === 1 ? reasonText(String(types[0])) : '',
    failure_reason: '',
  };
  if (paid) return { ...order, state: 'closed', payments: [payment] };
  if (failed) {
    const error = reasonText(jsonText(jsonObject(intent?.last_payment_error), 'message')) || 'the payment failed';
    return { ...order, state: 'closed', payments: [{ ...payment, failure_reason: error }] };
  }
  return {
    ...order,
    state: status === 'expired' ? 'closed' : status === 'complete' ? 'pending' : 'open',
    payments: [],
  };
}

const REVERSAL_STATUS: Record<Reversal['kind'], Record<string, Reversal['status']>> = {
  refund: { pending: 'taken', requires_action: 'taken', succeeded: 'final', failed: 'returned', canceled: 'returned' },
  // An inquiry (`warning_…`) takes no money.
  dispute: {
    ...{ needs_response: 'taken', under_review: 'taken', lost: 'final', won: 'returned' },
    ...{ appeal_needs_response: 'taken', appeal_under_review: 'taken' },
  },
};

/** Of a refund or a dispute; empty for anything else, and for what takes no money. */
function readReversal(object: Json): Reversal[] {
  const kind = jsonText(object, 'object') === 'dispute' ? 'dispute' : 'refund';
  const status = REVERSAL_STATUS[kind][jsonText(object, 'status')];
  const gateway_payment_id = idIn(object, 'payment_intent');
  if (!status || gateway_payment_id === '') return [];
  const currency = jsonText(object, 'currency').toUpperCase();
  return [
    {
      id: jsonText(object, 'id'),
      kind,
      gateway_payment_id,
      status,
      amount_paise: amountIn(object, 'amount'),
      currency,
    },
  ];
}

function readEvent(event: Json | null): GatewayEvent {
  const object = jsonObject(jsonObject(event?.data)?.object);
  const type = jsonText(event, 'type');
  if (!object) return { about: 'nothing' };
  if (/^checkout\.session\.(completed|expired|async_payment_succeeded|async_payment_failed)$/.test(type)) {
    return { about: 'order', order: readSession(object, type.endsWith('async_payment_failed')) };
  }
  const [reversal] = /^(refund|charge\.dispute)\./.test(type) ? readReversal(object) : [];
  return reversal ? { about: 'reversal', reversal } : { about: 'nothing' };
}
