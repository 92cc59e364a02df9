import { toE164 } from '../../shared/phone.ts';
import { basicAuth, isSuccess, jsonBody } from '../http/rest-request.ts';
import { withoutPlus } from './callback-fields.ts';
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

export interface PlivoNumbersAccount {
  auth_id: string;
  auth_token: string;
  api_url: string;
  /** The application whose answer URL is this service: Plivo's numbers have no URL of their own. */
  application_id: string;
}

const TYPES = new Map<unknown, OfferedType>([
  ['fixed', 'local'],
  ['local', 'local'],
  ['mobile', 'mobile'],
  ['tollfree', 'toll_free'],
]);
const QUERY_TYPES: Record<OfferedType, string> = { local: 'fixed', mobile: 'mobile', toll_free: 'tollfree' };
/** Plivo's limit. */
const PAGE_SIZE = 20;

/**
 * Plivo's resources PhoneNumber and Number of its API v1, as in Plivo's public documentation and its SDK plivo-node. Buying a
 * number that is rented already, by whomever, is answered like one that does not exist: only `find` shows whose it is.
 */
export function plivoNumbers({ auth_id, auth_token, api_url, application_id }: PlivoNumbersAccount): NumberInventory {
  const account = `${api_url.replace(/\/+$/, '')}/v1/Account/${encodeURIComponent(auth_id)}`;
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    sendCarrierRequest({
      ...{ method, url: `${account}${path}`, authorization: basicAuth(auth_id, auth_token) },
      ...(body ? { body: jsonBody(body) } : {}),
    });
  const numberPath = (number: string) => `/Number/${withoutPlus(number)}/`;

  async function release(number: string): Promise<void> {
    const response = await send('DELETE', numberPath(number));
    if (response.status !== 404) required(response);
  }

  return {
    async search({ country, type, contains, limit }) {
      const offers: NumberOffer[] = [];
      for (let offset = 0; offset < limit; offset += PAGE_SIZE) {
        const query = new URLSearchParams({
          ...{ country_iso: country, services: 'voice', limit: String(PAGE_SIZE), offset: String(offset) },
          ...(type ? { type: QUERY_TYPES[type] } : {}),
          ...(contains ? { pattern: contains } : {}),
        });
        const response = await send('GET', `/PhoneNumber/?${query}`);
        // Nothing found.
        if (response.status === 404) break;
        const page = objectsOf(required(response).objects);
        offers.push(...page.flatMap((row) => offerOf(row, country) ?? []));
        if (page.length < PAGE_SIZE) break;
      }
      return offers;
    },

    buy: ({ number }) =>
      buyOutcome(async () => {
        const { status, json } = await send('POST', `/PhoneNumber/${withoutPlus(number)}/`, { app_id: application_id });
        const reason = carrierErrorText(json.error, status);
        if (status >= 500) return { outcome: 'unknown', reason };
        if (!isSuccess(status)) return { outcome: status === 404 ? 'gone' : 'refused', reason };
        // The order can be fulfilled while its number still waits for documents.
        const [bought] = objectsOf(json.numbers);
        if (String(bought?.status).toLowerCase() === 'success') return { outcome: 'bought' };
        await release(number);
        return { outcome: 'refused', reason: 'the number needs documents' };
      }),

    async find(number) {
      const response = await send('GET', numberPath(number));
      if (response.status === 404) return null;
      required(response);
      return { number, state: 'held' };
    },

    list: (signal) =>
      everyPage(0, signal, async (offset) => {
        const response = await send(
          'GET',
          `/Number/?${new URLSearchParams({ limit: String(PAGE_SIZE), offset: String(offset) })}`,
        );
        const rows = rowsOf(required(response), 'objects');
        const held = rows.map(({ number }): HeldNumber => ({ number: toE164(String(number)), state: 'held' }));
        return { held, next: rows.length < PAGE_SIZE ? null : offset + PAGE_SIZE };
      }),

    async pointCalls(number) {
      required(await send('POST', numberPath(number), { app_id: application_id }));
    },

    release,
  };
}

/** Null for what cannot be bought without documents, or takes no calls. */
function offerOf(row: Record<string, unknown>, country: string): NumberOffer | null {
  const type = TYPES.get(row.type);
  if (!type || row.voice_enabled !== true || (row.restriction ?? null) !== null) return null;
  const monthly = amountOf(row.monthly_rental_rate);
  const price = monthly === null ? null : { monthly, setup: amountOf(row.setup_rate) ?? 0, currency: 'USD' as const };
  return { number: toE164(String(row.number ?? '')), country, type, price };
}

function required({ status, json }: CarrierResponse): CarrierResponse['json'] {
  if (isSuccess(status)) return json;
  throw new CarrierError(carrierErrorText(json.error, status), status);
}
