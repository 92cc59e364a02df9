import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { countBatches } from '../batches/batch-lookups.ts';
import { countCalls } from '../calls/call-statistics.ts';
import type { Sql } from '../db/connect.ts';
import { countWaitingEmails } from '../mail/emails-waiting.ts';
import { countWaitingDeliveries } from '../webhooks/delivery-store.ts';
import type { Family } from './exposition.ts';
import { gauge } from './process-metrics.ts';

/** However often somebody scrapes, the database counts once in this time. */
const CACHE_TTL_MS = 5_000;
/** What is more than this many is so many: an index is read that far, no further. */
const MAX_COUNTED = 20_000;
const UP_TO = `Counted up to ${MAX_COUNTED}.`;
const TIMEOUT = '2s';

export interface WorkloadMetricsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
}

/** How much work lies in the database, of all workspaces together. While it cannot be counted only that is told. */
export function createWorkloadMetrics({ sql, clock, log }: WorkloadMetricsDeps): () => Promise<Family[]> {
  let kept: { atMs: number; families: Promise<Family[]> } | null = null;

  return () => {
    const nowMs = clock.now();
    if (!kept || nowMs - kept.atMs >= CACHE_TTL_MS) kept = { atMs: nowMs, families: count() };
    return kept.families;
  };

  async function count(): Promise<Family[]> {
    const wallMs = clock.wall();
    try {
      const [calls, batches, deliveries, letters] = await sql.begin('read only', async (tx) => {
        // Each count has its index; the planner, who cannot know how little is asked of it, might read a table instead.
        await tx.unsafe(
          `set local statement_timeout = '${TIMEOUT}'; set local enable_seqscan = off; set local enable_bitmapscan = off`,
        );
        return [
          await countCalls(tx, wallMs, MAX_COUNTED),
          await countBatches(tx, MAX_COUNTED),
          await countWaitingDeliveries(tx, MAX_COUNTED),
          await countWaitingEmails(tx, MAX_COUNTED),
        ] as const;
      });
      const { oldest_queued_at, ...states } = calls;
      const age = (atMs: number | null | undefined) => Math.max(0, wallMs - (atMs ?? wallMs)) / 1000;
      return [
        counted(1),
        {
          name: 'antiphon_calls',
          help: `Calls that are not completed; waiting: in the queue and due, completing: over, not analysed and told yet. ${UP_TO}`,
          ...{ type: 'gauge', series: seriesOf('state', states) },
        },
        gauge(
          'antiphon_oldest_waiting_call_age_seconds',
          'For how long the first of the queue has been due; 0: none is.',
          age(oldest_queued_at?.getTime()),
        ),
        {
          name: 'antiphon_batches',
          help: `Batches under way. ${UP_TO}`,
          ...{ type: 'gauge', series: seriesOf('status', batches) },
        },
        gauge(
          'antiphon_webhook_deliveries_waiting',
          `Deliveries to be sent, now or again later. ${UP_TO}`,
          deliveries.waiting,
        ),
        gauge(
          'antiphon_webhook_deliveries_oldest_age_seconds',
          'Age of the oldest of them; 0: there is none.',
          age(deliveries.oldest_at_ms),
        ),
        gauge('antiphon_letters_waiting', `Letters to be sent, now or again later. ${UP_TO}`, letters.waiting),
        gauge(
          'antiphon_letters_oldest_age_seconds',
          'Age of the oldest of them; 0: there is none.',
          age(letters.oldest_at?.getTime()),
        ),
      ];
    } catch (error) {
      log.warn({ error: errorText(error) }, 'the work in the database could not be counted');
      return [counted(0)];
    }
  }
}

const counted = (value: 0 | 1) =>
  gauge('antiphon_database_counted', '0: the database did not answer, and what is counted there is missing.', value);

const seriesOf = (label: string, counts: object) =>
  Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value: value as number }));
