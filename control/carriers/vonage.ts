import { createHash, createHmac, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { vonage } from '../../shared/carriers/vonage.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { isSuccess, jsonBody } from '../http/rest-request.ts';
import type { CallbackResponse, CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, jsonObject, jsonText, parseJsonObject, withoutPlus } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { carrierErrorText, dialOutcome, dialWithoutCall, sendCarrierRequest } from './carrier-request.ts';
import { anySignatureMatches } from './compare-signatures.ts';
import type { FoundDial } from './dial.ts';
import { readSampleRate, type SampleRate } from './sample-rate.ts';
import { vonageNumbers } from './vonage-numbers.ts';
import { vonageTransfers } from './vonage-transfers.ts';

export interface VonageAccount {
  application_id: string;
  /** PEM; line ends may be written `\n`. */
  private_key: string;
  signature_secret: string;
  api_url: string;
  /** The events of a call's stream are sent below it. */
  public_api_url: string;
  /** Of the stream; default 8000. */
  sample_rate?: SampleRate;
}

/** Largest difference between a webhook's time and ours, either way. */
const SIGNATURE_VALID_SECONDS = 300;
/** From a clock that is ahead by as much, with a minute for the clocks of other processes. */
const PROOF_REMEMBERED_MS = (2 * SIGNATURE_VALID_SECONDS + 60) * 1_000;
/** Of a request's own token. */
const TOKEN_VALID_SECONDS = 120;

const STATUSES = new Map<string, CarrierStatus>(
  Object.entries({
    started: 'queued',
    ringing: 'ringing',
    answered: 'in-progress',
    completed: 'completed',
    busy: 'busy',
    cancelled: 'canceled',
    unanswered: 'no-answer',
    timeout: 'no-answer',
    rejected: 'failed',
    failed: 'failed',
  }),
);

/**
 * Vonage Voice API v1, as in Vonage's public documentation ("Voice API reference", "NCCO reference", "Webhook reference",
 * "WebSockets", "Signed webhooks"). Answer and event URLs are called with POST and JSON.
 */
export function createVonage(account: VonageAccount, clock: Pick<Clock, 'wall'> = systemClock): Carrier {
  const { application_id, signature_secret } = account;
  const calls = `${account.api_url.replace(/\/+$/, '')}/v1/calls`;
  const streamEvents = `${account.public_api_url.replace(/\/+$/, '')}/carriers/vonage/status`;
  const key = readPrivateKey(account.private_key);
  const request = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) =>
    sendCarrierRequest({
      method,
      url,
      authorization: `Bearer ${applicationToken(application_id, key, Math.floor(clock.wall() / 1000))}`,
      ...(body ? { body: jsonBody(body) } : {}),
    });

  async function modifyCall(uuid: string, body: object): Promise<'done' | 'gone'> {
    const { status, json } = await request('PUT', `${calls}/${encodeURIComponent(uuid)}`, body);
    if (isSuccess(status)) return 'done';
    if (status === 404) return 'gone';
    throw new CarrierError(carrierErrorText(json.detail ?? json.title, status), status);
  }

  const carrier: Carrier = {
    name: 'vonage',

    dial: ({ from_number, to_number, answer_url, status_url, ring_seconds }) =>
      dialOutcome(async () => {
        const response = await request('POST', calls, {
          to: [{ type: 'phone', number: withoutPlus(to_number) }],
          from: { type: 'phone', number: withoutPlus(from_number) },
          answer_url: [answer_url],
          answer_method: 'POST',
          event_url: [status_url],
          event_method: 'POST',
          ringing_timer: Math.min(120, Math.max(1, ring_seconds)),
        });
        const { status, json } = response;
        const uuid = jsonText(json, 'uuid');
        if (isSuccess(status) && uuid !== '') {
          return { accepted: true, provider_call_id: uuid, provider_request_id: '' };
        }
        return dialWithoutCall(response, carrierErrorText(json.detail ?? json.title, status));
      }),

    async findDial(dial) {
      const date_start = new Date(dial.dialled_at_ms - 5_000).toISOString();
      const query = new URLSearchParams({ date_start, order: 'desc', page_size: '100' });
      const { status, json } = await request('GET', `${calls}?${query}`);
      const found = jsonObject(json._embedded)?.calls;
      if (!isSuccess(status) || !Array.isArray(found)) {
        throw new CarrierError(carrierErrorText(json.detail ?? json.title, status), status);
      }
      const dials = found.map(jsonObject).flatMap((call): FoundDial[] => {
        const numberOf = (side: 'to' | 'from') => jsonText(jsonObject(call?.[side]), 'number');
        const provider_call_id = jsonText(call, 'uuid');
        const isDial =
          jsonText(call, 'direction') === 'outbound' &&
          numberOf('to') === withoutPlus(dial.to_number) &&
          numberOf('from') === withoutPlus(dial.from_number);
        if (provider_call_id === '' || !isDial) return [];
        const carrier_status = jsonText(call, 'status');
        const callStatus = STATUSES.get(carrier_status) ?? null;
        return [{ provider_call_id, provider_request_id: '', status: callStatus, carrier_status }];
      });
      // Vonage does not say whether the list by time has calls that ring.
      return { dials, exact: false, complete: false };
    },

    async findCall({ provider_call_id }) {
      const { status, json } = await request('GET', `${calls}/${encodeURIComponent(provider_call_id)}`);
      if (!isSuccess(status)) throw new CarrierError(carrierErrorText(json.detail ?? json.title, status), status);
      const carrier_status = jsonText(json, 'status');
      return { status: STATUSES.get(carrier_status) ?? null, carrier_status };
    },

    hangUp: ({ provider_call_id }) => modifyCall(provider_call_id, { action: 'hangup' }),

    verifyCallback: (callback) => signatureIsValid({ application_id, signature_secret }, callback, clock.wall() / 1000),

    // The token covers the body, not the address.
    proofOf: (callback) => ({ text: tokenIdOf(callback), remembered_ms: PROOF_REMEMBERED_MS }),

    parseCallback: ({ json }) => readVonageEvent(json),

    connect: ({ provider_call_id: call_uuid }, uri) =>
      ncco([
        {
          action: 'connect',
          // When media closes the stream, the carrier asks there what to do with the call.
          eventType: 'synchronous',
          eventUrl: [streamEvents],
          eventMethod: 'POST',
          // At most 512 bytes; they come with the first message of the stream and with its events.
          endpoint: [
            {
              type: 'websocket',
              uri,
              'content-type': `audio/l16;rate=${account.sample_rate ?? 8000}`,
              headers: { call_uuid },
            },
          ],
        },
      ]),

    async reject({ provider_call_id }) {
      // There is no rejection as busy: the call is hung up before it is answered, or at the latest by an empty NCCO.
      try {
        await modifyCall(provider_call_id, { action: 'hangup' });
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error;
      }
      return ncco([]);
    },

    end: () => ncco([]),

    transfers: vonageTransfers({
      dial: (order) => carrier.dial({ ...order, stream_url: '' }),
      modifyCall,
      ncco,
    }),
  };
  return carrier;
}

