import type { Batch, postBatches } from '../generated/api.ts';
import { instantOf } from './zoned-time.ts';

/** What is entered for a new batch, beside its contacts. */
export interface NewBatchValues {
  agent_id: string;
  name: string;
  from_numbers: string[];
  webhook_url: string;
  when: 'now' | 'later';
  /** Of a clock in `zone`, such as `2026-12-01T09:30`. */
  scheduled_at: string;
  zone: string;
  concurrency: number | null;
  max_attempts: number | null;
  retry_after_minutes: number | null;
  retry_on: Batch['retry_on'];
}

export type NewBatchBody = Parameters<typeof postBatches>[0];

export const RETRY_OUTCOMES = ['no-answer', 'busy', 'failed', 'voicemail'] as const;

export const emptyBatch = (agentId: string, zone: string): NewBatchValues => ({
  agent_id: agentId,
  name: '',
  from_numbers: [],
  webhook_url: '',
  when: 'now',
  scheduled_at: '',
  zone,
  concurrency: null,
  max_attempts: 1,
  retry_after_minutes: 60,
  retry_on: ['no-answer', 'busy'],
});

/** Returns the request that makes the batch. */
export function bodyOf(values: NewBatchValues, uploadId: string): NewBatchBody {
  const { agent_id, from_numbers, concurrency, max_attempts, retry_after_minutes, retry_on } = values;
  const [name, webhook_url] = [values.name.trim(), values.webhook_url.trim()];
  const scheduled_at = values.when === 'later' ? instantOf(values.scheduled_at, values.zone) : null;
  return {
    agent_id,
    upload_id: uploadId,
    ...(name !== '' && { name }),
    ...(from_numbers.length > 0 && { from_numbers }),
    ...(webhook_url !== '' && { webhook_url }),
    ...(scheduled_at !== null && { scheduled_at }),
    concurrency,
    max_attempts: max_attempts ?? 1,
    // Without a second call nothing of it counts.
    ...((max_attempts ?? 1) > 1 && { retry_after_minutes: retry_after_minutes ?? 60, retry_on }),
  };
}

export interface CostEstimate {
  /** Every contact is called once. */
  paise: number;
  /** Every contact is called as often as may be. */
  most_paise: number;
}

/** Returns what the calls will cost when each lasts so many minutes; the price is of the agent's price estimate. */
export function costOf(contacts: number, attempts: number, minutes: number, paisePerMinute: number): CostEstimate {
  const paise = Math.round(contacts * minutes * paisePerMinute);
  return { paise, most_paise: paise * Math.max(1, attempts) };
}
