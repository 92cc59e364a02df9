import type { getCalls } from '../generated/api.ts';

/** The filters of the list of calls, as they stand in the page's address and as the API takes them. */
export type CallFilters = Omit<NonNullable<Parameters<typeof getCalls>[0]>, 'limit' | 'skip' | 'after' | 'timezone'>;
export type CallStatus = NonNullable<CallFilters['status']>[number];

/** What people look for, and the statuses that it means. */
export const STATUS_CHOICES: readonly { name: string; label: string; statuses: readonly CallStatus[] }[] = [
  { name: 'live', label: 'Live', statuses: ['ringing', 'in-progress'] },
  { name: 'queued', label: 'Queued', statuses: ['queued'] },
  { name: 'completed', label: 'Completed', statuses: ['completed', 'ended'] },
  { name: 'unanswered', label: 'Not answered', statuses: ['no-answer', 'busy', 'canceled'] },
  { name: 'failed', label: 'Failed', statuses: ['failed'] },
];

const HEX_ID = /^[a-f0-9]{32}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filters from the address; what is none is left out, so that an old link still opens. */
export function filtersIn(query: Readonly<Record<string, string>>): CallFilters {
  const { q, agent, batch, status, direction, channel, answered_by, since, until, number, min_duration } = query;
  const statuses = STATUS_CHOICES.find(({ name }) => name === status)?.statuses;
  const seconds = Number(min_duration);
  return {
    ...(q && { q: q.slice(0, 200) }),
    ...(agent && HEX_ID.test(agent) && { agentId: agent }),
    ...(batch && HEX_ID.test(batch) && { batchId: batch }),
    ...(statuses && { status: [...statuses] }),
    ...((direction === 'inbound' || direction === 'outbound') && { direction }),
    ...((channel === 'phone' || channel === 'web') && { channel }),
    ...((answered_by === 'human' || answered_by === 'machine') && { answeredBy: answered_by }),
    ...(since && DAY.test(since) && { since }),
    // The day that is named is part of what is asked for.
    ...(until && DAY.test(until) && { until: dayAfter(until) }),
    ...(number && { $number: number.slice(0, 20) }),
    ...(Number.isInteger(seconds) && seconds > 0 && { minDuration: seconds }),
  };
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
