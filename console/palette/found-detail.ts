import { batchStatus } from '../batches/batch-texts.ts';
import { statusText } from '../calls/call-texts.ts';
import type { SearchResult } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';

/** The second line of what was found, with the status of it in words: that of the service is for programs. */
export function foundDetail(kind: keyof SearchResult, subtitle: string): string {
  if (kind === 'agents') return agentDetails()[subtitle] ?? subtitle;
  const parts = subtitle.split(' · ');
  if (kind === 'calls') {
    const status = parts.at(-1) as Parameters<typeof statusText>[0]['status'];
    return [...parts.slice(0, -1), statusText({ status }).text].join(' · ');
  }
  if (kind === 'batches' && parts.length === 2) {
    const contacts = Number.parseInt(parts[1]!, 10);
    return [
      batchStatus(parts[0] as Parameters<typeof batchStatus>[0]).text,
      Number.isNaN(contacts) ? parts[1] : tn('{{count}} contact', '{{count}} contacts', contacts),
    ].join(' · ');
  }
  return subtitle;
}

/** As in the list of agents, nothing is said of an active one. */
const agentDetails = (): Record<string, string> => ({ active: '', paused: t('Paused'), frozen: t('Frozen') });
