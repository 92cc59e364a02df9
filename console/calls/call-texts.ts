import type { CallSummary } from '../generated/api.ts';

/** What the pages write about a call. */

const STATUS_TEXTS: Record<CallSummary['status'], string> = {
  queued: 'Queued',
  ringing: 'Ringing',
  'in-progress': 'Talking',
  ended: 'Being analysed',
  completed: 'Completed',
  'no-answer': 'No answer',
  busy: 'Busy',
  canceled: 'Canceled',
  failed: 'Failed',
};

export type Tone = 'live' | 'good' | 'bad' | 'plain';

export function statusText({ status }: Pick<CallSummary, 'status'>): { text: string; tone: Tone } {
  return { text: STATUS_TEXTS[status] ?? status, tone: toneOf(status) };
}

export const isLiveStatus = (status: CallSummary['status']): boolean =>
  status === 'ringing' || status === 'in-progress';

/** Whether the record may still change. */
export const isOpen = (status: CallSummary['status']): boolean =>
  isLiveStatus(status) || status === 'queued' || status === 'ended';

function toneOf(status: CallSummary['status']): Tone {
  if (isLiveStatus(status)) return 'live';
  if (status === 'failed') return 'bad';
  return status === 'completed' ? 'good' : 'plain';
}

/** The person at the other end. */
export function otherEnd(call: Pick<CallSummary, 'channel' | 'direction' | 'from_number' | 'to_number'>): string {
  if (call.channel === 'web') return 'Browser';
  return (call.direction === 'inbound' ? call.from_number : call.to_number) || 'Unknown number';
}

export const directionText = ({ direction, channel }: Pick<CallSummary, 'direction' | 'channel'>): string =>
  channel === 'web' ? 'from a browser' : direction === 'inbound' ? 'incoming' : 'outgoing';

/** Why it ended and by whom, such as `caller hung up`; empty while it lasts. */
export function endText({ hangup_reason, hangup_by }: Pick<CallSummary, 'hangup_reason' | 'hangup_by'>): string {
  return hangup_reason || (hangup_by ? `ended by the ${hangup_by}` : '');
}