export const adapter: CarrierAdapter<typeof vonage> = (settings) => {
  const application_id = settings.VONAGE_APPLICATION_ID;
  const carrier = createVonage({
    application_id,
    private_key: settings.VONAGE_PRIVATE_KEY,
    signature_secret: settings.VONAGE_SIGNATURE_SECRET,
    api_url: settings.VONAGE_API_URL,
    public_api_url: settings.PUBLIC_API_URL,
    sample_rate: readSampleRate('VONAGE_SAMPLE_RATE', settings.VONAGE_SAMPLE_RATE),
  });
  const { VONAGE_API_KEY: api_key, VONAGE_API_SECRET: api_secret, VONAGE_NUMBERS_URL: numbers_url } = settings;
  if (api_key === '' || api_secret === '') return carrier;
  return { ...carrier, numbers: vonageNumbers({ api_key, api_secret, numbers_url, application_id }) };
};

export function ncco(actions: object[]): CallbackResponse {
  return { content_type: 'application/json; charset=utf-8', text: JSON.stringify(actions) };
}

/** The JWT of an application (RFC 7519), RS256. */
function applicationToken(application_id: string, key: KeyObject, nowSeconds: number): string {
  const claims = { application_id, iat: nowSeconds, exp: nowSeconds + TOKEN_VALID_SECONDS, jti: randomUUID() };
  const text = `${base64url({ typ: 'JWT', alg: 'RS256' })}.${base64url(claims)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws Error when it is not a private key. */
function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    throw new Error('VONAGE_PRIVATE_KEY is not a private key in PEM');
  }
}

/** In the events of a stream its URL stands in place of a phone number. */
const STREAM_URL = /^wss?:/;

function readVonageEvent(json: SignedCallback['json']): CarrierCallback | null {
  const carrier_status = jsonText(json, 'status');
  const to = jsonText(json, 'to');
  const isStream = STREAM_URL.test(to);
  // A stream is a leg with an id of its own; the call's id is in the headers given to it.
  const provider_call_id = isStream
    ? jsonText(jsonObject(json?.headers), 'call_uuid')
    : jsonText(json, 'uuid') || jsonText(json, 'call_uuid');
  if (provider_call_id === '') return null;
  const callback = {
    provider_call_id,
    provider_request_id: '',
    from_number: callerNumber(jsonText(json, 'from')),
    to_number: callerNumber(to),
    status: STATUSES.get(carrier_status) ?? null,
    carrier_status,
  };
  if (!isStream) return callback;
  const isLost = carrier_status === 'disconnected' || carrier_status === 'unanswered';
  return { ...callback, kind: isLost ? 'stream' : 'status', stream_id: jsonText(json, 'uuid'), status: null };
}

interface Signer {
  application_id: string;
  signature_secret: string;
}

/** Checks the webhook's JWT: HS256, with the SHA-256 of the body as a claim; both compared in constant time. */
function signatureIsValid(
  { application_id, signature_secret }: Signer,
  callback: SignedCallback,
  nowSeconds: number,
): boolean {
  const [, token = ''] = /^Bearer ([\w.-]{1,4096})$/i.exec(callback.header('authorization')) ?? [];
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || jsonText(parseTokenPart(head), 'alg') !== 'HS256') return false;
  const expected = createHmac('sha256', signature_secret).update(`${head}.${body}`).digest('base64url');
  if (!anySignatureMatches([signature], [expected])) return false;
  const claims = parseTokenPart(body);
  const issuedAt = claims?.iat;
  if (typeof issuedAt !== 'number' || Math.abs(nowSeconds - issuedAt) > SIGNATURE_VALID_SECONDS) return false;
  if (jsonText(claims, 'application_id') !== application_id) return false;
  const bodyHash = createHash('sha256').update(callback.raw).digest('hex');
  return callback.raw !== '' && anySignatureMatches([jsonText(claims, 'payload_hash').toLowerCase()], [bodyHash]);
}

/** `jti` (RFC 7519, section 4.1.7); the signature where it has none. */
function tokenIdOf(callback: SignedCallback): string {
  const [, claims = '', signature = ''] = callback.header('authorization').split('.');
  return jsonText(parseTokenPart(claims), 'jti') || signature;
}

const parseTokenPart = (part: string) => parseJsonObject(Buffer.from(part, 'base64url').toString());
