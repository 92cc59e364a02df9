import type { Tone } from '../calls/call-texts.ts';
import type { Batch, BatchContact } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What the pages write about a batch and its contacts. */

export type BatchStatus = Batch['status'];
export type ContactStatus = BatchContact['status'];

export const BATCH_STATUSES: readonly BatchStatus[] = ['scheduled', 'running', 'paused', 'completed', 'canceled'];

export function batchStatus(status: BatchStatus): { text: string; tone: Tone } {
  const texts: Record<BatchStatus, { text: string; tone: Tone }> = {
    scheduled: { text: t('Scheduled'), tone: 'plain' },
    running: { text: t('Running'), tone: 'live' },
    paused: { text: t('Paused'), tone: 'bad' },
    completed: { text: t('Completed'), tone: 'good' },
    canceled: { text: t('Canceled'), tone: 'plain' },
  };
  return texts[status] ?? { text: status, tone: 'plain' };
}

/** In the order in which they are shown: what is over first. */
export const CONTACT_STATUSES: readonly ContactStatus[] = [
  ...(['completed', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled', 'skipped'] as const),
  ...(['in-progress', 'queued', 'retrying', 'pending'] as const),
];

export function contactStatus(status: ContactStatus): string {
  const texts: Record<ContactStatus, string> = {
    pending: t('Not called yet'),
    queued: t('Queued'),
    'in-progress': t('Being called'),
    retrying: t('Called again later'),
    completed: t('Talked'),
    'no-answer': t('No answer'),
    busy: t('Busy'),
    failed: t('Failed'),
    voicemail: t('Answering machine'),
    canceled: t('Canceled'),
    skipped: t('Left out'),
  };
  return texts[status] ?? status;
}

export function contactTone(status: ContactStatus): Tone {
  if (status === 'in-progress') return 'live';
  if (status === 'completed') return 'good';
  return status === 'failed' ? 'bad' : 'plain';
}

/** Parts of the bar that shows how far a batch is, in order. */
export type ProgressPart = 'talked' | 'missed' | 'left-out' | 'live';

const PARTS: Record<ProgressPart, readonly ContactStatus[]> = {
  talked: ['completed'],
  missed: ['voicemail', 'no-answer', 'busy', 'failed'],
  'left-out': ['canceled', 'skipped'],
  live: ['in-progress'],
};

/** Returns each part's share of all contacts in percent; what is missing to a hundred still waits. */
export function progressParts({
  counts,
  total,
}: Pick<Batch, 'counts' | 'total'>): { part: ProgressPart; percent: number }[] {
  return (Object.keys(PARTS) as ProgressPart[])
    .map((part) => ({ part, count: PARTS[part].reduce((sum, status) => sum + counts[status], 0) }))
    .filter(({ count }) => count > 0)
    .map(({ part, count }) => ({ part, percent: (100 * count) / Math.max(1, total) }));
}

export const isOver = (status: BatchStatus): boolean => status === 'completed' || status === 'canceled';

/** Whether what is shown of it may change by itself. */
export const isMoving = ({ status, counts }: Pick<Batch, 'status' | 'counts'>): boolean =>
  status === 'running' || status === 'scheduled' || counts['in-progress'] > 0;

/** Why it is paused, and what helps; empty when it is not. */
export function pausedText(reason: string): string {
  if (reason === 'out of credits') return t('The credits ran out. Add credits in Billing, then resume.');
  if (reason === 'too many failures') {
    return t('Half of the last calls failed, so nothing more is dialled. Look at why they failed, then resume.');
  }
  if (reason === 'no caller number') return t('There is no number to call from any more. Connect one, then resume.');
  const person = /^by (.+)$/.exec(reason)?.[1];
  if (person) return t('Paused by {{person}}.', { person });
  return reason;
}

/** What the API says is wrong with a file, in the person's language where it is a usual sentence. */
export function rowErrorText(msg: string): string {
  const texts: Record<string, string> = {
    'the number is missing': t('The number is missing.'),
    'this is not a phone number': t('This is not a phone number.'),
    'the number of digits is wrong for its country': t('The number of digits is wrong for its country.'),
    'no country has this calling code': t('No country has this calling code.'),
    'the spreadsheet shortened this number: format the column as text': t(
      'The spreadsheet shortened this number. Format the column as text.',
    ),
    'the row has more cells than the header': t('The row has more cells than the header.'),
  };
  return texts[msg] ?? `${msg.slice(0, 1).toUpperCase()}${msg.slice(1)}.`;
}
