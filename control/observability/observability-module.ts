import type { FastifyInstance } from 'fastify';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts';
import { liveRoutes } from './live-routes.ts';
import { type MetricsDeps, metricsRoute } from './metrics.ts';
import { observabilityRoutes } from './routes.ts';
import { createServerLog, type ServerLog } from './server-log.ts';

export interface ObservabilityModule {
  serverLog: ServerLog;
  /** Call it before any other module's: metrics count the requests of routes that are added later. */
  routes(http: FastifyInstance): void;
  start(): void;
  /** Writes the log lines that still wait. Stop it after the modules that write some. */
  stop(): Promise<void>;
}

/**
 * Metrics, server logs, audit events, call statistics, and the deletion of what is past its retention.
 *
 * @param jobsSql for what nobody waits for, and metrics: they say what is slow.
 */
export function createObservabilityModule({
  jobsSql,
  deadLetterDays,
  ...deps
}: MetricsDeps & Pick<HousekeepingDeps, 'deadLetterDays'> & { jobsSql?: Sql }): ObservabilityModule {
  const background = { ...deps, sql: jobsSql ?? deps.sql };
  const serverLog = createServerLog(background);
  let housekeeping: PollingJob | null = null;
  return {
    serverLog,
    routes(http) {
      metricsRoute(http, background);
      observabilityRoutes(http, deps);
      liveRoutes(http, deps);
    },
    start() {
      housekeeping = startHousekeeping({ ...background, ...(deadLetterDays ? { deadLetterDays } : {}) });
    },
    async stop() {
      await Promise.all([housekeeping?.stop(), serverLog.stop()]);
    },
  };
}
