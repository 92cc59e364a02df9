import type { twilio } from '../../shared/carriers/twilio.ts';
import { basicAuth, formBody, isSuccess } from '../http/rest-request.ts';
import type { CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, field, jsonObject, jsonText, sortedFields } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { carrierErrorText, dialOutcome, dialWithoutCall, sendCarrierRequest } from './carrier-request.ts';
import { carrierUrls } from './carrier-urls.ts';
import { anySignatureMatches, hmacBase64 } from './compare-signatures.ts';
import { type FoundDial, mayBeOfDial } from './dial.ts';
import { twilioNumbers } from './twilio-numbers.ts';
import { twilioTransfers } from './twilio-transfers.ts';
import { escapeXml, xmlResponse } from './xml.ts';

export interface TwilioAccount {
  account_sid: string;
  auth_token: string;
  api_url: string;
}

const STATUSES = new Map<string, CarrierStatus>(
  Object.entries({
    queued: 'queued',
    initiated: 'queued',
    ringing: 'ringing',
    'in-progress': 'in-progress',
    completed: 'completed',
    busy: 'busy',
    failed: 'failed',
    'no-answer': 'no-answer',
    canceled: 'canceled',
  }),
);

/** Twilio's error 10004, "Call concurrency limit exceeded". Calls above the account's calls per second wait at Twilio. */
const CONCURRENCY_EXCEEDED = 10004;

/**
 * Twilio Programmable Voice: REST API 2010-04-01 (resource Call), TwiML (`Connect`, `Stream`, `Reject`) and request
 * signatures, as in Twilio's public documentation ("Calls resource", "TwiML Voice", "Validating requests").
 */
export function createTwilio({ account_sid, auth_token, api_url }: TwilioAccount): Carrier {
  const calls = `${api_url.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}/Calls`;
  const authorization = basicAuth(account_sid, auth_token);
  const post = (url: string, form: URLSearchParams) =>
    sendCarrierRequest({ method: 'POST', url, authorization, body: formBody(form) });

  const carrier: Carrier = {
    name: 'twilio',

    async dial({ from_number, to_number, answer_url, status_url, ring_seconds }) {
      const form = new URLSearchParams({
        To: to_number,
        From: from_number,
        Url: answer_url,
        Method: 'POST',
        StatusCallback: status_url,
        StatusCallbackMethod: 'POST',
        Timeout: String(ring_seconds),
      });
      for (const event of ['initiated', 'ringing', 'answered', 'completed']) form.append('StatusCallbackEvent', event);
      return dialOutcome(async () => {
        const response = await post(`${calls}.json`, form);
        const { status, json } = response;
        if (isSuccess(status) && typeof json.sid === 'string' && json.sid !== '') {
          return { accepted: true, provider_call_id: json.sid, provider_request_id: '' };
        }
        const overLimit = json.code === CONCURRENCY_EXCEEDED;
        return dialWithoutCall(response, carrierErrorText(json.message, status), { overLimit });
      });
    },

    async findDial(dial) {
      // A call's record does not hold the addresses that were given with it, so that its numbers and its time have to do.
      const query = new URLSearchParams({ To: dial.to_number, From: dial.from_number, PageSize: '50' });
      const { status, json } = await sendCarrierRequest({
        method: 'GET',
        url: `${calls}.json?${query}`,
        authorization,
      });
      if (!isSuccess(status) || !Array.isArray(json.calls)) {
        throw new CarrierError(carrierErrorText(json.message, status), status);
      }
      const dials = json.calls.flatMap((call): FoundDial[] => {
        const record = jsonObject(call);
        const provider_call_id = jsonText(record, 'sid');
        const isDial = jsonText(record, 'direction') === 'outbound-api';
        if (provider_call_id === '' || !isDial || !mayBeOfDial(Date.parse(jsonText(record, 'date_created')), dial))
          return [];
        const carrier_status = jsonText(record, 'status');
        const callStatus = STATUSES.get(carrier_status) ?? null;
        return [{ provider_call_id, provider_request_id: '', status: callStatus, carrier_status }];
      });
      return { dials, exact: false, complete: true };
    },

    async findCall({ provider_call_id }) {
      const url = `${calls}/${encodeURIComponent(provider_call_id)}.json`;
      const { status, json } = await sendCarrierRequest({ method: 'GET', url, authorization });
      if (!isSuccess(status)) throw new CarrierError(carrierErrorText(json.message, status), status);
      const carrier_status = jsonText(json, 'status');
      return { status: STATUSES.get(carrier_status) ?? null, carrier_status };
    },

    async hangUp({ provider_call_id }) {
      // `completed` ends ringing and answered calls alike; `canceled` would lose the race against an answer.
      const url = `${calls}/${encodeURIComponent(provider_call_id)}.json`;
      const { status, json } = await post(url, new URLSearchParams({ Status: 'completed' }));
      if (isSuccess(status)) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(carrierErrorText(json.message, status), status);
    },

    verifyCallback: (callback) =>
      anySignatureMatches([callback.header('x-twilio-signature')], twilioSignatures(auth_token, callback)),

    parseCallback({ fields }) {
      const provider_call_id = field(fields, 'CallSid');
      if (provider_call_id === '') return null;
      const carrier_status = field(fields, 'CallStatus');
      return {
        provider_call_id,
        provider_request_id: '',
        from_number: callerNumber(field(fields, 'From')),
        to_number: callerNumber(field(fields, 'To')),
        status: STATUSES.get(carrier_status) ?? null,
        carrier_status,
      };
    },

    connect: (_call, streamUrl) => xmlResponse(`<Connect><Stream url="${escapeXml(streamUrl)}"/></Connect>`),
    reject: () => xmlResponse('<Reject reason="busy"/>'),
    end: () => xmlResponse('<Hangup/>'),
    transfers: twilioTransfers({
      dial: (order) => carrier.dial({ ...order, stream_url: '' }),
      update: (callSid, form) => post(`${calls}/${encodeURIComponent(callSid)}.json`, form),
    }),
  };
  return carrier;
}

export const adapter: CarrierAdapter<typeof twilio> = (settings) => {
  const account = {
    account_sid: settings.TWILIO_ACCOUNT_SID,
    auth_token: settings.TWILIO_AUTH_TOKEN,
    api_url: settings.TWILIO_API_URL,
  };
  const inbound_url = carrierUrls(settings.PUBLIC_API_URL, '').inboundUrl('twilio');
  const numbers = twilioNumbers({ ...account, pricing_url: settings.TWILIO_PRICING_URL, inbound_url });
  return { ...createTwilio(account), numbers };
};

/**
 * base64(HMAC-SHA1(auth token, address + every form field as name and value, sorted by name)). Twilio signs the
 * URL with or without the scheme's default port, so both are returned.
 */
export function twilioSignatures(authToken: string, { url, fields }: Pick<SignedCallback, 'url' | 'fields'>): string[] {
  const body = sortedFields(fields)
    .map(([name, values]) => [...new Set(values)].map((value) => name + value).join(''))
    .join('');
  return portVariants(url).map((variant) => hmacBase64('sha1', authToken, variant + body));
}

function portVariants(url: string): string[] {
  const parts = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url);
  if (!parts) return [url];
  const [, scheme, authority, rest] = parts as unknown as [string, string, string, string];
  const hasPort = /:\d+$/.test(authority);
  const other = hasPort ? authority.replace(/:\d+$/, '') : `${authority}:${scheme === 'https' ? 443 : 80}`;
  return [url, `${scheme}://${other}${rest}`];
}
