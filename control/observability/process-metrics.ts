import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { mergeLabelled, type ProcessMetrics } from '../../shared/labelled-metrics.ts';
import { CERTIFICATE_METRIC, certificateRemainingSeconds } from '../../shared/tls-certificate.ts';
import { lostEventCount } from '../calls/events/event-gaps.ts';
import type { GateState } from '../db/connection-gate.ts';
import type { ItemCounts } from '../db/item-runner.ts';
import { type PollingJobState, pollingJobStates } from '../db/polling-job.ts';
import { countRequests } from './http-metrics.ts';
import { addGauge } from './workload-metrics.ts';

/** The metrics of each process of the program, by its name. */
export type MetricsByProcess = Record<string, ProcessMetrics>;

export interface ProcessMetricsDeps {
  busConnected: () => boolean;
  /** By the name of the pool. */
  poolStates: () => Record<string, GateState>;
}

/** How often the lag of the event loop is measured, which is the least lag that is shown. Each time wakes an idle process. */
const LAG_EVERY_MS = 200;

/**
 * Begins to measure this process: Node's own figures, requests, background jobs, connections. Call it before the routes are added
 * whose requests it counts.
 */
export function measureProcess(app: FastifyInstance, deps: ProcessMetricsDeps): () => Promise<ProcessMetrics> {
  const lasting = new Registry();
  collectDefaultMetrics({ register: lasting, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  countRequests(app, lasting);
  return async () => {
    const registry = new Registry();
    addGauge(
      registry,
      'antiphon_bus_connected',
      '1 while the process is connected to the bus.',
      Number(deps.busConnected()),
    );
    const remaining = certificateRemainingSeconds();
    if (remaining !== null) addGauge(registry, CERTIFICATE_METRIC.name, CERTIFICATE_METRIC.help, remaining);
    const lost = 'Events of calls that the process found missing, and that were not there 30 seconds later either.';
    new Counter({ name: 'antiphon_events_lost_total', help: lost, registers: [registry] }).inc(lostEventCount());
    addJobs(registry);
    addPools(registry, deps.poolStates());
    return Registry.merge([registry, lasting]).getMetricsAsJSON();
  };
}

/** Series of several processes have the label `process`. */
export function mergeProcesses(byProcess: MetricsByProcess): Registry {
  const processes = Object.entries(byProcess);
  return mergeLabelled(
    processes.map(([process, metrics]) => ({ labels: processes.length === 1 ? {} : { process }, metrics })),
  );
}

function addJobs(registry: Registry): void {
  const byName = (secondsOf: (state: PollingJobState) => number) => ({
    label: 'job',
    values: Object.fromEntries(pollingJobStates().map((state) => [state.name, secondsOf(state)])),
  });
  addGauge(
    registry,
    'antiphon_job_success_age_seconds',
    'Time since a background job of the process last succeeded, or since it was started.',
    byName(({ success_age_ms }) => success_age_ms / 1000),
  );
  addGauge(
    registry,
    'antiphon_job_interval_seconds',
    'Pause between two runs of the job: an age of several intervals means that it fails or hangs.',
    byName(({ interval_ms }) => interval_ms / 1000),
  );
  const counted = pollingJobStates().flatMap(({ name, items }) => (items ? [{ name, items }] : []));
  const byJob = (countOf: (items: ItemCounts) => number) => ({
    label: 'job',
    values: Object.fromEntries(counted.map(({ name, items }) => [name, countOf(items)])),
  });
  addGauge(
    registry,
    'antiphon_job_items_running',
    'Calls, batches, workspaces or leased jobs that a background job of the process works on now.',
    byJob(({ running }) => running),
  );
  addGauge(
    registry,
    'antiphon_job_items_retrying',
    'Those that failed in the process and wait to be tried again; leased jobs wait in the database.',
    byJob(({ retrying }) => retrying),
  );
  const failures = new Counter({
    name: 'antiphon_job_item_failures_total',
    help: 'How often one of them failed in the process; lock: the lock of a row was not free in time.',
    labelNames: ['job', 'kind'],
    registers: [registry],
  });
  for (const { name, items } of counted) {
    for (const [kind, count] of Object.entries(items.failures)) failures.inc({ job: name, kind }, count);
  }
}

function addPools(registry: Registry, states: Record<string, GateState>): void {
  const byPool = (of: (state: GateState) => number) => ({
    label: 'pool',
    values: Object.fromEntries(Object.entries(states).map(([pool, state]) => [pool, of(state)])),
  });
  const counter = (name: string, help: string, of: (state: GateState) => number) => {
    const made = new Counter({ name, help, labelNames: ['pool'], registers: [registry] });
    for (const [pool, state] of Object.entries(states)) made.inc({ pool }, of(state));
  };
  addGauge(
    registry,
    'antiphon_database_connections_max',
    'Database connections that the pool of the process has at most.',
    byPool(({ max }) => max),
  );
  addGauge(
    registry,
    'antiphon_database_connections_in_use',
    'Those with a statement or a transaction now.',
    byPool(({ in_use }) => in_use),
  );
  addGauge(
    registry,
    'antiphon_database_waiting',
    'Statements and transactions that wait for a connection of the pool.',
    byPool(({ waiting }) => waiting),
  );
  counter(
    'antiphon_database_wait_refusals_total',
    'Requests to the API that were answered with 503 because no connection was free in time.',
    ({ refused }) => refused,
  );
  counter(
    'antiphon_database_statements_canceled_total',
    'Statements that PostgreSQL canceled, at their time-out as a rule.',
    ({ canceled }) => canceled,
  );
}
