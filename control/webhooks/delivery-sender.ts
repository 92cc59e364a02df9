import { type Clock, pause } from '../../shared/clock.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import type { Logger } from '../../shared/log.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import { type CallSpan, callSpanId, newSpanId, spanExport } from '../../shared/telemetry/spans.ts';
import { type Sql, wakeUpsOf } from '../db/connect.ts';
import { startLeaseWorker } from '../db/lease-worker.ts';
import type { OpenWorkQuery } from '../db/open-work.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { claimDeliveries, type OutgoingDelivery, runsOf } from './claim-deliveries.ts';
import { type Attempt, attemptDelivery, receiverOf } from './delivery-attempt.ts';
import { createDeliveryConcurrency } from './delivery-concurrency.ts';
import { planNextAttempt } from './delivery-retries.ts';
import { deleteDeliveriesBefore, failClaimed, releaseClaimed } from './delivery-store.ts';
import { type CompleteBody, storedWhole } from './envelope.ts';
import { createAttemptRecorder } from './record-attempts.ts';
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
  /** Of deliveries as they were claimed; `storedWhole`. */
  completeBody?: CompleteBody;
  /** Called after a failed attempt was written. */
  onFailed?: (failed: FailedAttempt) => void;
  /** How often the outbox is polled while there may be something in it; 200 ms. */
  intervalMs?: number;
}

export interface DeliverySender {
  /** Claims no further deliveries; running attempts get 2 seconds, the rest are released. */
  stop(): Promise<void>;
}

const MAX_CONCURRENT_ATTEMPTS = 256;
/** An attempt takes 10 seconds at most; the rest allows for a slow database. */
const LEASE_MS = 30_000;
const GRACE_MS = 2_000;
/** After this time of a run no further attempt of it begins, so that each ends and is recorded within the lease. */
const MAX_RUN_MS = 5_000;
/** So far a run is ahead of its record: what the database does not hear of is sent again. */
const MAX_UNRECORDED = 4;
const CLAIM_BATCH_SIZE = 128;
/** Polls that an empty outbox is left alone for: only a delivery of which this process was told nothing waits so long, and retries. */
const IDLE_INTERVALS = 5;
const CLAIM_WINDOW = 200;
/** Between claims, so that one finds what became free of many receivers. */
const CLAIM_PAUSE_MS = 10;
/** When a clock has gone backwards, the next delivery of a receiver may be outside the window. */
const WIDE_CLAIM_WINDOW = 100_000;
const WIDE_CLAIM_INTERVAL_MS = 60_000;
const MAX_WRITE_ATTEMPTS = 3;
const WRITE_RETRY_DELAY_MS = 1_000;
const RETENTION_MS = 30 * 24 * 3_600_000;
const CLEANUP_INTERVAL_MS = 3_600_000;
const CLEANUP_BATCH_SIZE = 1_000;

const undelivered: OpenWorkQuery = 'select from webhook_deliveries where next_attempt_at is not null';

/**
 * Starts the sender of the outbox. Every process may run one: a delivery is leased, sent, and its outcome written. After a crash
 * between the two the lease expires, and the delivery is sent again with the same id.
 */
