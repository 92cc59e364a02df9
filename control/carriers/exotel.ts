import type { CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, field } from './callback-fields.ts';
import { anySignatureMatches, hmacBase64 } from './callback-signature.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { basicAuth, carrierErrorText, sendCarrierRequest } from './carrier-request.ts';

export interface ExotelAccount {
  account_sid: string;
  api_key: string;
  api_token: string;
  /** `https://api.in.exotel.com` (Mumbai) or `https://api.exotel.com` (Singapore). */
  api_url: string;
  /** Ours to choose: whoever calls our addresses must know it, or what is derived from it. */
  callback_key: string;
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
const OVER: readonly (CarrierStatus | undefined)[] = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];

/**
 * Exotel: `Calls/connect` of the API v1 with `StreamUrl` ("Connect Voice AI"), the Voicebot applet, which asks an
 * address of ours where to stream to, and status callbacks, as in Exotel's public documentation ("AgentStream", "Make a
 * call API").
 *
 * What Exotel has not:
 * - signatures. Our addresses carry `key=`: the setting itself where it is typed into an applet, and for each call we
 *   place a key of its own, derived from the setting.
 * - an order to hang up. An answered call ends when the engine closes its stream; a call that rings goes on ringing and
 *   is ended by refusing its stream when somebody answers.
 * - a way to reject. The applet gets no address, fails, and the flow goes on to what stands behind it, which is to be
 *   its end.
 */
export function createExotel({ account_sid, api_key, api_token, api_url, callback_key }: ExotelAccount): Carrier {
  const calls = `${api_url.replace(/\/+$/, '')}/v1/Accounts/${encodeURIComponent(account_sid)}/Calls`;
  const authorization = basicAuth(api_key, api_token);

  return {
    name: 'exotel',

    async dial({ from_number, to_number, status_url, ring_seconds, stream_url = '' }) {
      const form = new URLSearchParams({
        From: to_number,
        CallerId: asExoPhone(from_number),
        StreamUrl: withSampleRate(stream_url),
        StreamType: 'bidirectional',
        TimeOut: String(ring_seconds),
        StatusCallback: withKey(status_url, callback_key),
        StatusCallbackContentType: 'application/json',
      });
      for (const event of ['ringing', 'answered', 'terminal']) form.append('StatusCallbackEvents[]', event);
      const body = { type: 'application/x-www-form-urlencoded', text: form.toString() };
      try {
        const { status, json } = await sendCarrierRequest({
          method: 'POST',
          url: `${calls}/connect.json`,
          authorization,
          body,
        });
        const sid = jsonPart(json, 'Call').Sid;
        if (status >= 200 && status < 300 && typeof sid === 'string' && sid !== '') {
          return { accepted: true, provider_call_id: sid, provider_request_id: '' };
        }
        return { accepted: false, reason: carrierErrorText(jsonPart(json, 'RestException').Message, status) };
      } catch (error) {
        if (error instanceof CarrierError) return { accepted: false, reason: error.message };
        throw error;
      }
    },

    async hangUp({ provider_call_id }) {
      const url = `${calls}/${encodeURIComponent(provider_call_id)}.json`;
      const { status, json } = await sendCarrierRequest({ method: 'GET', url, authorization });
      if (status === 404 || OVER.includes(STATUSES.get(String(jsonPart(json, 'Call').Status)))) return 'gone';
      throw new CarrierError('Exotel ends a call only by its stream', status);
    },

    verifyCallback: ({ url }) => {
      if (callback_key === '') return false;
      const query = new URLSearchParams(url.split('?')[1] ?? '');
      const callId = query.get('call_id') ?? '';
      return anySignatureMatches(
        [query.get('key') ?? ''],
        [callback_key, ...(callId === '' ? [] : [callKey(callId, callback_key)])],
      );
    },

    parseCallback({ fields, json }) {
      const said = json ? textFields(json) : fields;
      const provider_call_id = field(said, 'CallSid');
      if (provider_call_id === '') return null;
      // The question of an applet has `CallStatus`, a status callback has `Status`.
      const carrier_status = field(said, 'Status') || field(said, 'CallStatus');
      return {
        provider_call_id,
        provider_request_id: '',
        from_number: readNumber(field(said, 'CallFrom') || field(said, 'From')),
        to_number: readNumber(field(said, 'CallTo') || field(said, 'To')),
        status: STATUSES.get(carrier_status) ?? null,
        carrier_status,
      };
    },

    connect: (_call, streamUrl) => streamResponse(withSampleRate(streamUrl)),
    reject: () => streamResponse(''),
    end: () => streamResponse(''),
  };
}

const streamResponse = (url: string) => ({ content_type: 'application/json', text: JSON.stringify({ url }) });

/** The sound's rate is asked for in the stream's address. */
const withSampleRate = (streamUrl: string) => `${streamUrl}?sample-rate=8000`;

/** A call's own key, so that the one typed into the applet is in no other hands. */
function callKey(callId: string, callbackKey: string): string {
  return hmacBase64('sha256', callbackKey, `exotel ${callId}`).replace(/[+/=]/g, '');
}

function withKey(statusUrl: string, callbackKey: string): string {
  const url = new URL(statusUrl);
  url.searchParams.set('key', callKey(url.searchParams.get('call_id') ?? '', callbackKey));
  return url.href;
}

/** ExoPhones are named in India's national form. */
function asExoPhone(number: string): string {
  return /^\+91\d{10}$/.test(number) ? `0${number.slice(3)}` : number;
}

/** `09876543210` and `9876543210` are Indian numbers; everything else comes with its country's code. */
function readNumber(text: string): string {
  const national = /^0?([1-9]\d{9})$/.exec(text.trim());
  return national ? `+91${national[1]}` : callerNumber(text);
}

function jsonPart(json: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = json[name];
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textFields(json: Readonly<Record<string, unknown>>): SignedCallback['fields'] {
  return Object.fromEntries(
    Object.entries(json).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
