import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import type { Sql } from '../db/connect.ts';
import { startPollingJob } from '../db/polling-job.ts';
import { type Attempt, attemptDelivery } from './attempt.ts';
import { claimDeliveries, type Outgoing } from './claim.ts';
import { endClaimed, finishClaimed, releaseClaimed, removeOlder } from './delivery-store.ts';
import { createLanes } from './lanes.ts';
import { receiverOf } from './receiver.ts';
import { afterAttempt } from './schedule.ts';
import type { WebhookSecrets } from './secrets.ts';

/** For the workspace's own logs. */
export interface FailedAttempt {
  workspace_id: string;
  delivery_id: string;
  endpoint_id: string;
  event_type: string;
  call_id: string;
  agent_id: string;
  /** No further attempt by itself. */
  given_up: boolean;
  status_code: number | null;
  error: string;
  latency_ms: number;
}

export interface SenderDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  fetch: SafeFetch;
  secrets: WebhookSecrets;
  /** An attempt failed, and that is written down. */
  onFailed?: (failed: FailedAttempt) => void;
  /** How often the outbox is looked at when nothing else wakes it; 200 ms. */
  everyMs?: number;
}

export interface Sender {
  /** Takes no further delivery; what is under way gets 2 seconds, the rest is given back. */
  stop(): Promise<void>;
}

/** An attempt takes 10 seconds at most; the rest is for a slow database. */
const LEASE_MS = 30_000;
const GRACE_MS = 2_000;
const CLAIM_AT_ONCE = 64;
const WINDOW = 200;
/** Should a clock have gone backwards, the first in line may stand behind the window. */
const WIDE_WINDOW = 100_000;
const WIDE_EVERY_MS = 60_000;
const WRITE_TRIES = 3;
const WRITE_AGAIN_MS = 1_000;
const KEPT_MS = 30 * 24 * 3_600_000;
const CLEAN_EVERY_MS = 3_600_000;
const CLEAN_AT_ONCE = 1_000;

/**
 * Delivers what lies in the outbox. Every process may run one: a delivery is taken under a lease, sent, and its outcome
 * written. A process that dies between the two leaves the lease to run out, and the delivery is sent again under the
 * same id.
 */
export function startSender(deps: SenderDeps): Sender {
  const { sql, clock, log, secrets, everyMs = 200 } = deps;
  const lanes = createLanes(clock);
  const leaving = new AbortController();
  const working = new Set<Promise<void>>();
  let stopped = false;
  let after = '';
  let widenedAt = clock.now();
  const loop = startPollingJob({ name: 'webhooks', intervalMs: everyMs, clock, log, run });
  const cleaning = startPollingJob({ name: 'old webhooks', intervalMs: CLEAN_EVERY_MS, clock, log, run: clean });

  return {
    async stop() {
      stopped = true;
      await Promise.all([loop.stop(), cleaning.stop()]);
      const grace = clock.after(GRACE_MS, () => leaving.abort());
      await Promise.all(working);
      grace.cancel();
    },
  };

  async function run(): Promise<void> {
    while (!stopped) {
      const limit = Math.min(lanes.free(), CLAIM_AT_ONCE);
      // Whatever ends wakes the loop.
      if (limit === 0) return;
      const claim = newId();
      const room = lanes.room();
      const wide = clock.now() - widenedAt >= WIDE_EVERY_MS;
      if (wide) widenedAt = clock.now();
      const window = wide ? WIDE_WINDOW : WINDOW;
      const request = { nowMs: clock.wall(), claim, leaseMs: LEASE_MS, limit, ...lanes.limits, room, after, window };
      const claimed = await claimDeliveries(sql, request);
      for (const outgoing of claimed) begin(outgoing, claim);
      const wasBehind = after !== '';
      after = claimed.length === limit ? claimed.at(-1)!.receiver : '';
      // From the first receiver on again, so that every one had its turn before the pause.
      if (claimed.length < limit && !wasBehind) return;
    }
  }

  function begin(outgoing: Outgoing, claim: string): void {
    const leave = lanes.enter(outgoing.receiver);
    const work = deliver(outgoing, claim)
      .catch((error: unknown) => {
        log.error({ delivery_id: outgoing.id, error: errorText(error) }, 'a delivery broke off; it is sent again');
        return null;
      })
      .then((latencyMs) => {
        leave(latencyMs);
        working.delete(work);
        // A lane is free, and the call's next event may be sent.
        loop.wake();
      });
    working.add(work);
  }

  /** @returns how long the receiver took, null when it was not asked. */
  async function deliver(outgoing: Outgoing, claim: string): Promise<number | null> {
    const { id: delivery_id, event_type, body } = outgoing;
    const receiver = body === null ? 'endpoint deleted' : await receiverOf(sql, secrets, outgoing);
    if (typeof receiver === 'string' || body === null) {
      await endClaimed(sql, outgoing, claim, String(receiver));
      return null;
    }
    const attempt = await attemptDelivery(deps, { delivery_id, event_type, body, ...receiver }, leaving.signal);
    if (!attempt) {
      await releaseClaimed(sql, outgoing, claim);
      return null;
    }
    await write(outgoing, claim, attempt);
    return attempt.latency_ms;
  }

  /** A database that is away for a moment must not make receivers hear everything twice. */
  async function write(outgoing: Outgoing, claim: string, attempt: Attempt): Promise<void> {
    const planned = afterAttempt(attempt, outgoing.scheduled_attempts, attempt.ended_at_ms);
    for (let tries = 1; ; tries++) {
      try {
        const ours = await finishClaimed(sql, outgoing, claim, attempt, planned);
        if (!ours) log.info({ delivery_id: outgoing.id }, 'a delivery was settled by somebody else meanwhile');
        else if (!attempt.delivered) tellFailed(outgoing, attempt, planned.status === 'failed');
        return;
      } catch (error) {
        if (tries === WRITE_TRIES || leaving.signal.aborted) throw error;
        await new Promise<void>((resolve) => clock.after(WRITE_AGAIN_MS, resolve));
      }
    }
  }

  function tellFailed(outgoing: Outgoing, attempt: Attempt, given_up: boolean): void {
    const { workspace_id, id: delivery_id, endpoint_id, event_type, call_id, agent_id } = outgoing;
    const { status_code, error, latency_ms } = attempt;
    const subject = { workspace_id, delivery_id, endpoint_id, event_type, call_id, agent_id };
    deps.onFailed?.({ ...subject, given_up, status_code, error, latency_ms });
  }

  async function clean(): Promise<void> {
    const removed = await removeOldDeliveries(sql, clock.wall(), () => stopped);
    if (removed > 0) log.info({ removed }, 'old deliveries were removed');
  }
}

/** Deliveries are kept 30 days. @returns how many were removed, with their bodies. */
export async function removeOldDeliveries(sql: Sql, nowMs: number, stopped = () => false): Promise<number> {
  const before = new Date(nowMs - KEPT_MS);
  let removed = 0;
  while (!stopped()) {
    const some = await removeOlder(sql, before, CLEAN_AT_ONCE);
    removed += some;
    if (some < CLEAN_AT_ONCE) break;
  }
  return removed;
}