export function startDeliverySender(deps: DeliverySenderDeps): DeliverySender {
  const { sql, clock, log, secrets, completeBody = storedWhole, intervalMs = 200 } = deps;
  const concurrency = createDeliveryConcurrency(clock);
  const record = createAttemptRecorder(sql);
  let stopped = false;
  let after = '';
  let widenedAt = clock.now();
  let claimedAt = -CLAIM_PAUSE_MS;
  /** The last claim found nothing, and nothing has changed since it began. */
  let quiet = false;
  let changes = 0;
  let runs = 0;
  const changed = () => {
    changes++;
    quiet = false;
  };
  const written = wakeUpsOf(sql).on('deliveries', changed);
  const worker = startLeaseWorker<OutgoingDelivery[]>({
    ...{ name: 'webhooks', intervalMs, clock, log, lease },
    wakeOn: { sql, topic: 'deliveries' },
    openWork: { sql, query: undelivered, intervalMs: IDLE_INTERVALS * intervalMs },
    maxConcurrent: MAX_CONCURRENT_ATTEMPTS,
    work,
    async release(run) {
      await releaseClaimed(sql, run);
      changed();
    },
    graceMs: GRACE_MS,
    fieldsOf: ([delivery]) => ({ delivery_id: delivery?.id }),
  });
  const cleanup = startPollingJob({ name: 'webhook cleanup', intervalMs: CLEANUP_INTERVAL_MS, clock, log, run: clean });

  return {
    async stop() {
      stopped = true;
      written.stop();
      await Promise.all([worker.stop(), cleanup.stop()]);
    },
  };

  async function lease(free: number) {
    const isIdle = quiet && runs === 0 && clock.now() - claimedAt < IDLE_INTERVALS * intervalMs;
    if (isIdle) return { jobs: [], more: false };
    quiet = false;
    const changesBefore = changes;
    const pauseMs = claimedAt + CLAIM_PAUSE_MS - clock.now();
    if (pauseMs > 0) await pause(clock, pauseMs);
    claimedAt = clock.now();
    const wide = clock.now() - widenedAt >= WIDE_CLAIM_INTERVAL_MS;
    if (wide) widenedAt = clock.now();
    const limit = Math.min(free, CLAIM_BATCH_SIZE);
    const claimed = await claimDeliveries(sql, {
      ...{ nowMs: clock.wall(), leaseMs: LEASE_MS, limit, after, ...concurrency.limits },
      headroom: concurrency.headroom(),
      window: wide ? WIDE_CLAIM_WINDOW : CLAIM_WINDOW,
    });
    quiet = claimed.length === 0 && changes === changesBefore;
    // All at once, so that one query completes all that need it.
    const completed = await Promise.all(
      claimed.map(async (delivery) => ({ ...delivery, body: await completeBody(delivery) })),
    );
    // Starts again at the first receiver, so that all had their turn before the pause.
    const more = claimed.length === limit || after !== '';
    after = claimed.length === limit ? claimed.at(-1)!.receiver : '';
    return { jobs: runsOf(completed), more };
  }

  /**
   * Sends a run in its order, and writes the outcomes meanwhile. What is left when the receiver fails or is slow, the lease is lost or
   * the process stops is released: it can be claimed when what was attempted before it is recorded.
   */
  async function work(run: OutgoingDelivery[], signal: AbortSignal): Promise<boolean> {
    const startedMs = clock.now();
    const { turn, attempted, leave, ended } = concurrency.enter(run[0]!.receiver, run.length);
    const writes: Promise<void>[] = [];
    let held = true;
    runs++;
    const settle = (write: Promise<boolean>) => {
      run.shift();
      const settled = write
        .then((isHeld) => {
          held &&= isHeld;
        })
        .finally(() => ended(1) && worker.wake());
      settled.catch(() => {});
      writes.push(settled);
    };
    try {
      let mayGoOn = await turn;
      // All were claimed with the same settings.
      const receiver = await receiverOf(sql, secrets, run[0]!);
      for (let next = run[0]; next && mayGoOn && held && !stopped; next = run[0]) {
        await writes.at(-MAX_UNRECORDED);
        const { id: delivery_id, event_type, body } = next;
        const to = body === null ? 'endpoint deleted' : receiver;
        if (typeof to === 'string' || body === null) {
          settle(failClaimed(sql, next, String(to)).then(() => true));
          continue;
        }
        const attempt = await attemptDelivery(deps, { delivery_id, event_type, body, ...to }, signal);
        if (!attempt) break;
        traceAttempt(next, attempt);
        settle(write(next, attempt, signal));
        mayGoOn = attempted(attempt) && clock.now() - startedMs < MAX_RUN_MS;
      }
    } finally {
      leave();
      ended(run.length);
      await Promise.allSettled(writes);
      runs--;
      // A claim that began before the outcomes were on record may have found nothing.
      changed();
    }
    await Promise.all(writes);
    return run.length === 0;
  }

  /** Retries, so that a short outage of the database does not cause duplicate deliveries. False when the lease was lost. */
  async function write(outgoing: OutgoingDelivery, attempt: Attempt, signal: AbortSignal): Promise<boolean> {
    const planned = planNextAttempt(attempt, outgoing.scheduled_attempts, attempt.ended_at_ms);
    for (let tries = 1; ; tries++) {
      try {
        const held = await record({ delivery: outgoing, attempt, planned });
        if (!held) log.info({ delivery_id: outgoing.id }, 'delivery was settled by another process');
        else if (!attempt.delivered) reportFailure(outgoing, attempt, planned.status === 'failed');
        return held;
      } catch (error) {
        if (tries === MAX_WRITE_ATTEMPTS || signal.aborted) throw error;
        await pause(clock, WRITE_RETRY_DELAY_MS);
      }
    }
  }

  function reportFailure(outgoing: OutgoingDelivery, attempt: Attempt, is_final: boolean): void {
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

/** An attempt to deliver an event of a call, in the call's trace. */
function traceAttempt({ call_id, id, event_type }: OutgoingDelivery, attempt: Attempt): void {
  const emit = spanExport();
  if (!emit || !ID_PATTERN.test(call_id)) return;
  const { status_code, delivered, error } = attempt;
  const response: CallSpan['attributes'] = status_code === null ? {} : { 'http.response.status_code': status_code };
  emit({
    ...{ call_id, span_id: newSpanId(), parent_id: callSpanId(call_id), name: 'POST', kind: 'client' },
    ...{ start_ms: attempt.at.getTime(), end_ms: attempt.ended_at_ms },
    attributes: {
      ...{ 'http.request.method': 'POST', 'server.address': URL.parse(attempt.url)?.hostname ?? '', ...response },
      ...{ 'antiphon.webhook.event': event_type, 'antiphon.webhook.delivery': id },
    },
    ...(!delivered && { error_type: status_code === null ? error : String(status_code) }),
  });
}

/** Deletes deliveries after 30 days. @returns the number of deleted rows. */
export async function deleteOldDeliveries(sql: Sql, nowMs: number, stopped = () => false): Promise<number> {
  const before = new Date(nowMs - RETENTION_MS);
  let removed = 0;
  while (!stopped()) {
    const deleted = await deleteDeliveriesBefore(sql, before, CLEANUP_BATCH_SIZE);
    removed += deleted;
    if (deleted < CLEANUP_BATCH_SIZE) break;
  }
  return removed;
}
