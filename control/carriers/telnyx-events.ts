import { createHash } from 'node:crypto';
import type { CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { callerNumber, jsonObject, jsonText } from './callback-fields.ts';

/** Sends a command to one call; `gone` when the call is over. @throws CarrierError when Telnyx did not answer or refused. */
export type TelnyxCommand = (callControlId: string, action: string, body: object) => Promise<'done' | 'gone'>;

const STATUS_OF_HANGUP_CAUSE = new Map<string, CarrierStatus>(
  Object.entries({
    normal_clearing: 'completed',
    time_limit: 'completed',
    user_busy: 'busy',
    call_rejected: 'busy',
    no_answer: 'no-answer',
    timeout: 'no-answer',
    originator_cancel: 'canceled',
    not_found: 'failed',
    unspecified: 'failed',
  }),
);

/** Names a command, 32 hex digits: the same action and key give the same id, so that Telnyx runs it once. */
export function commandId(action: string, key: string): string {
  return createHash('sha256').update(`${action} ${key}`).digest('hex').slice(0, 32);
}

/** What a webhook says; null when it names no call. */
export function readTelnyxEvent(json: SignedCallback['json']): CarrierCallback | null {
  const data = jsonObject(json?.data);
  const payload = jsonObject(data?.payload);
  const provider_call_id = jsonText(payload, 'call_control_id');
  if (provider_call_id === '') return null;
  const event = jsonText(data, 'event_type');
  const incoming = jsonText(payload, 'direction') === 'incoming';
  const callback: CarrierCallback = {
    provider_call_id,
    provider_request_id: '',
    from_number: callerNumber(jsonText(payload, 'from')),
    to_number: callerNumber(jsonText(payload, 'to')),
    kind: 'status',
    status: null,
    carrier_status: event,
  };
  switch (event) {
    case 'call.initiated':
      return { ...callback, kind: incoming ? 'inbound' : 'status', status: 'ringing' };
    case 'call.answered':
      return { ...callback, kind: incoming ? 'status' : 'answer', status: 'in-progress' };
    case 'call.hangup': {
      const cause = jsonText(payload, 'hangup_cause');
      return { ...callback, status: STATUS_OF_HANGUP_CAUSE.get(cause) ?? 'failed', carrier_status: cause };
    }
    // The call stays up without audio.
    case 'streaming.failed':
      return { ...callback, kind: 'stream', stream_id: jsonText(payload, 'stream_id') };
    default:
      return callback;
  }
}
