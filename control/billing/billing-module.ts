import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { startExchangeRateFeed } from './exchange-rate-feed.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import { linesRenewal } from './lines-renewal.ts';
import { planRenewal } from './plan-renewal.ts';
import type { RenewalSubject } from './renewals/renew.ts';
import { startRenewalWorker } from './renewals/renewal-worker.ts';
import { billingRoutes } from './routes.ts';

export interface BillingDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** What other modules charge for every 30 days, beside plans and lines. */
  subjects: RenewalSubject[];
  /** Empty: the operator sets exchange rates. */
  exchangeRateUrl: string;
  /** Writes to the server logs of the workspace. */
  writeLog?: (line: { workspace_id: string; level: 'warning'; message: string; data: { kind: string } }) => void;
}

export interface BillingModule {
  routes(http: FastifyInstance): void;
  /** Starts taking the fees that are due, and the exchange rates of the feed. */
  start(): void;
  /** Resolves when running work is written. */
  stop(): Promise<void>;
}

/** The wallet and ledger of a workspace, its plan, lines, invoices, usage and coupons, and the fees of 30 days. */
export function createBillingModule(options: BillingDeps): BillingModule {
  const { subjects, exchangeRateUrl: url, writeLog = () => {}, ...deps } = options;
  const byKind = new Map([planRenewal, linesRenewal, ...subjects].map((subject) => [subject.kind, subject]));
  const jobs: PollingJob[] = [];
  return {
    routes(http) {
      billingRoutes(http, deps);
      invoiceRoutes(http, deps);
    },
    start() {
      const renewals = startRenewalWorker({
        ...{ ...deps, subjects: byKind },
        onAttempt({ workspace_id, kind }, outcome) {
          if (outcome === 'paid' || outcome === 'stopped') return;
          const message = outcome === 'lapsed' ? 'unpaid for seven days and ended' : 'fee could not be taken';
          writeLog({ workspace_id, level: 'warning', message, data: { kind } });
        },
      });
      jobs.push(renewals, ...(url === '' ? [] : [startExchangeRateFeed({ ...deps, url })]));
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
