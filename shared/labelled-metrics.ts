import { AggregatorRegistry, type PrometheusContentType, Registry } from 'prom-client';

/** The metrics of one process, as they pass between processes. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Puts the metrics of several processes together. Each series gets the labels of its process; nothing is added up. */
export function mergeLabelled(
  parts: readonly { labels: Readonly<Record<string, string | number | undefined>>; metrics: ProcessMetrics }[],
) {
  const labelled = parts.map(({ labels, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // Each has its own labels, so nothing is added up, or left out as having no sum.
      aggregator: 'first',
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, ...labels } })),
    })),
  );
  return AggregatorRegistry.aggregate<PrometheusContentType>(labelled);
}
