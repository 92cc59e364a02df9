import type { exotel } from '../../shared/carriers/exotel.ts';
import { systemClock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { basicAuth, formBody, isSuccess } from '../http/rest-request.ts';
import type { CallbackFields, CarrierStatus } from './callback.ts';
import { field, jsonObject, jsonText, queryParameter } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { carrierErrorText, dialOutcome, dialWithoutCall, sendCarrierRequest } from './carrier-request.ts';
import { anySignatureMatches, hmacBase64 } from './compare-signatures.ts';
import { asExoPhone, exotelNumbers, readNumber } from './exotel-numbers.ts';
import { hashOfKey, validKeyHashes } from './number-callback-keys.ts';

export interface ExotelAccount {
  account_sid: string;
  api_key: string;
  api_token: string;
  api_url: string;
  /** Chosen by the operator: callbacks carry it, or a key derived from it. Several with commas, the newest first: all are valid. */
  callback_key: string;
}

export interface ExotelDeps {
  /** The hashes of a number's own keys (`number-callback-keys.ts`). */
  keysOfNumber?(number: string): Promise<readonly Buffer[]>;
}

const STATUSES = new Map<string, CarrierStatus>(
  Object.entries({
    queued: 'queued',
    ringing: 'ringing',
    'in-progress': 'in-progress',
    answered: 'in-progress',
    completed: 'completed',
    busy: 'busy',
    failed: 'failed',
    'no-answer': 'no-answer',
    canceled: 'canceled',
  }),
);
const MIN_KEY_LENGTH = 16;
const OVER: readonly (CarrierStatus | undefined)[] = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];

/**
 * Exotel: `Calls/connect` of the API v1 with `StreamUrl` ("Connect Voice AI"), the Voicebot applet, which asks the API for
 * the stream URL, and status callbacks, as in Exotel's public documentation ("AgentStream", "Make a call API").
 *
 * Exotel lacks:
 * - signatures. Callback URLs carry `key=`: a key of the number where it has some, else the setting itself, both typed into an applet;
 *   for each placed call a key of its own, derived from the setting.
 * - a request to hang up. An answered call ends when the engine closes its stream; a ringing call goes on ringing, and its
 *   stream is refused when somebody answers.
 * - a list of calls that ring: its bulk details hold calls that are over. A dial whose answer did not come is settled by callbacks.
 * - a rejection. The applet gets no URL and fails, and the flow goes on to the applet behind it, which should hang up.
 */
