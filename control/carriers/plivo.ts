import type { plivo } from '../../shared/carriers/plivo.ts';
import { basicAuth, isSuccess, jsonBody } from '../http/rest-request.ts';
import type { CarrierCallRef, CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, field, jsonText, sortedFields, withoutPlus } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { carrierErrorText, dialOutcome, dialWithoutCall, sendCarrierRequest } from './carrier-request.ts';
import { anySignatureMatches, hmacBase64 } from './compare-signatures.ts';
import { plivoNumbers } from './plivo-numbers.ts';
import { plivoTransfers } from './plivo-transfers.ts';
import { readSampleRate, type SampleRate } from './sample-rate.ts';
import { escapeXml, xmlResponse } from './xml.ts';

export interface PlivoAccount {
  auth_id: string;
  auth_token: string;
  api_url: string;
  /** Of the stream; default 8000. */
  sample_rate?: SampleRate;
}

const STATUSES = new Map<string, CarrierStatus>(
  Object.entries({
    queued: 'queued',
    ringing: 'ringing',
    'in-progress': 'in-progress',
    completed: 'completed',
    busy: 'busy',
    failed: 'failed',
    timeout: 'no-answer',
    'no-answer': 'no-answer',
    cancel: 'canceled',
    canceled: 'canceled',
  }),
);

const MAX_QUEUED_LOOKED_AT = 20;
/** The cause of a call's end when the account has too many calls at once, in India ("Hangup causes and sources"). */
const OVER_LIMIT = '5030';
const BUSY = '3010';
/** Plivo signs no time: a callback is known for longer than its call can last, and later changes nothing of a call that is over. */
const NONCE_REMEMBERED_MS = 24 * 3_600_000;

const STREAM = 'bidirectional="true" keepCallAlive="true"';
const CONTENT_TYPES = { 8000: 'audio/x-mulaw;rate=8000', 16000: 'audio/x-l16;rate=16000' };

/**
 * Plivo Voice: REST API v1 (Call, Request), XML (`Stream`, `Hangup`) and request signatures V3, as in Plivo's public
 * documentation ("Call API", "List all live calls", "List all queued calls", "Retrieve a call", "Audio streaming", "Request validation") and its SDK
 * plivo-node, which filters live calls by numbers and direction since 4.0.4.
 */
