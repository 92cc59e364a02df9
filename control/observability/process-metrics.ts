import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Family } from './exposition.ts';

/** The histogram holds the time from beat to beat: what is above it is lag. */
const BEAT_MS = 20;

/**
 * The process itself, under the names that Prometheus' own client libraries use, so that dashboards made for them fit.
 *
 * @see https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
export function createProcessMetrics(): { families(): Family[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: BEAT_MS });
  delay.enable();
  /** Nanoseconds between two beats as seconds of lag. */
  const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - BEAT_MS / 1000);

  return {
    families() {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const [p50, p99, max] = [lag(delay.percentile(50)), lag(delay.percentile(99)), lag(delay.max)];
      const measured = delay.count > 0;
      delay.reset();
      return [
        counter('process_cpu_user_seconds_total', 'CPU time of the process in user mode.', user / 1e6),
        counter('process_cpu_system_seconds_total', 'CPU time of the process in the kernel.', system / 1e6),
        gauge('process_resident_memory_bytes', 'Memory of the process that is in use.', rss),
        gauge('process_start_time_seconds', 'When the process began, since 1970.', performance.timeOrigin / 1000),
        gauge('nodejs_heap_size_used_bytes', 'Of the heap: what is used.', heapUsed),
        gauge('nodejs_heap_size_total_bytes', 'Of the heap: what was taken for it.', heapTotal),
        gauge('nodejs_external_memory_bytes', 'Memory outside the heap that belongs to objects in it.', external),
        counter(
          'nodejs_eventloop_active_seconds_total',
          'How long the event loop was busy; its rate is its utilization.',
          performance.eventLoopUtilization().active / 1000,
        ),
        ...(measured
          ? [
              gauge('nodejs_eventloop_lag_p50_seconds', 'Lateness of timers since the last scrape, median.', p50),
              gauge('nodejs_eventloop_lag_p99_seconds', 'The same, 99th percentile.', p99),
              gauge('nodejs_eventloop_lag_max_seconds', 'The same, the worst.', max),
            ]
          : []),
      ];
    },
    stop: () => delay.disable(),
  };
}

export const gauge = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: 'gauge' },
  series: [{ value }],
});

const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: 'counter' },
  series: [{ value }],
});
