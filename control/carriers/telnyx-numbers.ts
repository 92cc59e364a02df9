import { setTimeout as delay } from 'node:timers/promises';
import { isSuccess, jsonBody } from '../http/rest-request.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierRequest, type CarrierResponse, sendCarrierRequest } from './carrier-request.ts';
import {
  amountOf,
  type BuyOutcome,
  buyOutcome,
  type HeldNumber,
  type NumberInventory,
  type NumberOffer,
  type NumberPrice,
  type OfferedType,
  objectsOf,
} from './number-inventory.ts';
import { everyPage, rowsOf } from './number-list.ts';
import { telnyxErrorText } from './telnyx-error.ts';

export interface TelnyxNumbersAccount {
  api_key: string;
  api_url: string;
  /** The Call Control application that the calls of the numbers go to. */
  connection_id: string;
  /** Waits between two looks at an order; shorter for tests. */
  pause?: (ms: number) => Promise<unknown>;
}

const TYPES: readonly OfferedType[] = ['local', 'mobile', 'toll_free'];
const CURRENCIES: readonly string[] = ['USD', 'INR', 'EUR'];
const PAGE_SIZE = 50;
/** An order without documents is decided within seconds; what takes longer is looked up later. */
const LOOK_PAUSES_MS = [500, 1_500, 3_000];
/** No number of the country, or none of the type. */
const NO_COVERAGE = [400, 404, 422];
const ABSENT_STATES = ['purchase-failed', 'deleted', 'ported-out'];
const PENDING_STATE = /^(purchase-pending|provision-pending|requirement-info)/;

type Row = Readonly<Record<string, unknown>>;

/**
 * Telnyx's resources available_phone_numbers, number_orders, sub_number_orders, phone_numbers and regulatory_requirements of its
 * API v2, as in Telnyx's public documentation. An order is decided after its answer; the order's own reference finds it again.
 */
