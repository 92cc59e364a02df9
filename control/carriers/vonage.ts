import { createHash, createHmac, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { CallbackResponse, CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, jsonObject, jsonText } from './callback-fields.ts';
import { anySignatureMatches } from './callback-signature.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { carrierErrorText, sendCarrierRequest } from './carrier-request.ts';
import { vonageTransfers } from './vonage-transfers.ts';

export interface VonageAccount {
  application_id: string;
  /** PEM, of the application; line ends may be written `\n`. */
  private_key: string;
  /** Signs what the carrier tells us. */
  signature_secret: string;
  /** `https://api.nexmo.com` or a regional address. */
  api_url: string;
  /** Where this API is reached: what happens to a call's stream is told there. */
  public_api_url: string;
}

/** Of a webhook's token, both ways. */
const SIGNATURE_VALID_SECONDS = 300;
/** Of ours; the request follows at once. */
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
 * "WebSockets", "Signed webhooks"). Answer and event addresses are asked with POST and JSON.
 */
export function createVonage(account: VonageAccount, clock: Pick<Clock, 'wall'> = systemClock): Carrier {
  const { application_id, signature_secret } = account;
  const calls = `${account.api_url.replace(/\/+$/, '')}/v1/calls`;
  const streamEvents = `${account.public_api_url.replace(/\/+$/, '')}/carriers/vonage/status`;
  const key = readPrivateKey(account.private_key);
  const ask = (method: 'POST' | 'PUT', url: string, body: object) =>
    sendCarrierRequest({
      method,
      url,
      authorization: `Bearer ${applicationToken(application_id, key, Math.floor(clock.wall() / 1000))}`,
      body: { type: 'application/json', text: JSON.stringify(body) },
    });

  async function change(uuid: string, body: object): Promise<'done' | 'gone'> {
    const { status, json } = await ask('PUT', `${calls}/${encodeURIComponent(uuid)}`, body);
    if (status >= 200 && status < 300) return 'done';
    if (status === 404) return 'gone';
    throw new CarrierError(carrierErrorText(json.detail ?? json.title, status), status);
  }

  const carrier: Carrier = {
    name: 'vonage',
    // Closing the stream would do, after a question; this is what the carrier recommends.
    outlivesStream: true,

    async dial({ from_number, to_number, answer_url, status_url, ring_seconds }) {
      try {
        const { status, json } = await ask('POST', calls, {
          to: [{ type: 'phone', number: withoutPlus(to_number) }],
          from: { type: 'phone', number: withoutPlus(from_number) },
          answer_url: [answer_url],
          answer_method: 'POST',
          event_url: [status_url],
          event_method: 'POST',
          ringing_timer: Math.min(120, Math.max(1, ring_seconds)),
        });
        const uuid = jsonText(json, 'uuid');
        if (status >= 200 && status < 300 && uuid !== '') {
          return { accepted: true, provider_call_id: uuid, provider_request_id: '' };
        }
        return { accepted: false, reason: carrierErrorText(json.detail ?? json.title, status) };
      } catch (error) {
        if (error instanceof CarrierError) return { accepted: false, reason: error.message };
        throw error;
      }
    },

    hangUp: ({ provider_call_id }) => change(provider_call_id, { action: 'hangup' }),

    verifyCallback: (callback) => signatureIsValid({ application_id, signature_secret }, callback, clock.wall() / 1000),

    parseCallback: ({ json }) => readVonageEvent(json),

    connect: ({ provider_call_id: call_uuid }, uri) =>
      ncco([
        {
          action: 'connect',
          // When our side breaks the stream, the carrier asks there what to do with the call.
          eventType: 'synchronous',
          eventUrl: [streamEvents],
          eventMethod: 'POST',
          // At most 512 bytes; they come with the first message of the stream and with its events.
          endpoint: [{ type: 'websocket', uri, 'content-type': 'audio/l16;rate=8000', headers: { call_uuid } }],
        },
      ]),

    async reject({ provider_call_id }) {
      // The carrier knows no busy: the call is ended before it is answered, and at the latest by an answer without actions.
      try {
        await change(provider_call_id, { action: 'hangup' });
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error;
      }
      return ncco([]);
    },

    end: () => ncco([]),

    transfers: vonageTransfers({
      dial: (order) => carrier.dial({ ...order, stream_url: '' }),
      modifyCall: change,
      ncco,
    }),
  };
  return carrier;
}

export function ncco(actions: object[]): CallbackResponse {
  return { content_type: 'application/json; charset=utf-8', text: JSON.stringify(actions) };
}

export const withoutPlus = (number: string) => number.replace(/^\+/, '');

/** RS256 (RFC 7519), as the carrier wants it of an application. */
function applicationToken(application_id: string, key: KeyObject, nowSeconds: number): string {
  const claims = { application_id, iat: nowSeconds, exp: nowSeconds + TOKEN_VALID_SECONDS, jti: randomUUID() };
  const text = `${base64url({ typ: 'JWT', alg: 'RS256' })}.${base64url(claims)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws Error when it is none. */
function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    throw new Error('VONAGE_PRIVATE_KEY is not a private key in PEM');
  }
}

/** The address of a stream is one of its events' numbers: those of the telephone are digits. */
const STREAM_ADDRESS = /^wss?:/;

function readVonageEvent(json: SignedCallback['json']): CarrierCallback | null {
  const carrier_status = jsonText(json, 'status');
  const to = jsonText(json, 'to');
  const isStream = STREAM_ADDRESS.test(to);
  // A stream is a leg with an id of its own; the call it belongs to stands in what we gave it.
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
  return { ...callback, kind: carrier_status === 'disconnected' ? 'stream' : 'status', status: null };
}

interface Signer {
  application_id: string;
  signature_secret: string;
}

/** HS256 over the token, which holds the SHA-256 of the body; both compared in constant time. */
function signatureIsValid(
  { application_id, signature_secret }: Signer,
  callback: SignedCallback,
  nowSeconds: number,
): boolean {
  const [, token = ''] = /^Bearer ([\w.-]{1,4096})$/i.exec(callback.header('authorization')) ?? [];
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || jsonText(readPart(head), 'alg') !== 'HS256') return false;
  const expected = createHmac('sha256', signature_secret).update(`${head}.${body}`).digest('base64url');
  if (!anySignatureMatches([signature], [expected])) return false;
  const claims = readPart(body);
  const issuedAt = claims?.iat;
  if (typeof issuedAt !== 'number' || Math.abs(nowSeconds - issuedAt) > SIGNATURE_VALID_SECONDS) return false;
  if (jsonText(claims, 'application_id') !== application_id) return false;
  const bodyHash = createHash('sha256').update(callback.raw).digest('hex');
  return callback.raw !== '' && anySignatureMatches([jsonText(claims, 'payload_hash').toLowerCase()], [bodyHash]);
}

function readPart(part: string): Readonly<Record<string, unknown>> | null {
  try {
    return jsonObject(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return null;
  }
}
