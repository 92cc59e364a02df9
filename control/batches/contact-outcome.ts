import type { CallStatus } from '../../shared/call.ts';
import type { BatchStatus, ContactStatus, RetryOn } from './batch-record.ts';

/** A contact with an open call, and the present state of that call. */
export interface OpenContact {
  row: number;
  status: 'queued' | 'in-progress';
  attempts: number;
  /** Null when the call no longer exists. */
  call_status: CallStatus | null;
  call_hangup_reason: string;
  call_ended_at: Date | null;
  call_duration_seconds: number;
  call_cost_paise: number;
  /** A callback was booked. */
  call_is_rescheduled: boolean;
  /** A transfer is in progress, or not charged yet. */
  call_has_open_transfer: boolean;
}

export interface RetryRules {
  status: BatchStatus;
  max_attempts: number;
  retry_after_minutes: number;
  retry_on: readonly RetryOn[];
}

/** A change of a contact. */
export interface ContactChange {
  row: number;
  status: ContactStatus;
  attempts: number;
  next_attempt_at: string | null;
  duration_seconds: number;
  hangup_reason: string;
  /** Cost of this call. */
  added_cost_paise: number;
  /** The call has ended. */
  call_over: boolean;
}

/**
 * Derives the change of a contact from the state of its call; null for no change. A call that expired in the queue or failed for
 * lack of credits does not count as an attempt. A connected call counts once it is analysed and its transfer is charged, so that
 * results and costs are complete. A contact with a booked callback is not called again by the batch.
 */
export function outcomeOf(contact: OpenContact, rules: RetryRules): ContactChange | null {
  const { row, attempts, call_status, call_hangup_reason: reason } = contact;
  if (call_status === 'queued') return null;
  const change = { row, attempts, next_attempt_at: null, duration_seconds: 0, hangup_reason: '', added_cost_paise: 0 };
  const isLive = call_status === 'ringing' || call_status === 'in-progress' || call_status === 'ended';
  if (isLive || contact.call_has_open_transfer) {
    return contact.status === 'in-progress' ? null : { ...change, status: 'in-progress', call_over: false };
  }
  const result = {
    duration_seconds: contact.call_duration_seconds,
    hangup_reason: call_status === null ? 'the call is gone' : reason,
    added_cost_paise: contact.call_cost_paise,
    call_over: true,
  };
  const over = rules.status === 'canceled' || rules.status === 'completed';
  if (reason === 'expired in queue' || reason === 'out of credits') {
    const status = over ? 'canceled' : 'pending';
    return { ...change, ...result, attempts: Math.max(0, attempts - 1), status };
  }
  const outcome = resultOf(call_status, reason);
  // A call is gone when the person was erased.
  const isGone = call_status === null || reason === 'agent deleted';
  const again = rules.retry_on.some((each) => each === outcome) && !isGone;
  if (over || !again || attempts >= rules.max_attempts || contact.call_is_rescheduled) {
    return { ...change, ...result, status: outcome };
  }
  const endedMs = contact.call_ended_at?.getTime() ?? 0;
  const next_attempt_at = new Date(endedMs + rules.retry_after_minutes * 60_000).toISOString();
  return { ...change, ...result, status: 'retrying', next_attempt_at };
}

function resultOf(status: CallStatus | null, reason: string): ContactStatus {
  if (status === 'completed') return reason === 'voicemail' ? 'voicemail' : 'completed';
  return status === 'no-answer' || status === 'busy' || status === 'canceled' ? status : 'failed';
}
