import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { telnyx } from '../../shared/carriers/telnyx.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { isSuccess, jsonBody } from '../http/rest-request.ts';
import { EMPTY_RESPONSE, type SignedCallback } from './callback.ts';
import { jsonObject, jsonText, queryParameter } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { dialOutcome, dialWithoutCall, sendCarrierRequest } from './carrier-request.ts';
import type { FoundDial } from './dial.ts';
import { readSampleRate, type SampleRate } from './sample-rate.ts';
import { firstError, telnyxErrorText } from './telnyx-error.ts';
import { commandId, readTelnyxEvent, type TelnyxCommand } from './telnyx-events.ts';
import { telnyxNumbers } from './telnyx-numbers.ts';
import { telnyxTransfers } from './telnyx-transfers.ts';

export interface TelnyxAccount {
  api_key: string;
  /** Of the Call Control application. */
  connection_id: string;
  /** Base64 of 32 bytes, Ed25519. */
  public_key: string;
  api_url: string;
  /** Of the stream; default 8000. */
  sample_rate?: SampleRate;
}

/** Largest difference between a webhook's time and ours, either way: beyond it the webhook may be a replay. */
const SIGNATURE_VALID_MS = 300_000;
/** Between the clocks of several processes. */
const CLOCK_MARGIN_MS = 60_000;

/** Of 250 calls each. */
const MAX_ACTIVE_CALL_PAGES = 8;

/** Telnyx's error for a command to a call that is over ("Call has already ended"). */
const CALL_HAS_ENDED = '90018';

const STREAM = {
  stream_track: 'inbound_track',
  stream_bidirectional_mode: 'rtp',
  stream_bidirectional_target_legs: 'self',
};
const CODECS = { 8000: 'PCMU', 16000: 'L16' };

/** The audio that a stream is asked for. Where Telnyx cannot transcode, the caller's comes in the codec of their line all the same. */
function audioOf(rate: SampleRate) {
  const codec = CODECS[rate];
  return { stream_codec: codec, stream_bidirectional_codec: codec, stream_bidirectional_sampling_rate: rate };
}

/**
 * Telnyx Call Control v2, as in Telnyx's public documentation ("Call commands", "List all active calls for given connection",
 * "Retrieve a call status", "Media streaming over WebSockets", "Webhook signing"). Commands control the call; webhooks, all to one URL, only report.
 */