export function telnyxNumbers(account: TelnyxNumbersAccount): NumberInventory {
  const { api_key, connection_id, pause = delay } = account;
  const base = `${account.api_url.replace(/\/+$/, '')}/v2`;
  const send = (method: CarrierRequest['method'], path: string, body?: object) =>
    sendCarrierRequest({
      ...{ method, url: `${base}${path}`, authorization: `Bearer ${api_key}` },
      ...(body ? { body: jsonBody(body) } : {}),
    });
  const get = async (path: string, query: Record<string, string>) =>
    required(await send('GET', `${path}?${new URLSearchParams(query)}`));

  /** The types of the country that can be ordered without documents. */
  async function typesWithoutDocuments(country: string, asked: readonly OfferedType[]): Promise<OfferedType[]> {
    const rows = objectsOf(
      (await get('/regulatory_requirements', { 'filter[country_code]': country, 'filter[action]': 'ordering' })).data,
    );
    const needing = rows
      .filter(({ regulatory_requirements }) => objectsOf(regulatory_requirements).length > 0)
      .map(({ phone_number_type }) => phone_number_type);
    return asked.filter((type) => !needing.includes(type));
  }

  async function offersOf(country: string, type: OfferedType, contains: string | undefined, limit: number) {
    const query = new URLSearchParams({
      'filter[country_code]': country,
      'filter[phone_number_type]': type,
      'filter[features][]': 'voice',
      // Only those that are there now.
      'filter[best_effort]': 'false',
      'filter[limit]': String(limit),
      ...(contains ? { 'filter[phone_number][contains]': contains } : {}),
    });
    const response = await send('GET', `/available_phone_numbers?${query}`);
    if (NO_COVERAGE.includes(response.status)) return [];
    return objectsOf(required(response).data).map(
      (row): NumberOffer => ({ number: jsonText(row, 'phone_number'), country, type, price: priceOf(row) }),
    );
  }

  /** The account's resource of a number, its state among it; null when there is none. */
  async function resourceOf(number: string): Promise<Row | null> {
    const rows = rowsOf(await get('/phone_numbers', { 'filter[phone_number]': number }), 'data');
    return rows.find((row) => row.phone_number === number && stateOf(row) !== null) ?? null;
  }

  const orderOf = async (id: string): Promise<Row> =>
    jsonObject(required(await send('GET', `/number_orders/${encodeURIComponent(id)}`)).data) ?? {};

  /** The orders with this reference: one, or none. */
  async function ordersOf(tag: string): Promise<Row[]> {
    const rows = rowsOf(await get('/number_orders', { 'filter[customer_reference]': tag }), 'data');
    const own = rows.filter(({ customer_reference }) => customer_reference === tag);
    // The list leaves out how each number stands.
    return Promise.all(own.map((row) => orderOf(jsonText(row, 'id'))));
  }

  async function cancel(order: Row): Promise<void> {
    const ids = Array.isArray(order.sub_number_orders_ids) ? order.sub_number_orders_ids : [];
    for (const id of ids) required(await send('PATCH', `/sub_number_orders/${encodeURIComponent(String(id))}/cancel`));
  }

  /** Null while the order is not decided. An order that waits for documents is cancelled. */
  async function decisionOn(order: Row, number: string): Promise<BuyOutcome | null> {
    const status = statusIn(order, number);
    if (status === 'success') return { outcome: 'bought' };
    if (status === 'failure') return { outcome: 'gone', reason: 'the order failed' };
    if (order.requirements_met !== false) return null;
    await cancel(order);
    return { outcome: 'refused', reason: 'the number needs documents' };
  }

  return {
    async search({ country, type, contains, limit }) {
      const types = await typesWithoutDocuments(country, type ? [type] : TYPES);
      return (await Promise.all(types.map((each) => offersOf(country, each, contains, limit)))).flat();
    },

    buy: ({ number, tag }) =>
      buyOutcome(async () => {
        const response = await send('POST', '/number_orders', {
          phone_numbers: [{ phone_number: number }],
          ...{ connection_id, customer_reference: tag },
        });
        const { status, json } = response;
        if (!isSuccess(status)) {
          const reason = telnyxErrorText(json, status);
          return { outcome: status >= 500 || status === 408 || status === 409 ? 'unknown' : 'gone', reason };
        }
        let order = jsonObject(json.data) ?? {};
        for (const pauseMs of LOOK_PAUSES_MS) {
          const decided = await decisionOn(order, number);
          if (decided) return decided;
          await pause(pauseMs);
          order = await orderOf(jsonText(order, 'id'));
        }
        return (await decisionOn(order, number)) ?? { outcome: 'pending', reason: 'the order is not decided' };
      }),

    async find(number, tag) {
      const row = await resourceOf(number);
      if (row) return { number, state: stateOf(row)! };
      const statuses = tag === undefined ? [] : (await ordersOf(tag)).map((order) => statusIn(order, number));
      if (statuses.includes('success')) return { number, state: 'held' };
      return statuses.includes('pending') ? { number, state: 'pending' } : null;
    },

    list: (signal) =>
      everyPage(1, signal, async (page) => {
        const rows = rowsOf(
          await get('/phone_numbers', { 'page[number]': String(page), 'page[size]': String(PAGE_SIZE) }),
          'data',
        );
        const held = rows.flatMap((row): HeldNumber[] => {
          const state = stateOf(row);
          return state ? [{ number: jsonText(row, 'phone_number'), state }] : [];
        });
        return { held, next: rows.length < PAGE_SIZE ? null : page + 1 };
      }),

    async pointCalls(number) {
      const row = await resourceOf(number);
      if (!row) throw new CarrierError('the account does not have the number', 404);
      const path = `/phone_numbers/${encodeURIComponent(jsonText(row, 'id'))}`;
      const changed = jsonObject(required(await send('PATCH', path, { connection_id })).data);
      if (jsonText(changed, 'connection_id') !== connection_id)
        throw new CarrierError('the calls still go elsewhere', 0);
    },

    async release(number, tag) {
      const orders = tag === undefined ? [] : await ordersOf(tag);
      for (const order of orders) if (statusIn(order, number) === 'pending') await cancel(order);
      const row = await resourceOf(number);
      if (!row) return;
      const response = await send('DELETE', `/phone_numbers/${encodeURIComponent(jsonText(row, 'id'))}`);
      if (response.status !== 404) required(response);
    },
  };
}

/** How a number of an order stands: the order may be decided while one of its numbers is not. */
function statusIn(order: Row, number: string): string {
  const row = objectsOf(order.phone_numbers).find(({ phone_number }) => phone_number === number);
  return jsonText(row ?? null, 'status') || jsonText(order, 'status');
}

/** Null for a number that the account does not have, or no more. */
function stateOf(row: Row): HeldNumber['state'] | null {
  const status = jsonText(row, 'status');
  if (ABSENT_STATES.includes(status)) return null;
  return PENDING_STATE.test(status) ? 'pending' : 'held';
}

function priceOf(row: Row): NumberPrice | null {
  const cost = jsonObject(row.cost_information);
  const monthly = amountOf(cost?.monthly_cost);
  const currency = jsonText(cost, 'currency').toUpperCase();
  if (monthly === null || !CURRENCIES.includes(currency)) return null;
  return { monthly, setup: amountOf(cost?.upfront_cost) ?? 0, currency: currency as NumberPrice['currency'] };
}

function required({ status, json }: CarrierResponse): CarrierResponse['json'] {
  if (isSuccess(status)) return json;
  throw new CarrierError(telnyxErrorText(json, status), status);
}
