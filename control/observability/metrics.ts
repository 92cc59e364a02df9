import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { EventBacklog } from '../../shared/bus/event-stream.ts';
import { METRICS_TYPE } from '../../shared/labelled-metrics.ts';
import { HttpError } from '../http/errors.ts';
import { isInternalRequest } from '../http/internal-network.ts';
import { file, route } from '../http/route.ts';
import { eventMetrics } from './event-metrics.ts';
import { type MetricsByProcess, mergeProcesses } from './process-metrics.ts';
import { addGauge, createWorkloadMetrics, type WorkloadMetricsDeps } from './workload-metrics.ts';

export interface MetricsDeps extends WorkloadMetricsDeps {
  engines: () => { live: number; silent: number; headroom: number };
  /** What control has not read of the calls' events. Rejects while the bus is away. */
  eventBacklog: () => Promise<EventBacklog>;
}

/** The metrics as Prometheus reads them, with those of these processes of the program. */
export type MetricsText = (processes: () => Promise<MetricsByProcess>) => Promise<string>;

export function createMetricsText({ engines, eventBacklog, ...deps }: MetricsDeps): MetricsText {
  const workload = createWorkloadMetrics(deps);
  return async (processes) => {
    const [work, events, byProcess] = await Promise.all([
      workload(),
      eventMetrics(eventBacklog, deps.clock.wall()),
      processes(),
    ]);
    return Registry.merge([work, engineMetrics(engines()), events, mergeProcesses(byProcess)]).metrics();
  };
}

/**
 * Serves GET /metrics for Prometheus: the processes of the program and the work of the whole service, without any workspace, person
 * or number.
 *
 * Only loopback and private addresses get it; anybody else, and what came through a proxy, gets a 404. A proxy in front has to
 * refuse the path all the same, as docs/operations.md says: one that adds no header of its own looks like a scraper. With METRICS_PORT the
 * path is not served here at all.
 */
export function metricsRoute(app: FastifyInstance, metricsText: () => Promise<string>): void {
  route(app, {
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'How the service is doing, for Prometheus',
    credential: 'public',
    permission: null,
    hidden: true,
    schema: { response: file(METRICS_TYPE) },
    success: 200,
    async handler(_input, { request }) {
      if (!isInternalRequest(request)) throw new HttpError(404, 'not found');
      return { body: await metricsText(), headers: { 'Cache-Control': 'no-store' } };
    },
  });
}

function engineMetrics({ live, silent, headroom }: ReturnType<MetricsDeps['engines']>): Registry {
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
  return registry;
}
