/** The statuses of a call, their transitions, and the reasons for its end. */

export const CALL_STATUSES = [
  'queued',
  'ringing',
  'in-progress',
  'ended',
  'completed',
  'no-answer',
  'busy',
  'canceled',
  'failed',
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

const TRANSITIONS: Record<CallStatus, readonly CallStatus[]> = {
  queued: ['ringing', 'canceled', 'failed'],
  ringing: ['in-progress', 'no-answer', 'busy', 'failed', 'canceled'],
  'in-progress': ['ended', 'failed'],
  ended: ['completed'],
  completed: [],
  'no-answer': [],
  busy: [],
  canceled: [],
  failed: [],
};

/** Whether a call may go from one status to the other. Statuses move only forward; a late event changes the timeline only. */
export function isAllowedTransition(from: CallStatus, to: CallStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

/** A call of these statuses counts against the workspace's concurrency limit. */
export const LIVE_STATUSES = ['ringing', 'in-progress'] as const satisfies readonly CallStatus[];

export function isOver(status: CallStatus): boolean {
  return status !== 'queued' && status !== 'ringing' && status !== 'in-progress';
}

export type Direction = 'outbound' | 'inbound';
export type Channel = 'phone' | 'web';
export type HangupBy = 'caller' | 'agent' | 'member' | 'carrier' | 'service';
export type AnsweredBy = 'human' | 'machine';

const HANGUP_REASONS = [
  'caller hung up',
  'agent ended the call',
  'hang-up prompt',
  'caller silent',
  'maximum duration',
  'credits ran out',
  'voicemail',
  'transferred',
  'canceled while queued',
  'expired in queue',
  'out of credits',
  'agent deleted',
  'batch canceled',
  'no-answer',
  'busy',
  'canceled',
  'carrier failed',
  'all call slots are busy',
  'agent not available',
  'media engine lost',
] as const;
/** These end with the particular reason. */
const HANGUP_REASON_PREFIXES = ['hung up by ', 'dial refused: ', 'error: '] as const;

/** Why a call ended: a closed list. */
export type HangupReason = (typeof HANGUP_REASONS)[number] | `${(typeof HANGUP_REASON_PREFIXES)[number]}${string}`;

export function isHangupReason(text: string): text is HangupReason {
  return (
    HANGUP_REASONS.includes(text as (typeof HANGUP_REASONS)[number]) ||
    HANGUP_REASON_PREFIXES.some((prefix) => text.startsWith(prefix) && text.length > prefix.length)
  );
}

/** How and by whom a connected call was ended, as the engine reports it. */
export interface CallEnd {
  hangup_by: HangupBy;
  hangup_reason: HangupReason;
}

/** True when the service itself broke a connected call: it is then `failed` and free of charge, otherwise `ended`. */
export function endedByFailure(reason: string): boolean {
  return reason.startsWith('error: ') || reason === 'media engine lost';
}
