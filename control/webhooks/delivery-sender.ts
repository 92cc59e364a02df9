import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import type { Sql } from '../db/connect.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { claimDeliveries, type OutgoingDelivery } from './claim-deliveries.ts';
import { type Attempt, attemptDelivery, planNextAttempt, receiverOf } from './delivery-attempt.ts';
import { createDeliveryConcurrency } from './delivery-concurrency.ts';
import { deleteDeliveriesBefore, failClaimed, recordScheduledAttempt, releaseClaimed } from './delivery-store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** A failed attempt, for the server logs of the workspace. */
export interface FailedAttempt {
  workspace_id: string;
  delivery_id: string;
  endpoint_id: string;
  event_type: string;
  call_id: string;
  agent_id: string;
  /** No further attempt follows. */
  is_final: boolean;
  status_code: number | null;
  error: string;
  latency_ms: number;
}

export interface DeliverySenderDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  fetch: SafeFetch;
  secrets: WebhookSecrets;
  /** Called after a failed attempt was written. */
  onFailed?: (failed: FailedAttempt) => void;
  /** How often the outbox is polled; 200 ms. */
  intervalMs?: number;
}

export interface DeliverySender {
  /** Claims no further deliveries; running attempts get 2 seconds, the rest are released. */
  stop(): Promise<void>;
}

/** An attempt takes 10 seconds at most; the rest allows for a slow database. */
const LEASE_MS = 30_000;
const GRACE_MS = 2_000;
const CLAIM_BATCH_SIZE = 64;
const CLAIM_WINDOW = 200;
/** When a clock has gone backwards, the next delivery of a receiver may be outside the window. */
const WIDE_CLAIM_WINDOW = 100_000;
const WIDE_CLAIM_INTERVAL_MS = 60_000;
const MAX_WRITE_ATTEMPTS = 3;
const WRITE_RETRY_DELAY_MS = 1_000;
const RETENTION_MS = 30 * 24 * 3_600_000;
const CLEANUP_INTERVAL_MS = 3_600_000;
const CLEANUP_BATCH_SIZE = 1_000;

/**
 * Starts the sender of the outbox. Every process may run one: a delivery is leased, sent, and its outcome written. After a crash
 * between the two the lease expires, and the delivery is sent again with the same id.
 */
export function startDeliverySender(deps: DeliverySenderDeps): DeliverySender {
  const { sql, clock, log, secrets, intervalMs = 200 } = deps;
  const concurrency = createDeliveryConcurrency(clock);
  const shutdown = new AbortController();
  const running = new Set<Promise<void>>();
  let stopped = false;
  let after = '';
  let widenedAt = clock.now();
  const job = startPollingJob({ name: 'webhooks', intervalMs, clock, log, run });
  const cleanup = startPollingJob({ name: 'webhook cleanup', intervalMs: CLEANUP_INTERVAL_MS, clock, log, run: clean });

  return {
    async stop() {
      stopped = true;
      await Promise.all([job.stop(), cleanup.stop()]);
      const grace = clock.after(GRACE_MS, () => shutdown.abort());
      await Promise.all(running);
      grace.cancel();
    },
  };

  async function run(): Promise<void> {
    while (!stopped) {
      const limit = Math.min(concurrency.free(), CLAIM_BATCH_SIZE);
      // A finished attempt wakes the job.
      if (limit === 0) return;
      const claim = newId();
      const headroom = concurrency.headroom();
      const wide = clock.now() - widenedAt >= WIDE_CLAIM_INTERVAL_MS;
      if (wide) widenedAt = clock.now();
      const window = wide ? WIDE_CLAIM_WINDOW : CLAIM_WINDOW;
      const request = {
        nowMs: clock.wall(),
        claim,
        leaseMs: LEASE_MS,
        limit,
        ...concurrency.limits,
        headroom,
        after,
        window,
      };
      const claimed = await claimDeliveries(sql, request);
      for (const outgoing of claimed) begin(outgoing, claim);
      const wasBehind = after !== '';
      after = claimed.length === limit ? claimed.at(-1)!.receiver : '';
      // Starts again at the first receiver, so that all had their turn before the pause.
      if (claimed.length < limit && !wasBehind) return;
    }
  }

  function begin(outgoing: OutgoingDelivery, claim: string): void {
    const leave = concurrency.enter(outgoing.receiver);
    const work = deliver(outgoing, claim)
      .catch((error: unknown) => {
        log.error(
          { delivery_id: outgoing.id, error: errorText(error) },
          'delivery failed; it is sent again after its lease',
        );
        return null;
      })
      .then((latencyMs) => {
        leave(latencyMs);
        running.delete(work);
        // A slot is free, and the call's next event may be sent.
        job.wake();
      });
    running.add(work);
  }

  /** @returns the receiver's latency in ms, null when nothing was sent. */
  async function deliver(outgoing: OutgoingDelivery, claim: string): Promise<number | null> {
    const { id: delivery_id, event_type, body } = outgoing;
    const receiver = body === null ? 'endpoint deleted' : await receiverOf(sql, secrets, outgoing);
    if (typeof receiver === 'string' || body === null) {
      await failClaimed(sql, outgoing, claim, String(receiver));
      return null;
    }
    const attempt = await attemptDelivery(deps, { delivery_id, event_type, body, ...receiver }, shutdown.signal);
    if (!attempt) {
      await releaseClaimed(sql, outgoing, claim);
      return null;
    }
    await write(outgoing, claim, attempt);
    return attempt.latency_ms;
  }

  /** Retries, so that a short outage of the database does not cause duplicate deliveries. */
  async function write(outgoing: OutgoingDelivery, claim: string, attempt: Attempt): Promise<void> {
    const planned = planNextAttempt(attempt, outgoing.scheduled_attempts, attempt.ended_at_ms);
    for (let tries = 1; ; tries++) {
      try {
        const ours = await recordScheduledAttempt(sql, outgoing, claim, attempt, planned);
        if (!ours) log.info({ delivery_id: outgoing.id }, 'delivery was settled by another process');
        else if (!attempt.delivered) tellFailed(outgoing, attempt, planned.status === 'failed');
        return;
      } catch (error) {
        if (tries === MAX_WRITE_ATTEMPTS || shutdown.signal.aborted) throw error;
        await new Promise<void>((resolve) => clock.after(WRITE_RETRY_DELAY_MS, resolve));
      }
    }
  }

  function tellFailed(outgoing: OutgoingDelivery, attempt: Attempt, is_final: boolean): void {
    const { workspace_id, id: delivery_id, endpoint_id, event_type, call_id, agent_id } = outgoing;
    const { status_code, error, latency_ms } = attempt;
    const subject = { workspace_id, delivery_id, endpoint_id, event_type, call_id, agent_id };
    deps.onFailed?.({ ...subject, is_final, status_code, error, latency_ms });
  }

  async function clean(): Promise<void> {
    const removed = await deleteOldDeliveries(sql, clock.wall(), () => stopped);
    if (removed > 0) log.info({ removed }, 'old deliveries deleted');
  }
}

/** Deletes deliveries after 30 days. @returns the number of deleted rows. */
export async function deleteOldDeliveries(sql: Sql, nowMs: number, stopped = () => false): Promise<number> {
  const before = new Date(nowMs - RETENTION_MS);
  let removed = 0;
  while (!stopped()) {
    const some = await deleteDeliveriesBefore(sql, before, CLEANUP_BATCH_SIZE);
    removed += some;
    if (some < CLEANUP_BATCH_SIZE) break;
  }
  return removed;
}
