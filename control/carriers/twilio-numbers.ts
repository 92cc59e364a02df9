import { E164_PATTERN } from '../../shared/phone.ts';
import { basicAuth, formBody, isSuccess } from '../http/rest-request.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierResponse, carrierErrorText, sendCarrierRequest } from './carrier-request.ts';
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

export interface TwilioNumbersAccount {
  account_sid: string;
  auth_token: string;
  api_url: string;
  /** Of the Pricing API, which has the prices that a search leaves out. */
  pricing_url: string;
  /** Where calls to the numbers arrive. */
  inbound_url: string;
}

/** In paths of the search, and in price lists. */
const KINDS: Record<OfferedType, { path: string; priced: string }> = {
  local: { path: 'Local', priced: 'local' },
  mobile: { path: 'Mobile', priced: 'mobile' },
  toll_free: { path: 'TollFree', priced: 'toll free' },
};

/** Not available, no number in the area, not a number. */
const GONE_CODES = [21421, 21422, 21452];
const LISTED_AT_ONCE = 50;

/**
 * Twilio's resources AvailablePhoneNumbers and IncomingPhoneNumbers of its API 2010-04-01, and its Pricing API, as in Twilio's
 * public documentation. Posting a number that the account has already changes it instead of buying it twice.
 */
export function twilioNumbers(account: TwilioNumbersAccount): NumberInventory {
  const { account_sid, auth_token, inbound_url } = account;
  const base = `${trimmed(account.api_url)}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}`;
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, form?: URLSearchParams) =>
    sendCarrierRequest({
      ...{ method, url, authorization: basicAuth(account_sid, auth_token) },
      ...(form ? { body: formBody(form) } : {}),
    });

  async function offersOf(country: string, type: OfferedType, query: URLSearchParams): Promise<Offer[]> {
    const url = `${base}/AvailablePhoneNumbers/${country}/${KINDS[type].path}.json?${query}`;
    const response = await send('GET', url);
    // The country has no numbers of this type.
    if (response.status === 404) return [];
    return objectsOf(required(response).available_phone_numbers).flatMap(({ phone_number, address_requirements }) =>
      typeof phone_number === 'string' && E164_PATTERN.test(phone_number) && address_requirements === 'none'
        ? { number: phone_number, country, type }
        : [],
    );
  }

  async function pricesOf(country: string): Promise<Map<string, NumberPrice>> {
    const response = await send('GET', `${trimmed(account.pricing_url)}/v1/PhoneNumbers/Countries/${country}`);
    if (response.status === 404) return new Map();
    const { price_unit, phone_number_prices } = required(response);
    const currency = typeof price_unit === 'string' ? price_unit.toUpperCase() : '';
    if (currency !== 'USD' && currency !== 'INR' && currency !== 'EUR') return new Map();
    return new Map(
      objectsOf(phone_number_prices).flatMap(({ number_type, current_price }): [string, NumberPrice][] => {
        const monthly = amountOf(current_price);
        return monthly === null ? [] : [[String(number_type), { monthly, setup: 0, currency }]];
      }),
    );
  }

  /** The resource of a number that the account has; null when it has not. */
  async function resourceOf(number: string): Promise<string | null> {
    const response = await send(
      'GET',
      `${base}/IncomingPhoneNumbers.json?${new URLSearchParams({ PhoneNumber: number })}`,
    );
    const held = rowsOf(required(response), 'incoming_phone_numbers').find(
      ({ phone_number }) => phone_number === number,
    );
    if (!held) return null;
    if (typeof held.sid !== 'string' || held.sid === '') throw new CarrierError('a number without a sid', 0);
    return `${base}/IncomingPhoneNumbers/${encodeURIComponent(held.sid)}.json`;
  }

  /** A trunk or an application of the number would come before its URL. */
  const calls = { VoiceUrl: inbound_url, VoiceMethod: 'POST', VoiceApplicationSid: '', TrunkSid: '' };

  return {
    async search({ country, type, contains, limit }) {
      const query = new URLSearchParams({
        VoiceEnabled: 'true',
        ExcludeAllAddressRequired: 'true',
        PageSize: String(limit),
        ...(contains ? { Contains: contains } : {}),
      });
      const types = type ? [type] : (Object.keys(KINDS) as OfferedType[]);
      const [prices, ...found] = await Promise.all([
        pricesOf(country),
        ...types.map((each) => offersOf(country, each, query)),
      ]);
      return found
        .flat()
        .map((offer): NumberOffer => ({ ...offer, price: prices.get(KINDS[offer.type].priced) ?? null }));
    },

    buy: ({ number, tag }) =>
      buyOutcome(async () => {
        const form = new URLSearchParams({
          PhoneNumber: number,
          FriendlyName: tag,
          VoiceUrl: inbound_url,
          VoiceMethod: 'POST',
        });
        const { status, json } = await send('POST', `${base}/IncomingPhoneNumbers.json`, form);
        if (isSuccess(status)) return { outcome: 'bought' };
        const reason = carrierErrorText(json.message, status);
        if (status >= 500) return { outcome: 'unknown', reason };
        return { outcome: GONE_CODES.includes(Number(json.code)) ? 'gone' : 'refused', reason };
      }),

    find: async (number) => ((await resourceOf(number)) === null ? null : { number, state: 'held' }),

    list: (signal) =>
      everyPage(`${base}/IncomingPhoneNumbers.json?PageSize=${LISTED_AT_ONCE}`, signal, async (url) => {
        const json = required(await send('GET', url));
        const held = rowsOf(json, 'incoming_phone_numbers').map(
          ({ phone_number }): HeldNumber => ({ number: String(phone_number), state: 'held' }),
        );
        const { next_page_uri } = json;
        // A path of the API: the credentials go nowhere else.
        const next =
          typeof next_page_uri === 'string' && next_page_uri.startsWith('/2010-04-01/') ? next_page_uri : null;
        return { held, next: next && `${trimmed(account.api_url)}${next}` };
      }),

    async pointCalls(number) {
      const url = await resourceOf(number);
      if (url === null) throw new CarrierError('the account does not have the number', 404);
      required(await send('POST', url, new URLSearchParams(calls)));
    },

    async release(number) {
      const url = await resourceOf(number);
      if (url === null) return;
      const response = await send('DELETE', url);
      if (response.status !== 404) required(response);
    },
  };
}

type Offer = Omit<NumberOffer, 'price'>;

const trimmed = (url: string) => url.replace(/\/+$/, '');

/** The JSON of a success. @throws CarrierError for any other response. */
function required({ status, json }: CarrierResponse): CarrierResponse['json'] {
  if (isSuccess(status)) return json;
  throw new CarrierError(carrierErrorText(json.message, status), status);
}
