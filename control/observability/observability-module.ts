import type { FastifyInstance } from 'fastify';
import type { ProcessMetrics } from '../../shared/labelled-metrics.ts';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts';
import { liveRoutes } from './live-routes.ts';
import { createMetricsText, type MetricsDeps, metricsRoute } from './metrics.ts';
import { type MetricsByProcess, measureProcess, type ProcessMetricsDeps } from './process-metrics.ts';
import { observabilityRoutes } from './routes.ts';
import { createServerLog, type ServerLog } from './server-log.ts';

export interface ObservabilityModule {
  serverLog: ServerLog;
  /** Of this process; empty before `routes`. */
  metrics(): Promise<ProcessMetrics>;
  /** Of the service, as Prometheus reads it, with those of these processes, or of those known here. */
  metricsText(processes?: () => Promise<MetricsByProcess>): Promise<string>;
  /** Call it before any other module's: metrics count the requests of routes that are added later. */
  routes(http: FastifyInstance): void;
  start(): void;
  /** Writes the log lines that still wait. Stop it after the modules that write some. */
  stop(): Promise<void>;
}

export interface ObservabilityDeps extends MetricsDeps, ProcessMetricsDeps, Pick<HousekeepingDeps, 'deadLetterDays'> {
  /** For what nobody waits for, and metrics: they say what is slow. */
  jobsSql?: Sql;
  /** Where the program has several processes: the metrics of all. */
  processes?: () => Promise<MetricsByProcess>;
  /** Metrics have an address of their own, so that there is no such path beside the API. */
  metricsElsewhere?: boolean;
}

/** Metrics, server logs, audit events, call statistics, and the deletion of what is past its retention. */
export function createObservabilityModule({
  jobsSql,
  deadLetterDays,
  metricsElsewhere = false,
  ...deps
}: ObservabilityDeps): ObservabilityModule {
  const background = { ...deps, sql: jobsSql ?? deps.sql };
  const serverLog = createServerLog(background);
  let housekeeping: PollingJob | null = null;
  let metrics: ObservabilityModule['metrics'] = async () => [];
  const textOf = createMetricsText(background);
  const knownProcesses = deps.processes ?? (async () => ({ control: await metrics() }));
  const metricsText = (processes = knownProcesses) => textOf(processes);
  return {
    serverLog,
    metrics: () => metrics(),
    metricsText,
    routes(http) {
      metrics = measureProcess(http, deps);
      if (!metricsElsewhere) metricsRoute(http, metricsText);
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