export function createTelnyx(
  { api_key, connection_id, public_key, api_url, sample_rate = 8000 }: TelnyxAccount,
  clock: Pick<Clock, 'wall'> = systemClock,
): Carrier {
  const api = `${api_url.replace(/\/+$/, '')}/v2`;
  const calls = `${api}/calls`;
  const connections = `${api}/connections/${encodeURIComponent(connection_id)}`;
  const authorization = `Bearer ${api_key}`;
  const key = readPublicKey(public_key);
  const post = (url: string, body: object) =>
    sendCarrierRequest({ method: 'POST', url, authorization, body: jsonBody(body) });

  /** Telnyx ignores a command whose `command_id` it knows for this call. */
  const command: TelnyxCommand = async (callControlId, action, body) => {
    const { status, json } = await post(`${calls}/${encodeURIComponent(callControlId)}/actions/${action}`, body);
    if (isSuccess(status)) return 'done';
    if (status === 404 || firstError(json).code === CALL_HAS_ENDED) return 'gone';
    throw new CarrierError(telnyxErrorText(json, status), status);
  };

  const carrier: Carrier = {
    name: 'telnyx',

    dial: ({ from_number, to_number, status_url, ring_seconds }) =>
      dialOutcome(async () => {
        const callId = queryParameter(status_url, 'call_id');
        const response = await post(calls, {
          connection_id,
          from: from_number,
          to: to_number,
          webhook_url: status_url,
          webhook_url_method: 'POST',
          timeout_secs: Math.min(600, Math.max(5, ring_seconds)),
          command_id: commandId('dial', status_url),
          ...(callId === '' ? {} : { client_state: clientStateOf(callId) }),
        });
        const { status, json } = response;
        const id = jsonText(jsonObject(json.data), 'call_control_id');
        if (isSuccess(status) && id !== '') {
          return { accepted: true, provider_call_id: id, provider_request_id: '' };
        }
        return dialWithoutCall(response, telnyxErrorText(json, status));
      }),

    async findDial({ call_id }) {
      const wanted = clientStateOf(call_id);
      const dials: FoundDial[] = [];
      let after = '';
      for (let page = 0; page < MAX_ACTIVE_CALL_PAGES; page++) {
        const cursor = after === '' ? '' : `&${new URLSearchParams({ 'page[after]': after })}`;
        const url = `${connections}/active_calls?page%5Blimit%5D=250${cursor}`;
        const { status, json } = await sendCarrierRequest({ method: 'GET', url, authorization });
        if (!isSuccess(status) || !Array.isArray(json.data))
          throw new CarrierError(telnyxErrorText(json, status), status);
        for (const call of json.data.map(jsonObject)) {
          const id = jsonText(call, 'call_control_id');
          if (id === '' || jsonText(call, 'client_state') !== wanted) continue;
          dials.push({ provider_call_id: id, provider_request_id: '', status: null, carrier_status: '' });
        }
        after = jsonText(jsonObject(jsonObject(json.meta)?.cursors), 'after');
        if (dials.length > 0 || after === '' || json.data.length === 0) break;
      }
      // Telnyx does not say whether a call is active while it rings.
      return { dials, exact: true, complete: false };
    },

    async findCall({ provider_call_id }) {
      const url = `${calls}/${encodeURIComponent(provider_call_id)}`;
      const { status, json } = await sendCarrierRequest({ method: 'GET', url, authorization });
      if (!isSuccess(status)) throw new CarrierError(telnyxErrorText(json, status), status);
      const isOver = jsonText(jsonObject(json.data), 'end_time') !== '';
      return { status: isOver ? 'no-answer' : null, carrier_status: '' };
    },

    hangUp: ({ provider_call_id }) => command(provider_call_id, 'hangup', {}),

    verifyCallback(callback) {
      const seconds = callback.header('telnyx-timestamp');
      const ageMs = Math.abs(clock.wall() - Number(seconds) * 1000);
      return /^[0-9]{1,12}$/.test(seconds) && ageMs <= SIGNATURE_VALID_MS && signatureIsValid(key, seconds, callback);
    },

    // It covers the time and the body, not the address.
    proofOf: (callback) => ({
      // Decoded: the last letter has bits that mean nothing.
      text: Buffer.from(callback.header('telnyx-signature-ed25519'), 'base64').toString('hex'),
      remembered_ms: 2 * SIGNATURE_VALID_MS + CLOCK_MARGIN_MS,
    }),

    parseCallback: ({ json }) => readTelnyxEvent(json),

    async connect({ provider_call_id, kind, stream_id }, streamUrl) {
      // No message of the stream names the agent's audio.
      const stream_url = sample_rate === 8000 ? streamUrl : `${streamUrl}?rate=${sample_rate}`;
      const stream = { stream_url, ...STREAM, ...audioOf(sample_rate) };
      if (kind === 'inbound') {
        // The webhook may come twice; the same command id answers the call once.
        const command_id = commandId('answer', provider_call_id);
        await command(provider_call_id, 'answer', { ...stream, command_id });
      } else {
        // Webhooks are retried: one broken stream is replaced once.
        const occasion = kind === 'stream' ? stream_id || streamUrl : provider_call_id;
        await command(provider_call_id, 'streaming_start', {
          ...stream,
          command_id: commandId('stream', occasion),
        });
      }
      return EMPTY_RESPONSE;
    },

    async reject({ provider_call_id }) {
      const command_id = commandId('reject', provider_call_id);
      await command(provider_call_id, 'reject', { cause: 'USER_BUSY', command_id });
      return EMPTY_RESPONSE;
    },

    async end({ provider_call_id }) {
      await command(provider_call_id, 'hangup', {});
      return EMPTY_RESPONSE;
    },

    numbers: telnyxNumbers({ api_key, connection_id, api_url }),
    ...telnyxTransfers({ dial: (order) => carrier.dial({ ...order, stream_url: '' }), command }),
  };
  return carrier;
}

export const adapter: CarrierAdapter<typeof telnyx> = (settings) =>
  createTelnyx({
    api_key: settings.TELNYX_API_KEY,
    connection_id: settings.TELNYX_CONNECTION_ID,
    public_key: settings.TELNYX_PUBLIC_KEY,
    api_url: settings.TELNYX_API_URL,
    sample_rate: readSampleRate('TELNYX_SAMPLE_RATE', settings.TELNYX_SAMPLE_RATE),
  });

/** Telnyx gives it back with the call: the call's own id. */
const clientStateOf = (callId: string) => Buffer.from(callId).toString('base64');

function signatureIsValid(key: KeyObject, seconds: string, callback: SignedCallback): boolean {
  const signature = callback.header('telnyx-signature-ed25519');
  // Exactly 64 bytes.
  if (!/^[A-Za-z0-9+/]{86}==$/.test(signature)) return false;
  return verify(null, Buffer.from(`${seconds}|${callback.raw}`), key, Buffer.from(signature, 'base64'));
}

/** The header that names the algorithm, which Node wants before the key (RFC 8410). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** @throws Error when it is not a public key. */
function readPublicKey(base64: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('TELNYX_PUBLIC_KEY is not the base64 of an Ed25519 public key (32 bytes)');
  return createPublicKey({ key: Buffer.concat([ED25519_SPKI, bytes]), format: 'der', type: 'spki' });
}
