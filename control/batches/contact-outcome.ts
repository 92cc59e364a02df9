import type { CallStatus } from '../../shared/call.ts';
import type { BatchStatus, ContactStatus, RetryOn } from './batch-record.ts';

/** A contact whose call is not known to be over, with that call as it stands. */
export interface OpenContact {
  row: number;
  status: 'queued' | 'in-progress';
  attempts: number;
  /** Null when the call is not there any more. */
  call_status: CallStatus | null;
  call_hangup_reason: string;
  call_ended_at: Date | null;
  call_duration_seconds: number;
  call_cost_paise: number;
  /** The caller asked to be called back, and is. */
  call_is_rescheduled: boolean;
  /** The caller was handed to a person, or is on the way, and what that costs is not in the call's cost yet. */
  call_has_open_transfer: boolean;
}

export interface RetryRules {
  status: BatchStatus;
  max_attempts: number;
  retry_after_minutes: number;
  retry_on: readonly RetryOn[];
}

/** What of a contact changes. */
export interface ContactChange {
  row: number;
  status: ContactStatus;
  attempts: number;
  next_attempt_at: string | null;
  duration_seconds: number;
  hangup_reason: string;
  /** Of this call, once it is known. */
  added_cost_paise: number;
  /** This call is over. */
  call_over: boolean;
}

/**
 * What the state of its call makes of a contact; null when nothing. A call that never reached the carrier for a reason that is
 * not the contact's (it expired in the queue, credits ran out) gives the attempt back. A connected call counts when its
 * analysis is done and its transfer is charged, so that results and costs are whole. Who is called back by appointment is not
 * called again by the batch.
 */
export function outcomeOf(contact: OpenContact, rules: RetryRules): ContactChange | null {
  const { row, attempts, call_status, call_hangup_reason: reason } = contact;
  if (call_status === 'queued') return null;
  const move = { row, attempts, next_attempt_at: null, duration_seconds: 0, hangup_reason: '', added_cost_paise: 0 };
  const goesOn = call_status === 'ringing' || call_status === 'in-progress' || call_status === 'ended';
  if (goesOn || contact.call_has_open_transfer) {
    return contact.status === 'in-progress' ? null : { ...move, status: 'in-progress', call_over: false };
  }
  const result = {
    duration_seconds: contact.call_duration_seconds,
    hangup_reason: call_status === null ? 'the call is gone' : reason,
    added_cost_paise: contact.call_cost_paise,
    over: true,
  };
  const over = rules.status === 'canceled' || rules.status === 'completed';
  if (reason === 'expired in queue' || reason === 'out of credits') {
    const status = over ? 'canceled' : 'pending';
    return { ...move, ...result, attempts: Math.max(0, attempts - 1), status };
  }
  const outcome = resultOf(call_status, reason);
  const again = rules.retry_on.some((each) => each === outcome) && reason !== 'agent deleted';
  if (over || !again || attempts >= rules.max_attempts || contact.call_is_rescheduled) {
    return { ...move, ...result, status: outcome };
  }
  const endedMs = contact.call_ended_at?.getTime() ?? 0;
  const next_attempt_at = new Date(endedMs + rules.retry_after_minutes * 60_000).toISOString();
  return { ...move, ...result, status: 'retrying', next_attempt_at };
}

function resultOf(status: CallStatus | null, reason: string): ContactStatus {
  if (status === 'completed') return reason === 'voicemail' ? 'voicemail' : 'completed';
  return status === 'no-answer' || status === 'busy' || status === 'canceled' ? status : 'failed';
}
