import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { type AlertSources, checkNext } from './check-alerts.ts';

const POLL_INTERVAL_MS = 5_000;
/** In one run: the database may be away. */
const MAX_FAILURES = 20;

export interface AlertsDeps extends AlertSources {
  sql: Sql;
  clock: Clock;
  log: Logger;
}

/** E-mails owners whose credits run low or out, and whose calls fail. */
export function createAlertsModule({ sql, clock, log, ...sources }: AlertsDeps): {
  start(): void;
  stop(): Promise<void>;
} {
  let job: PollingJob | null = null;
  let stopped = false;
  return {
    start() {
      job = startPollingJob({
        ...{ name: 'alerts', intervalMs: POLL_INTERVAL_MS, clock, log },
        openWork: { sql, query: 'select from alert_checks' },
        run,
      });
    },
    async stop() {
      stopped = true;
      await job?.stop();
    },
  };

  /** A check that fails is postponed, and delays no other. */
  async function run(): Promise<void> {
    const failures: unknown[] = [];
    for (let more = true; more && !stopped && failures.length < MAX_FAILURES; ) {
      more = await checkNext(sql, sources, clock.wall()).catch((error: unknown) => failures.push(error) > 0);
    }
    if (failures.length > 0) throw failures[0];
  }
}
