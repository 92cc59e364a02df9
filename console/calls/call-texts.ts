import type { CallSummary } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What the pages write about a call. */

const statusTexts = (): Record<CallSummary['status'], string> => ({
  queued: t('Queued'),
  ringing: t('Ringing'),
  'in-progress': t('Talking'),
  ended: t('Being analysed'),
  completed: t('Completed'),
  'no-answer': t('No answer'),
  busy: t('Busy'),
  canceled: t('Canceled'),
  failed: t('Failed'),
});

export type Tone = 'live' | 'good' | 'bad' | 'plain';

export function statusText({ status }: Pick<CallSummary, 'status'>): { text: string; tone: Tone } {
  return { text: statusTexts()[status] ?? status, tone: toneOf(status) };
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

type Ends = Pick<CallSummary, 'channel' | 'direction' | 'from_number' | 'to_number' | 'provider'>;

/** The person at the other end. */
export function otherEnd({ channel, direction, from_number, to_number, provider }: Ends): string {
  if (channel === 'web') return provider === 'stream' ? t('Audio stream') : t('Browser');
  return (direction === 'inbound' ? from_number : to_number) || t('Unknown number');
}

export function directionText({
  direction,
  channel,
  provider,
}: Pick<Ends, 'direction' | 'channel' | 'provider'>): string {
  if (channel === 'web') return provider === 'stream' ? t('Over an audio stream') : t('From a browser');
  return direction === 'inbound' ? t('Incoming') : t('Outgoing');
}

/** What is worth seeing in a list beside the direction: a voicemail, and the batch that it belongs to. */
export function marksOf(call: Pick<CallSummary, 'answered_by' | 'batch_id' | 'transfer' | 'rescheduled_to'>): string[] {
  return [
    ...(call.answered_by === 'machine' ? [t('Voicemail')] : []),
    ...(call.transfer ? [t('Transferred')] : []),
    ...(call.rescheduled_to ? [t('Call back booked')] : []),
    ...(call.batch_id ? [t('Batch')] : []),
  ];
}

const endTexts = (): Record<string, string> => ({
  'caller hung up': t('The caller hung up'),
  'agent ended the call': t('The agent ended the call'),
  'hang-up prompt': t('The conversation was over'),
  'caller silent': t('The caller said nothing'),
  'maximum duration': t('It reached its longest duration'),
  'credits ran out': t('The credits ran out'),
  voicemail: t('A voicemail answered'),
  transferred: t('It was transferred'),
  'canceled while queued': t('It was canceled while it was queued'),
  'expired in queue': t('It waited too long in the queue'),
  'out of credits': t('There were no credits'),
  'agent deleted': t('The agent was deleted'),
  'batch canceled': t('The batch was canceled'),
  'no-answer': t('Nobody answered'),
  busy: t('The number was busy'),
  canceled: t('It was canceled'),
  'carrier failed': t('The carrier could not connect it'),
  'all call slots are busy': t('All call lines were in use'),
  'agent not available': t('The agent was not available'),
  'media engine lost': t('The service lost it'),
});

/** Why it ended, such as `The caller hung up`; empty while it lasts. Reasons with words of others are shown as they are. */
export function endText({ hangup_reason, hangup_by }: Pick<CallSummary, 'hangup_reason' | 'hangup_by'>): string {
  if (hangup_reason === '' && hangup_by === 'carrier') return t('The carrier ended it');
  return endTexts()[hangup_reason] ?? firstCapital(hangup_reason);
}

const firstCapital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
