import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { ProcessMetrics } from '../labelled-metrics.ts';

interface Sample {
  metricName?: string;
  labels: Record<string, string | number | undefined>;
  value: number;
}

/** The metrics that Prometheus reads, with the same names and labels, for OTLP. Summaries are left out. */
export function metricProducer(read: () => Promise<ProcessMetrics>, scope: string): MetricProducer {
  const startMs = Date.now();
  return {
    async collect() {
      const nowMs = Date.now();
      const times = { startTime: hrTime(startMs), endTime: hrTime(nowMs) };
      const metrics = (await read()).flatMap((metric): MetricData[] => {
        const { name, help, type } = metric as unknown as { name: string; help: string; type: string };
        const samples = (metric as unknown as { values: Sample[] }).values;
        const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE };
        const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
        const dataPoints = samples.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
        if (type === 'gauge') return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints }];
        if (type === 'counter') return [{ ...common, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true }];
        if (type !== 'histogram') return [];
        const histograms = histogramsOf(name, samples).map((each) => ({ ...times, ...each }));
        return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms }];
      });
      return {
        resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: scope }, metrics }] },
        errors: [],
      };
    },
  };
}

const hrTime = (ms: number): [number, number] => [Math.trunc(ms / 1_000), (ms % 1_000) * 1e6];

/** By the endings that Prometheus asks for. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}

function attributesOf(labels: Sample['labels']): Record<string, string> {
  const known = Object.entries(labels).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

/** Prometheus counts up to each boundary, OTLP between two. */
function histogramsOf(name: string, samples: readonly Sample[]) {
  const series = new Map<string, { attributes: Record<string, string>; upTo: [number, number][]; sum: number }>();
  for (const { metricName, labels, value } of samples) {
    const { le, ...own } = labels;
    const attributes = attributesOf(own);
    const key = JSON.stringify(attributes);
    const one = series.get(key) ?? { attributes, upTo: [], sum: 0 };
    series.set(key, one);
    if (metricName === `${name}_bucket`) one.upTo.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    if (metricName === `${name}_sum`) one.sum = value;
  }
  return [...series.values()].map(({ attributes, upTo, sum }) => {
    const sorted = upTo.toSorted(([one], [other]) => one - other);
    const counts = sorted.map(([, count], nth) => count - (sorted[nth - 1]?.[1] ?? 0));
    const boundaries = sorted.map(([boundary]) => boundary).filter(Number.isFinite);
    return { attributes, value: { buckets: { boundaries, counts }, sum, count: sorted.at(-1)?.[1] ?? 0 } };
  });
}
