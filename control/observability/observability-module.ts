import type { FastifyInstance } from 'fastify';
import type { PollingJob } from '../db/polling-job.ts';
import { startHousekeeping } from './housekeeping.ts';
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

/** Metrics, server logs, audit events, call statistics, and the deletion of what is past its retention. */
export function createObservabilityModule(deps: MetricsDeps): ObservabilityModule {
  const serverLog = createServerLog(deps);
  let housekeeping: PollingJob | null = null;
  return {
    serverLog,
    routes(http) {
      metricsRoute(http, deps);
      observabilityRoutes(http, deps);
      liveRoutes(http, deps);
    },
    start() {
      housekeeping = startHousekeeping(deps);
    },
    async stop() {
      await Promise.all([housekeeping?.stop(), serverLog.stop()]);
    },
  };
}
