import type { Clock, Timer } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Sql } from '../../db/connect.ts';
import { startLeaseWorker } from '../../db/lease-worker.ts';
import type { PollingJob } from '../../db/polling-job.ts';
import { type RenewalOutcome, type RenewalSubject, renewLeased } from './renew.ts';
import { leaseDueRenewals, nextDueTime, type Renewal, type RenewalKind } from './renewals.ts';

/** Longer than an attempt can take; the next one of a process that died. */
const LEASE_MS = 60_000;
const MAX_CONCURRENT = 4;
/**
 * The next due time is looked up again, in case that a wake-up is missed (the operator's command line sends none) or the system's clock
 * is set.
 */
const POLL_MS = 60_000;

export interface RenewalWorkerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  subjects: ReadonlyMap<RenewalKind, RenewalSubject>;
  /** Where credits are added, for e-mails. */
  billingUrl: string;
  onAttempt?: (renewal: Renewal, outcome: RenewalOutcome) => void;
}

/** Takes the fees when they are due: the row that is due next sets the timer. Every process may run one. */
export function startRenewalWorker(deps: RenewalWorkerDeps): PollingJob {
  const { sql, clock, log } = deps;
  let timer: Timer | null = null;
  let stopped = false;
  const worker = startLeaseWorker<Renewal>({
    ...{ name: 'renewals', intervalMs: POLL_MS, clock, log, maxConcurrent: MAX_CONCURRENT },
    wakeOn: { sql, topic: 'renewals' },
    async lease(limit) {
      const jobs = await leaseDueRenewals(sql, limit, clock.wall(), LEASE_MS);
      if (jobs.length < limit) await sleepUntilDue();
      return { jobs, more: jobs.length === limit };
    },
    async work(renewal) {
      await attemptRenewal(deps, renewal);
      return true;
    },
    release: async () => {},
    graceMs: 15_000,
    fieldsOf: ({ workspace_id, kind }) => ({ workspace_id, kind }),
  });
  return {
    wake: worker.wake,
    async stop() {
      stopped = true;
      timer?.cancel();
      await worker.stop();
    },
  };

  async function sleepUntilDue(): Promise<void> {
    const due = await nextDueTime(sql);
    timer?.cancel();
    const delayMs = due ? due.getTime() - clock.wall() : POLL_MS;
    if (delayMs < POLL_MS && !stopped) timer = clock.after(delayMs, worker.wake);
  }
}

/** One attempt of a leased renewal, in a transaction of its own. */
export async function attemptRenewal(
  { sql, clock, subjects, billingUrl: billing_url, onAttempt }: RenewalWorkerDeps,
  leased: Renewal,
): Promise<void> {
  const attempt = { at_ms: clock.wall(), billing_url };
  const outcome = await sql.begin((tx) => renewLeased(tx, subjects, leased, attempt));
  if (outcome) onAttempt?.(leased, outcome);
}
