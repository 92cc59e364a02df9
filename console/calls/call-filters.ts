import type { getCalls } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** The filters of the list of calls, as they stand in the page's address and as the API takes them. */
export type CallFilters = Omit<NonNullable<Parameters<typeof getCalls>[0]>, 'limit' | 'skip' | 'after' | 'timezone'>;
export type CallStatus = NonNullable<CallFilters['status']>[number];

/** What people look for, and the statuses that it means. */
const STATUSES: Readonly<Record<string, readonly CallStatus[]>> = {
  live: ['ringing', 'in-progress'],
  queued: ['queued'],
  completed: ['completed', 'ended'],
  unanswered: ['no-answer', 'busy', 'canceled'],
  failed: ['failed'],
};

export interface Choice {
  value: string;
  label: string;
}

export const statusChoices = (): Choice[] => [
  { value: 'live', label: t('Live') },
  { value: 'queued', label: t('Queued') },
  { value: 'completed', label: t('Completed') },
  { value: 'unanswered', label: t('Not answered') },
  { value: 'failed', label: t('Failed') },
];

export const directionChoices = (): Choice[] => [
  { value: 'inbound', label: t('Incoming') },
  { value: 'outbound', label: t('Outgoing') },
];

export const channelChoices = (): Choice[] => [
  { value: 'phone', label: t('Phone') },
  { value: 'web', label: t('Browser') },
];

export const answerChoices = (): Choice[] => [
  { value: 'human', label: t('A person') },
  { value: 'machine', label: t('Voicemail') },
];

export const lengthChoices = (): Choice[] => [
  { value: '10', label: t('10 seconds or more') },
  { value: '60', label: t('1 minute or more') },
  { value: '300', label: t('5 minutes or more') },
];

const HEX_ID = /^[a-f0-9]{32}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^\+?[0-9]{4,15}$/;
/** The API finds words of at least so many letters. */
const LEAST_WORD = 2;

/** Reads the filters from the address; what is none is left out, so that an old link still opens. */
export function filtersIn(query: Readonly<Record<string, string>>): CallFilters {
  const { q, agent, batch, status, direction, channel, answered_by, since, until, min_duration } = query;
  const statuses = status !== undefined && Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const seconds = Number(min_duration);
  const number = numberIn(query.number ?? '');
  return {
    ...(q && q.length >= LEAST_WORD && { q: q.slice(0, 100) }),
    ...(agent && HEX_ID.test(agent) && { agentId: agent }),
    ...(batch && HEX_ID.test(batch) && { batchId: batch }),
    ...(statuses && { status: [...statuses] }),
    ...((direction === 'inbound' || direction === 'outbound') && { direction }),
    ...((channel === 'phone' || channel === 'web') && { channel }),
    ...((answered_by === 'human' || answered_by === 'machine') && { answeredBy: answered_by }),
    ...(since && DAY.test(since) && { since }),
    // The day that is named is part of what is asked for.
    ...(until && DAY.test(until) && { until: dayAfter(until) }),
    ...(number && { $number: number }),
    ...(Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400 && { minDuration: seconds }),
  };
}

/** A number, or its last digits, without what people write between them; empty for less than the API looks for. */
function numberIn(text: string): string {
  const digits = text.replace(/[\s().-]/g, '');
  return NUMBER.test(digits) ? digits : '';
}

/** Returns the address with one filter changed; empty removes it. */
export function withFilter(path: string, query: Readonly<Record<string, string>>, name: string, value: string): string {
  const { [name]: _before, ...others } = query;
  const next = new URLSearchParams(value === '' ? others : { ...others, [name]: value }).toString();
  return next === '' ? path : `${path}?${next}`;
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
