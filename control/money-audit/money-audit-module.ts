import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import type { Gateways } from '../payments/gateway.ts';
import { auditWhenDue } from './money-audit.ts';

const POLL_INTERVAL_MS = 10 * 60_000;

/** Compares every night all that money is written in. */
export function createMoneyAuditModule(deps: { sql: Sql; clock: Clock; log: Logger; gateways: Gateways }): {
  start(): void;
  stop(): Promise<void>;
} {
  const { clock, log } = deps;
  let job: PollingJob | null = null;
  return {
    start() {
      job = startPollingJob({
        ...{ name: 'money audit', intervalMs: POLL_INTERVAL_MS, clock, log },
        run: async () => void (await auditWhenDue(deps, clock.wall())),
      });
    },
    async stop() {
      await job?.stop();
    },
  };
}
