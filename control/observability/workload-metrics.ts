import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { countBatches } from '../batches/batch-lookups.ts';
import { countCalls } from '../calls/call-statistics.ts';
import { countDeadEvents } from '../calls/events/dead-events.ts';
import { countGaps } from '../calls/events/event-gaps.ts';
import { countDials } from '../calls/lifecycle/lost-dial.ts';
import { monthsAhead } from '../calls/retention/month-partitions.ts';
import { connectionsHeld } from '../carriers/connection-lease.ts';
import type { Sql } from '../db/connect.ts';
import { countWaitingEmails } from '../mail/outbox.ts';
import { countDifferences } from '../money-audit/money-audit.ts';
import { countFindings } from '../numbers/audit-store.ts';
import { countWaitingDeliveries } from '../webhooks/delivery-store.ts';

/** However often `/metrics` is scraped, the database counts once in this time. */
const CACHE_TTL_MS = 5_000;
/** Larger counts are shown as this one, so that an index is read no further. */
const MAX_COUNTED = 20_000;
const UP_TO = `Counted up to ${MAX_COUNTED}.`;
const TIMEOUT = '2s';
/** With the wait for a connection. */
const DEADLINE_MS = 3_000;

export interface WorkloadMetricsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
}

/** Adds a gauge with one value, or with one per value of a label. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  value: number | { label: string; values: Record<string, number> },
): void {
  if (typeof value === 'number') new Gauge({ name, help, registers: [registry] }).set(value);
  else {
    const gauge = new Gauge({ name, help, labelNames: [value.label], registers: [registry] });
    for (const [name, each] of Object.entries(value.values)) gauge.set({ [value.label]: name }, each);
  }
}

/** Counts the work of all workspaces that is in the database; when it cannot, only `antiphon_database_counted` is there. */
export function createWorkloadMetrics({ sql, clock, log }: WorkloadMetricsDeps): () => Promise<Registry> {
  let cached: { atMs: number; registry: Promise<Registry> } | null = null;

  return () => {
    const nowMs = clock.now();
    if (!cached || nowMs - cached.atMs >= CACHE_TTL_MS) cached = { atMs: nowMs, registry: count() };
    return cached.registry;
  };

  async function count(): Promise<Registry> {
    const registry = new Registry();
    const add = addGauge.bind(null, registry);
    const wallMs = clock.wall();
    const ageSeconds = (atMs: number | null | undefined) => Math.max(0, wallMs - (atMs ?? wallMs)) / 1000;
    const counted = await withTimeout(countWork(wallMs), DEADLINE_MS, clock, tooLate).catch((error: unknown) => {
      log.warn({ error: errorText(error) }, 'workload metrics could not be counted');
      return null;
    });
    add(
      'antiphon_database_counted',
      '0: the database did not answer, and the metrics counted there are missing.',
      counted ? 1 : 0,
    );
    if (!counted) return registry;
    const { calls, batches, deliveries, emails, numbers, differences, gaps, deadEvents, months, dials, held } = counted;
    const { oldest_queued_at, ...states } = calls;
    add(
      'antiphon_calls',
      `Calls that are not completed; waiting: queued and due, completing: over, analysis or webhook outstanding. ${UP_TO}`,
      { label: 'state', values: states },
    );
    add(
      'antiphon_oldest_waiting_call_age_seconds',
      'How long the oldest waiting call has been due; 0: none is.',
      ageSeconds(oldest_queued_at?.getTime()),
    );
    add('antiphon_batches', `Batches under way. ${UP_TO}`, { label: 'status', values: { ...batches } });
    const outstanding = `to be sent, now or again later. ${UP_TO}`;
    const age = 'Age of the oldest of them; 0: there is none.';
    add('antiphon_webhook_deliveries_waiting', `Deliveries ${outstanding}`, deliveries.waiting);
    add('antiphon_webhook_deliveries_oldest_age_seconds', age, ageSeconds(deliveries.oldest_at_ms));
    add('antiphon_emails_waiting', `Emails ${outstanding}`, emails.waiting);
    add('antiphon_emails_oldest_age_seconds', age, ageSeconds(emails.oldest_at?.getTime()));
    add(
      'antiphon_numbers_differing',
      `Phone numbers that are not the same here and at their carrier, as \`number audit\` lists them. ${UP_TO}`,
      { label: 'kind', values: numbers },
    );
    add(
      'antiphon_money_differences',
      `What the last audit of money found not to add up, as \`billing audit\` shows it. ${UP_TO}`,
      differences,
    );
    add('antiphon_event_gaps', `Calls that wait for a missing event. ${UP_TO}`, gaps);
    add(
      'antiphon_dead_events',
      `Events that could not be applied, until the operator removes them. ${UP_TO}`,
      deadEvents,
    );
    add(
      'antiphon_month_partitions_ahead',
      'How many of the next three months have their partitions of calls; 0: finished calls of next month would lie in none.',
      months,
    );
    const { oldest_unknown_at, ...dialStates } = dials;
    add(
      'antiphon_dials',
      `Dials whose answer did not come (unknown), or that the carrier wants later (slowed). ${UP_TO}`,
      { label: 'state', values: dialStates },
    );
    add('antiphon_dials_oldest_unknown_age_seconds', age, ageSeconds(oldest_unknown_at?.getTime()));
    if (Object.keys(held).length > 0) {
      const values = Object.fromEntries(Object.entries(held).map(([name, isHeld]) => [name, isHeld ? 1 : 0]));
      const help =
        'Whether a control process holds the connection to a carrier that one of them follows; 0: nobody does.';
      add('antiphon_carrier_connection_held', help, { label: 'connection', values });
    }
    return registry;
  }

  function tooLate(): never {
    throw new Error(`not within ${DEADLINE_MS} ms`);
  }

  function countWork(wallMs: number) {
    return sql.begin('read only', async (tx) => {
      // Each count has its index; the planner does not know how few rows are asked for, and might read a table instead.
      await tx.unsafe(
        `set local statement_timeout = '${TIMEOUT}'; set local enable_seqscan = off; set local enable_bitmapscan = off`,
      );
      return {
        calls: await countCalls(tx, wallMs, MAX_COUNTED),
        batches: await countBatches(tx, MAX_COUNTED),
        deliveries: await countWaitingDeliveries(tx, MAX_COUNTED),
        emails: await countWaitingEmails(tx, MAX_COUNTED),
        numbers: await countFindings(tx, MAX_COUNTED),
        differences: await countDifferences(tx, MAX_COUNTED),
        gaps: await countGaps(tx, MAX_COUNTED),
        deadEvents: await countDeadEvents(tx, MAX_COUNTED),
        months: await monthsAhead(tx, wallMs),
        dials: await countDials(tx, wallMs, MAX_COUNTED),
        held: await connectionsHeld(tx),
      };
    });
  }
}