export function createExotel(
  { account_sid, api_key, api_token, api_url, callback_key }: ExotelAccount,
  { keysOfNumber }: ExotelDeps = {},
): Carrier {
  const serviceKeys = readKeys(callback_key);
  const calls = `${api_url.replace(/\/+$/, '')}/v1/Accounts/${encodeURIComponent(account_sid)}/Calls`;
  const authorization = basicAuth(api_key, api_token);
  const getCall = (sid: string) =>
    sendCarrierRequest({ method: 'GET', url: `${calls}/${encodeURIComponent(sid)}.json`, authorization });

  return {
    name: 'exotel',

    dial({ from_number, to_number, status_url, ring_seconds, stream_url = '' }) {
      const form = new URLSearchParams({
        From: to_number,
        CallerId: asExoPhone(from_number),
        StreamUrl: withSampleRate(stream_url),
        StreamType: 'bidirectional',
        TimeOut: String(ring_seconds),
        StatusCallback: withKey(status_url, serviceKeys[0]!),
        StatusCallbackContentType: 'application/json',
      });
      for (const event of ['ringing', 'answered', 'terminal']) form.append('StatusCallbackEvents[]', event);
      return dialOutcome(async () => {
        const url = `${calls}/connect.json`;
        const response = await sendCarrierRequest({ method: 'POST', url, authorization, body: formBody(form) });
        const { status, json } = response;
        const sid = jsonObject(json.Call)?.Sid;
        if (isSuccess(status) && typeof sid === 'string' && sid !== '') {
          return { accepted: true, provider_call_id: sid, provider_request_id: '' };
        }
        return dialWithoutCall(response, carrierErrorText(jsonObject(json.RestException)?.Message, status));
      });
    },

    async findCall({ provider_call_id }) {
      const { status, json } = await getCall(provider_call_id);
      if (!isSuccess(status)) {
        throw new CarrierError(carrierErrorText(jsonObject(json.RestException)?.Message, status), status);
      }
      const carrier_status = jsonText(jsonObject(json.Call), 'Status');
      return { status: STATUSES.get(carrier_status) ?? null, carrier_status };
    },

    async hangUp({ provider_call_id }) {
      const { status, json } = await getCall(provider_call_id);
      if (status === 404 || OVER.includes(STATUSES.get(String(jsonObject(json.Call)?.Status)))) return 'gone';
      throw new CarrierError('Exotel ends a call only by its stream', status);
    },

    verifyCallback: ({ url, fields, json }) => {
      const query = new URLSearchParams(url.split('?')[1] ?? '');
      const given = [query.get('key') ?? ''];
      const callId = query.get('call_id') ?? '';
      const callKeys = callId === '' ? [] : serviceKeys.map((key) => callKey(callId, key));
      if (anySignatureMatches(given, callKeys)) return true;
      const isServiceKey = anySignatureMatches(given, serviceKeys);
      const number = numberCalled(json ? textFields(json) : fields);
      if (!keysOfNumber || number === '') return isServiceKey;
      return keysOfNumber(number).then((hashes) =>
        hashes.length === 0 ? isServiceKey : hashes.some((hash) => hash.equals(hashOfKey(given[0]!))),
      );
    },

    parseCallback({ fields, json }) {
      const content = json ? textFields(json) : fields;
      const provider_call_id = field(content, 'CallSid');
      if (provider_call_id === '') return null;
      // An applet sends `CallStatus`, a status callback sends `Status`.
      const carrier_status = field(content, 'Status') || field(content, 'CallStatus');
      return {
        provider_call_id,
        provider_request_id: '',
        from_number: readNumber(field(content, 'CallFrom') || field(content, 'From')),
        to_number: numberCalled(content),
        status: STATUSES.get(carrier_status) ?? null,
        carrier_status,
      };
    },

    connect: (_call, streamUrl) => streamResponse(withSampleRate(streamUrl)),
    reject: () => streamResponse(''),
    end: () => streamResponse(''),
  };
}

/** The newest first. A key that has a comma itself stays one, and is taken as before. */
function readKeys(setting: string): string[] {
  const keys = commaSeparated(setting);
  if (setting === '') return [];
  return keys.length > 1 && keys.every(({ length }) => length >= MIN_KEY_LENGTH) ? [...keys, setting] : [setting];
}

/** @throws Error when the callback key is missing or too short to prove a callback. */
export const adapter: CarrierAdapter<typeof exotel> = (settings, { sql } = {}) => {
  const callback_key = settings.EXOTEL_CALLBACK_KEY;
  if (callback_key.length < MIN_KEY_LENGTH) {
    throw new Error('EXOTEL_CALLBACK_KEY is missing, or shorter than 16 characters: Exotel signs nothing');
  }
  const account = {
    account_sid: settings.EXOTEL_ACCOUNT_SID,
    api_key: settings.EXOTEL_API_KEY,
    api_token: settings.EXOTEL_API_TOKEN,
    api_url: settings.EXOTEL_API_URL,
  };
  const keysOfNumber = sql && ((number: string) => validKeyHashes(sql, number, systemClock.wall()));
  const carrier = createExotel({ ...account, callback_key }, keysOfNumber ? { keysOfNumber } : {});
  const app_id = settings.EXOTEL_APP_ID;
  return app_id === '' ? carrier : { ...carrier, numbers: exotelNumbers({ ...account, app_id }) };
};

const numberCalled = (content: CallbackFields) => readNumber(field(content, 'CallTo') || field(content, 'To'));

const streamResponse = (url: string) => ({ content_type: 'application/json', text: JSON.stringify({ url }) });

/** The sample rate is a parameter of the stream URL. */
const withSampleRate = (streamUrl: string) => `${streamUrl}?sample-rate=8000`;

/** A call's own key, so that the setting itself is known to the applet only. */
function callKey(callId: string, callbackKey: string): string {
  return hmacBase64('sha256', callbackKey, `exotel ${callId}`).replace(/[+/=]/g, '');
}

function withKey(statusUrl: string, callbackKey: string): string {
  const url = new URL(statusUrl);
  url.searchParams.set('key', callKey(queryParameter(statusUrl, 'call_id'), callbackKey));
  return url.href;
}

function textFields(json: Readonly<Record<string, unknown>>): CallbackFields {
  return Object.fromEntries(
    Object.entries(json).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
