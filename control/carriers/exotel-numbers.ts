import { basicAuth, formBody, isSuccess } from '../http/rest-request.ts';
import { callerNumber, jsonObject, jsonText } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierRequest, type CarrierResponse, carrierErrorText, sendCarrierRequest } from './carrier-request.ts';
import {
  amountOf,
  buyOutcome,
  type HeldNumber,
  type NumberInventory,
  type NumberOffer,
  type NumberPrice,
  type OfferedType,
  objectsOf,
} from './number-inventory.ts';
import { everyPage, rowsOf } from './number-list.ts';

export interface ExotelNumbersAccount {
  account_sid: string;
  api_key: string;
  api_token: string;
  api_url: string;
  /** The flow that answers calls: Exotel's numbers have no URL of ours. */
  app_id: string;
}

const PATHS: Record<OfferedType, string> = { local: 'Landline', mobile: 'Mobile', toll_free: 'TollFree' };
const PAGE_SIZE = 50;

type Row = Readonly<Record<string, unknown>>;

/**
 * Exotel's resources AvailablePhoneNumbers and IncomingPhoneNumbers of its API v2_beta, as in Exotel's public documentation, which
 * shows no response of the search: it is read like the response of a purchase. A release is accepted, and carried out later.
 */
export function exotelNumbers({
  account_sid,
  api_key,
  api_token,
  api_url,
  app_id,
}: ExotelNumbersAccount): NumberInventory {
  const account = encodeURIComponent(account_sid);
  const base = `${api_url.replace(/\/+$/, '')}/v2_beta/Accounts/${account}`;
  const flow = `/${account}/exoml/start_voice/${encodeURIComponent(app_id)}`;
  const flowUrl = `http://my.exotel.com${flow}`;
  const send = (method: CarrierRequest['method'], path: string, form?: Record<string, string>) =>
    sendCarrierRequest({
      ...{ method, url: `${base}${path}`, authorization: basicAuth(api_key, api_token) },
      ...(form ? { body: formBody(new URLSearchParams(form)) } : {}),
    });

  async function offersOf(country: string, type: OfferedType, contains: string | undefined): Promise<NumberOffer[]> {
    const query = new URLSearchParams(contains ? { Contains: contains } : {});
    const response = await send('GET', `/AvailablePhoneNumbers/${country}/${PATHS[type]}?${query}`);
    // No such numbers in the country.
    if (response.status === 400 || response.status === 404) return [];
    return objectsOf(required(response).available_phone_numbers).map((row) => ({
      ...{ number: readNumber(jsonText(row, 'phone_number')), country, type },
      price: priceOf(row),
    }));
  }

  /** Every number of the account with its resource. */
  async function resources(signal?: AbortSignal): Promise<Map<string, string>> {
    const sids = new Map<string, string>();
    await everyPage(0, signal, async (page) => {
      const query = new URLSearchParams({ Page: String(page), PageSize: String(PAGE_SIZE) });
      const json = required(await send('GET', `/IncomingPhoneNumbers?${query}`));
      const before = sids.size;
      const rows = rowsOf(json, 'incoming_phone_numbers');
      const held = rows.map((row): HeldNumber => {
        const number = readNumber(jsonText(row, 'phone_number'));
        sids.set(number, jsonText(row, 'sid'));
        return { number, state: 'held' };
      });
      return { held, next: typeof json.next_page_uri === 'string' && sids.size > before ? page + 1 : null };
    });
    return sids;
  }

  async function pathOf(number: string): Promise<string | null> {
    const sid = (await resources()).get(number);
    if (sid === '') throw new CarrierError('a number without a sid', 0);
    return sid === undefined ? null : `/IncomingPhoneNumbers/${encodeURIComponent(sid)}`;
  }

  return {
    async search({ country, type, contains }) {
      const types = type ? [type] : (Object.keys(PATHS) as OfferedType[]);
      return (await Promise.all(types.map((each) => offersOf(country, each, contains)))).flat();
    },

    buy: ({ number, tag }) =>
      buyOutcome(async () => {
        const form = { PhoneNumber: number, VoiceUrl: flowUrl, FriendlyName: tag };
        const response = await send('POST', '/IncomingPhoneNumbers', form);
        const { status, json } = response;
        if (isSuccess(status) && jsonText(json, 'sid') !== '') return { outcome: 'bought' };
        const reason = reasonOf(response);
        // 409: somebody changes the account at the same time.
        if (isSuccess(status) || status >= 500 || status === 409) return { outcome: 'unknown', reason };
        return { outcome: status === 400 || status === 404 ? 'gone' : 'refused', reason };
      }),

    find: async (number) => ((await pathOf(number)) === null ? null : { number, state: 'held' }),

    list: async (signal) => [...(await resources(signal)).keys()].map((number) => ({ number, state: 'held' })),

    async pointCalls(number) {
      const path = await pathOf(number);
      if (path === null) throw new CarrierError('the account does not have the number', 404);
      const changed = required(await send('PUT', path, { VoiceUrl: flowUrl }));
      if (!jsonText(changed, 'voice_url').endsWith(flow)) throw new CarrierError('the calls still go elsewhere', 0);
    },

    async release(number) {
      const path = await pathOf(number);
      if (path === null) return;
      const response = await send('DELETE', path);
      if (response.status !== 404) required(response);
    },
  };
}

function priceOf(row: Row): NumberPrice | null {
  const monthly = amountOf(row.rental_price);
  const currency = jsonText(row, 'currency').toUpperCase();
  if (monthly === null || (currency !== 'INR' && currency !== 'USD')) return null;
  return { monthly, setup: 0, currency };
}

const reasonOf = ({ status, json }: CarrierResponse) =>
  carrierErrorText(jsonObject(json.RestException)?.Message ?? json.message ?? json.Message, status);

function required(response: CarrierResponse): CarrierResponse['json'] {
  if (isSuccess(response.status)) return response.json;
  throw new CarrierError(reasonOf(response), response.status);
}

/** ExoPhones are written in India's national form. */
export function asExoPhone(number: string): string {
  return /^\+91\d{10}$/.test(number) ? `0${number.slice(3)}` : number;
}

/** `09876543210` and `9876543210` are Indian numbers; every other number comes with its country code. */
export function readNumber(text: string): string {
  const national = /^0?([1-9]\d{9})$/.exec(text.trim());
  return national ? `+91${national[1]}` : callerNumber(text);
}
