import type { FastifyInstance } from 'fastify';
import { pollingJobStates } from '../db/polling-job.ts';
import { HttpError } from '../http/errors.ts';
import { isInternalRequest } from '../http/internal-network.ts';
import { file, route } from '../http/route.ts';
import { EXPOSITION_TYPE, exposition, type Family } from './exposition.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { createProcessMetrics, gauge } from './process-metrics.ts';
import { createWorkloadMetrics, type WorkloadMetricsDeps } from './workload-metrics.ts';

export interface MetricsDeps extends WorkloadMetricsDeps {
  engines: () => { live: number; silent: number; headroom: number };
  /** Is the bus connected? */
  busConnected: () => boolean;
}

/**
 * GET /metrics: how this process and the service's work are doing, for Prometheus. No workspace, person or number is in it.
 *
 * Inside the network only: it is answered to loopback and private addresses, and not found for anybody else or for what came
 * through a proxy. A proxy in front refuses the path all the same, as docs/deploy.md tells: one that adds no header of its own looks
 * like a scraper.
 *
 * Put it before the routes whose requests it counts.
 */
export function metricsRoute(app: FastifyInstance, { engines, busConnected, ...deps }: MetricsDeps): void {
  const requests = createHttpMetrics(app);
  const work = createWorkloadMetrics(deps);
  const own = createProcessMetrics();
  app.addHook('onClose', async () => own.stop());

  route(app, {
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'How the service is doing, for Prometheus',
    credential: 'public',
    permission: null,
    hidden: true,
    schema: { response: file(EXPOSITION_TYPE) },
    success: 200,
    async handler(_input, { request }) {
      if (!isInternalRequest(request)) throw new HttpError(404, 'not found');
      const families = [
        ...(await work()),
        ...engineMetrics(engines()),
        gauge('antiphon_bus_connected', '1 while this process is connected to the bus.', busConnected() ? 1 : 0),
        ...jobMetrics(),
        ...requests(),
        ...own.families(),
      ];
      return { body: exposition(families), headers: { 'Cache-Control': 'no-store' } };
    },
  });
}

function engineMetrics({ live, silent, headroom }: ReturnType<MetricsDeps['engines']>): Family[] {
  return [
    {
      name: 'antiphon_engines',
      help: 'Media engines by their heartbeats; silent: they get no new call, and are lost after 45 seconds.',
      type: 'gauge',
      series: [
        { labels: { state: 'live' }, value: live },
        { labels: { state: 'silent' }, value: silent },
      ],
    },
    gauge(
      'antiphon_engines_headroom_calls',
      'How many more calls the heard ones take; +Inf: one does not count.',
      headroom,
    ),
  ];
}

function jobMetrics(): Family[] {
  const states = pollingJobStates();
  return [
    {
      name: 'antiphon_loop_success_age_seconds',
      help: 'How long ago a background loop of this process last came through; of one that never did: since it began.',
      type: 'gauge',
      series: states.map(({ name, success_age_ms }) => ({ labels: { loop: name }, value: success_age_ms / 1000 })),
    },
    {
      name: 'antiphon_loop_pause_seconds',
      help: 'Its pause between two runs: an age of several pauses means that it fails or hangs.',
      type: 'gauge',
      series: states.map(({ name, interval_ms: every_ms }) => ({ labels: { loop: name }, value: every_ms / 1000 })),
    },
  ];
}