export function createPlivo({ auth_id, auth_token, api_url, sample_rate = 8000 }: PlivoAccount): Carrier {
  const stream = `${STREAM} contentType="${CONTENT_TYPES[sample_rate]}"`;
  const account = `${api_url.replace(/\/+$/, '')}/v1/Account/${encodeURIComponent(auth_id)}`;
  const request = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) =>
    sendCarrierRequest({
      method,
      url,
      authorization: basicAuth(auth_id, auth_token),
      ...(body ? { body: jsonBody(body) } : {}),
    });

  /** @throws CarrierError when Plivo did not answer, or not with a list. */
  async function listCalls(filter: Record<string, string>): Promise<string[]> {
    const { status, json } = await request('GET', `${account}/Call/?${new URLSearchParams(filter)}`);
    if (!isSuccess(status) || !Array.isArray(json.calls)) {
      throw new CarrierError(carrierErrorText(json.error, status), status);
    }
    return json.calls.filter((id) => typeof id === 'string');
  }

  /** Empty for a call that waits no more. */
  async function queuedCall(id: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, json } = await request('GET', `${account}/Call/${encodeURIComponent(id)}/?status=queued`);
    if (isSuccess(status)) return json;
    if (status === 404) return {};
    throw new CarrierError(carrierErrorText(json.error, status), status);
  }

  const carrier: Carrier = {
    name: 'plivo',

    async dial({ from_number, to_number, answer_url, status_url, ring_seconds }) {
      return dialOutcome(async () => {
        const response = await request('POST', `${account}/Call/`, {
          from: withoutPlus(from_number),
          to: withoutPlus(to_number),
          answer_url,
          answer_method: 'POST',
          ring_url: status_url,
          ring_method: 'POST',
          hangup_url: status_url,
          hangup_method: 'POST',
          ring_timeout: ring_seconds,
        });
        const { status, json } = response;
        const requestId = Array.isArray(json.request_uuid) ? json.request_uuid[0] : json.request_uuid;
        if (isSuccess(status) && typeof requestId === 'string' && requestId !== '') {
          return { accepted: true, provider_call_id: '', provider_request_id: requestId };
        }
        return dialWithoutCall(response, carrierErrorText(json.error, status));
      });
    },

    async findDial({ from_number, to_number }) {
      const numbers = { from_number: withoutPlus(from_number), to_number: withoutPlus(to_number) };
      const live = await listCalls({ status: 'live', call_direction: 'outbound', ...numbers });
      // Calls that wait at Plivo cannot be listed by number.
      const queued = await listCalls({ status: 'queued' });
      const waiting = await Promise.all(queued.slice(0, MAX_QUEUED_LOOKED_AT).map(queuedCall));
      const mine = waiting.filter(
        (call) => jsonText(call, 'to') === numbers.to_number && jsonText(call, 'from') === numbers.from_number,
      );
      const ids = [...live, ...mine.map((call) => jsonText(call, 'call_uuid'))].filter((id) => id !== '');
      return {
        dials: ids.map((id) => ({ provider_call_id: id, provider_request_id: '', status: null, carrier_status: '' })),
        exact: false,
        complete: queued.length <= MAX_QUEUED_LOOKED_AT,
      };
    },

    async findCall({ provider_call_id }) {
      const url = `${account}/Call/${encodeURIComponent(provider_call_id)}/`;
      for (const goesOn of ['live', 'queued']) {
        const { status, json } = await request('GET', `${url}?status=${goesOn}`);
        if (isSuccess(status)) return { status: null, carrier_status: '' };
        if (status !== 404) throw new CarrierError(carrierErrorText(json.error, status), status);
      }
      const { status, json } = await request('GET', url);
      if (!isSuccess(status)) throw new CarrierError(carrierErrorText(json.error, status), status);
      const wasAnswered = jsonText(json, 'answer_time') !== '';
      const isBusy = String(json.hangup_cause_code) === BUSY;
      const carrier_status = jsonText(json, 'hangup_cause_name');
      return { status: wasAnswered ? 'completed' : isBusy ? 'busy' : 'no-answer', carrier_status };
    },

    async hangUp(call) {
      const { status, json } = await request('DELETE', callUrl(account, call));
      if (isSuccess(status)) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(carrierErrorText(json.error, status), status);
    },

    verifyCallback(callback) {
      // Signed with the token of the account that was used, and with the main account's.
      const given = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3'].flatMap((name) =>
        callback
          .header(name)
          .split(',')
          .map((text) => text.trim()),
      );
      const nonce = callback.header('x-plivo-signature-v3-nonce');
      return nonce !== '' && anySignatureMatches(given, [plivoSignature(auth_token, nonce, callback)]);
    },

    proofOf: (callback) => ({
      // Not the nonce alone: the point before it could be moved into the fields.
      text: plivoSignature(auth_token, callback.header('x-plivo-signature-v3-nonce'), callback),
      remembered_ms: NONCE_REMEMBERED_MS,
    }),

    parseCallback({ fields }) {
      const provider_call_id = field(fields, 'CallUUID');
      const provider_request_id = field(fields, 'RequestUUID') || field(fields, 'ALegRequestUUID');
      if (provider_call_id === '' && provider_request_id === '') return null;
      const call_status = field(fields, 'CallStatus');
      const status = STATUSES.get(call_status) ?? null;
      const cause = [field(fields, 'HangupCauseCode'), field(fields, 'HangupCauseName')].join(' ').trim();
      return {
        provider_call_id,
        provider_request_id,
        from_number: callerNumber(field(fields, 'From')),
        to_number: callerNumber(field(fields, 'To')),
        status,
        // Failures are told apart by their cause only.
        ...(status === 'failed' && field(fields, 'HangupCauseCode') === OVER_LIMIT ? { over_limit: true } : {}),
        carrier_status: status === 'failed' && cause !== '' ? `${call_status} (${cause})` : call_status,
      };
    },

    connect: (_call, streamUrl) => xmlResponse(`<Stream ${stream}>${escapeXml(streamUrl)}</Stream>`),
    reject: () => xmlResponse('<Hangup reason="busy"/>'),
    end: () => xmlResponse('<Hangup/>'),
    transfers: plivoTransfers({
      dial: (order) => carrier.dial({ ...order, stream_url: '' }),
      update: (callUuid, body) => request('POST', `${account}/Call/${encodeURIComponent(callUuid)}/`, body),
    }),
  };
  return carrier;
}

export const adapter: CarrierAdapter<typeof plivo> = (settings) => {
  const account = {
    auth_id: settings.PLIVO_AUTH_ID,
    auth_token: settings.PLIVO_AUTH_TOKEN,
    api_url: settings.PLIVO_API_URL,
    sample_rate: readSampleRate('PLIVO_SAMPLE_RATE', settings.PLIVO_SAMPLE_RATE),
  };
  const application_id = settings.PLIVO_APPLICATION_ID;
  if (application_id === '') return createPlivo(account);
  return { ...createPlivo(account), numbers: plivoNumbers({ ...account, application_id }) };
};

/** A call that is still being dialled has no id yet: its request is deleted. */
function callUrl(account: string, { provider_call_id, provider_request_id }: CarrierCallRef): string {
  return provider_call_id === ''
    ? `${account}/Request/${encodeURIComponent(provider_request_id)}/`
    : `${account}/Call/${encodeURIComponent(provider_call_id)}/`;
}

/**
 * Signature V3 of a POST: base64(HMAC-SHA256(auth token, `<url>?<sorted query>.<sorted form fields>.<nonce>`)).
 * The query is written `name=value&…`, the form `namevalue…`; without a query there is a bare `?`, and the point
 * between the two stands only when both exist. A POST without fields is signed like a GET.
 */
export function plivoSignature(
  authToken: string,
  nonce: string,
  { url, fields }: Pick<SignedCallback, 'url' | 'fields'>,
): string {
  const [base, rawQuery = ''] = splitOnce(url, '?');
  const query = [...new URLSearchParams(rawQuery)]
    .sort(([a, x], [b, y]) => (a !== b ? (a < b ? -1 : 1) : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const form = sortedFields(fields)
    .map(([name, values]) => values.map((value) => name + value).join(''))
    .join('');
  const text = `${base}${query || form ? '?' : ''}${query}${query && form ? '.' : ''}${form}`;
  return hmacBase64('sha256', authToken, `${text}.${nonce}`);
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
