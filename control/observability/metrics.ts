import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { EventBacklog } from '../../shared/bus/event-stream.ts';
import type { ItemCounts } from '../db/item-runner.ts';
import { type PollingJobState, pollingJobStates } from '../db/polling-job.ts';
import { HttpError } from '../http/errors.ts';
import { isInternalRequest } from '../http/internal-network.ts';
import { file, route } from '../http/route.ts';
import { eventMetrics } from './event-metrics.ts';
import { countRequests } from './http-metrics.ts';
import { addGauge, createWorkloadMetrics, type WorkloadMetricsDeps } from './workload-metrics.ts';

export interface MetricsDeps extends WorkloadMetricsDeps {
  engines: () => { live: number; silent: number; headroom: number };
  busConnected: () => boolean;
  /** What control has not read of the calls' events. Rejects while the bus is away. */
  eventBacklog: () => Promise<EventBacklog>;
}

/**
 * Serves GET /metrics for Prometheus: this process and the work of the whole service, without any workspace, person or number.
 *
 * Only loopback and private addresses get it; anybody else, and what came through a proxy, gets a 404. A proxy in front has to
 * refuse the path all the same, as docs/operations.md says: one that adds no header of its own looks like a scraper.
 *
 * Declare it before the routes whose requests it counts.
 */
export function metricsRoute(
  app: FastifyInstance,
  { engines, busConnected, eventBacklog, ...deps }: MetricsDeps,
): void {
  const process = new Registry();
  collectDefaultMetrics({ register: process });
  countRequests(app, process);
  const workload = createWorkloadMetrics(deps);

  route(app, {
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'How the service is doing, for Prometheus',
    credential: 'public',
    permission: null,
    hidden: true,
    schema: { response: file(Registry.PROMETHEUS_CONTENT_TYPE) },
    success: 200,
    async handler(_input, { request }) {
      if (!isInternalRequest(request)) throw new HttpError(404, 'not found');
      const [work, events] = await Promise.all([workload(), eventMetrics(eventBacklog, deps.clock.wall())]);
      const registries = [work, connections(engines(), busConnected()), events, jobs(), process];
      return { body: await Registry.merge(registries).metrics(), headers: { 'Cache-Control': 'no-store' } };
    },
  });
}

function connections({ live, silent, headroom }: ReturnType<MetricsDeps['engines']>, busConnected: boolean): Registry {
  const registry = new Registry();
  addGauge(
    registry,
    'antiphon_engines',
    'Media engines by their heartbeats; silent: they get no new call, and are lost after 45 seconds.',
    { label: 'state', values: { live, silent } },
  );
  addGauge(
    registry,
    'antiphon_engines_headroom_calls',
    'How many more calls the live engines take; +Inf: one of them has no limit.',
    headroom,
  );
  addGauge(registry, 'antiphon_bus_connected', '1 while this process is connected to the bus.', Number(busConnected));
  return registry;
}

function jobs(): Registry {
  const registry = new Registry();
  const byName = (secondsOf: (state: PollingJobState) => number) => ({
    label: 'job',
    values: Object.fromEntries(pollingJobStates().map((state) => [state.name, secondsOf(state)])),
  });
  addGauge(
    registry,
    'antiphon_job_success_age_seconds',
    'Time since a background job of this process last succeeded, or since it was started.',
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
    'Calls, batches, workspaces or leased jobs that a background job of this process works on now.',
    byJob(({ running }) => running),
  );
  addGauge(
    registry,
    'antiphon_job_items_retrying',
    'Those that failed in this process and wait to be tried again; leased jobs wait in the database.',
    byJob(({ retrying }) => retrying),
  );
  const failures = new Counter({
    name: 'antiphon_job_item_failures_total',
    help: 'How often one of them failed in this process; lock: the lock of a row was not free in time.',
    labelNames: ['job', 'kind'],
    registers: [registry],
  });
  for (const { name, items } of counted) {
    for (const [kind, count] of Object.entries(items.failures)) failures.inc({ job: name, kind }, count);
  }
  return registry;
}
