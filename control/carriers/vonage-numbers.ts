import { E164_PATTERN, toE164 } from '../../shared/phone.ts';
import { basicAuth, formBody, isSuccess } from '../http/rest-request.ts';
import { jsonText, withoutPlus } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierResponse, carrierErrorText, sendCarrierRequest } from './carrier-request.ts';
import {
  amountOf,
  buyOutcome,
  type HeldNumber,
  type NumberInventory,
  type NumberOffer,
  type OfferedType,
  objectsOf,
} from './number-inventory.ts';
import { everyPage, rowsOf } from './number-list.ts';

export interface VonageNumbersAccount {
  api_key: string;
  api_secret: string;
  numbers_url: string;
  /** The application that the calls of the numbers go to. */
  application_id: string;
}

const TYPES = new Map<unknown, OfferedType>([
  ['landline', 'local'],
  ['mobile-lvn', 'mobile'],
  ['landline-toll-free', 'toll_free'],
]);
const QUERY_TYPES: Record<OfferedType, string> = {
  local: 'landline',
  mobile: 'mobile-lvn',
  toll_free: 'landline-toll-free',
};
const PAGE_SIZE = 50;
/** Of `search_pattern`. */
const STARTS_WITH = '0';
const CONTAINS = '1';

type Row = Readonly<Record<string, unknown>>;

/**
 * Vonage's Numbers API, as in its specification 1.1. Success is in `error-code`, the cause of a failure in its label only; a
 * number has no id but its country and digits, and prices are in euros.
 */
export function vonageNumbers(account: VonageNumbersAccount): NumberInventory {
  const { api_key, api_secret, application_id } = account;
  const base = account.numbers_url.replace(/\/+$/, '');
  const authorization = basicAuth(api_key, api_secret);
  const get = (path: string, query: Record<string, string>) =>
    sendCarrierRequest({ method: 'GET', url: `${base}${path}?${new URLSearchParams(query)}`, authorization });
  const post = (path: string, form: Record<string, string>) =>
    sendCarrierRequest({
      ...{ method: 'POST', url: `${base}${path}`, authorization },
      body: formBody(new URLSearchParams(form)),
    });

  async function listed(query: Record<string, string>): Promise<Row[]> {
    const json = required(await get('/account/numbers', query));
    // An account without such numbers is answered by an empty object.
    return json.numbers === undefined && (json.count ?? 0) === 0 ? [] : rowsOf(json, 'numbers');
  }

  /** The account's number; null when it has not. */
  async function resourceOf(number: string): Promise<Row | null> {
    const rows = await listed({ pattern: withoutPlus(number), search_pattern: STARTS_WITH });
    return rows.find(({ msisdn }) => toE164(String(msisdn)) === number) ?? null;
  }

  const nameOf = (row: Row) => ({ country: jsonText(row, 'country'), msisdn: jsonText(row, 'msisdn') });
  const point = (name: { country: string; msisdn: string }) =>
    post('/number/update', { ...name, app_id: application_id });

  return {
    async search({ country, type, contains, limit }) {
      const response = await get('/number/search', {
        ...{ country, features: 'VOICE', size: String(limit), index: '1' },
        ...(type ? { type: QUERY_TYPES[type] } : {}),
        ...(contains ? { pattern: contains, search_pattern: CONTAINS } : {}),
      });
      // A country without numbers.
      if (response.status === 404 || response.status === 420) return [];
      return objectsOf(required(response).numbers).flatMap((row) => offerOf(row, country) ?? []);
    },

    buy: ({ number, country }) =>
      buyOutcome(async () => {
        const name = { country, msisdn: withoutPlus(number) };
        const response = await post('/number/buy', name);
        const { status } = response;
        if (!carriedOut(response)) {
          const reason = reasonOf(response);
          if (status >= 500 || isSuccess(status)) return { outcome: 'unknown', reason };
          // `method failed` is said of a number that is taken, of missing credit, and of one that the account has: only the list tells.
          if (status !== 420 || !(await resourceOf(number))) {
            return { outcome: status === 404 ? 'gone' : 'refused', reason };
          }
        }
        // A number whose calls go elsewhere is bought all the same; connecting it points them again.
        await point(name).catch(() => null);
        return { outcome: 'bought' };
      }),

    find: async (number) => ((await resourceOf(number)) === null ? null : { number, state: 'held' }),

    list: (signal) =>
      everyPage(1, signal, async (index) => {
        const rows = await listed({ size: String(PAGE_SIZE), index: String(index) });
        const held = rows.map(({ msisdn }): HeldNumber => ({ number: toE164(String(msisdn)), state: 'held' }));
        return { held, next: rows.length < PAGE_SIZE ? null : index + 1 };
      }),

    async pointCalls(number) {
      const row = await resourceOf(number);
      if (!row) throw new CarrierError('the account does not have the number', 404);
      const response = await point(nameOf(row));
      if (!carriedOut(response)) throw new CarrierError(reasonOf(response), response.status);
      const now = await resourceOf(number);
      // An address of the number itself comes before its application.
      const overridden = ['sip', 'tel'].includes(jsonText(now, 'voiceCallbackType'));
      if (jsonText(now, 'app_id') !== application_id || overridden) {
        throw new CarrierError('the calls still go elsewhere', 0);
      }
    },

    async release(number) {
      const row = await resourceOf(number);
      if (!row) return;
      const response = await post('/number/cancel', nameOf(row));
      if (!carriedOut(response)) throw new CarrierError(reasonOf(response), response.status);
    },
  };
}

function offerOf(row: Row, country: string): NumberOffer | null {
  const type = TYPES.get(row.type);
  const number = toE164(jsonText(row, 'msisdn'));
  if (!type || !E164_PATTERN.test(number)) return null;
  const monthly = amountOf(row.cost);
  const price = monthly === null ? null : { monthly, setup: amountOf(row.initialPrice) ?? 0, currency: 'EUR' as const };
  return { number, country, type, price };
}

const carriedOut = ({ status, json }: CarrierResponse) => isSuccess(status) && jsonText(json, 'error-code') === '200';

const reasonOf = ({ status, json }: CarrierResponse) =>
  carrierErrorText(json['error-code-label'] ?? json.title, status);

function required(response: CarrierResponse): CarrierResponse['json'] {
  if (isSuccess(response.status)) return response.json;
  throw new CarrierError(reasonOf(response), response.status);
}
