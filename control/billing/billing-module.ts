import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import type { AttachedFile } from '../mail/mail-transport.ts';
import { startExchangeRateFeed } from './exchange-rate-feed.ts';
import { startUsageJob } from './fold-usage.ts';
import { createInvoicePrinter } from './invoices/invoice-printer.ts';
import { attachedDocument } from './invoices/printed-document.ts';
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
  /** Where credits are added, for e-mails. */
  billingUrl: string;
  /** Empty: the operator sets exchange rates. */
  exchangeRateUrl: string;
  /** Writes to the server logs of the workspace. */
  writeLog?: (line: { workspace_id: string; level: 'warning'; message: string; data: { kind: string } }) => void;
}

export interface BillingModule {
  routes(http: FastifyInstance): void;
  /** The file of an e-mail about an invoice or a credit note. It rejects when it should be tried again. */
  attachedDocument(workspaceId: string, id: string): Promise<AttachedFile>;
  /** Starts taking the fees that are due, and the exchange rates of the feed. */
  start(jobsSql?: Sql): void;
  /** Resolves when running work is written. */
  stop(): Promise<void>;
}

/** The wallet and ledger of a workspace, its plan, lines, invoices, usage and coupons, and the fees of 30 days. */
export function createBillingModule(options: BillingDeps): BillingModule {
  const { subjects, billingUrl, exchangeRateUrl: url, writeLog = () => {}, ...deps } = options;
  const byKind = new Map([planRenewal, linesRenewal, ...subjects].map((subject) => [subject.kind, subject]));
  const jobs: PollingJob[] = [];
  const printer = createInvoicePrinter(deps);
  const printing = { sql: deps.sql, printer };
  return {
    routes(http) {
      billingRoutes(http, deps);
      invoiceRoutes(http, printing);
    },
    attachedDocument: (workspaceId, id) => attachedDocument(printing, workspaceId, id),
    start(jobsSql = deps.sql) {
      const background = { ...deps, sql: jobsSql };
      const renewals = startRenewalWorker({
        ...{ ...background, subjects: byKind, billingUrl },
        onAttempt({ workspace_id, kind }, outcome) {
          if (outcome === 'paid' || outcome === 'stopped') return;
          const message = outcome === 'lapsed' ? 'unpaid for seven days and ended' : 'fee could not be taken';
          writeLog({ workspace_id, level: 'warning', message, data: { kind } });
        },
      });
      jobs.push(
        renewals,
        startUsageJob(background),
        ...(url === '' ? [] : [startExchangeRateFeed({ ...background, url })]),
      );
    },
    async stop() {
      await Promise.all([...jobs.map((job) => job.stop()), printer.close()]);
    },
  };
}
