import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { systemClock } from '../clock.ts';
import { errorText } from '../log.ts';
import { withTimeout } from '../with-timeout.ts';
import { metricProducer } from './metric-producer.ts';
import { openLogExport } from './otlp-logs.ts';
import { type CallSpan, newSpanId, setSpanExport } from './spans.ts';
import type { TelemetryOptions } from './telemetry-settings.ts';
import type { LinkedSpan } from './traceparent.ts';

/** The packages of OpenTelemetry are loaded here, and by what only this module imports. */

/** Small batches, often: to serialize one takes no noticeable part of a 20 ms tick. */
const BATCH_SPANS = 64;
const BATCH_MS = 1_000;
const WARN_AT_MOST_EVERY_MS = 60_000;
const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER };

/** Sends spans, metrics and log lines over OTLP. Spans wait in a queue of 2,048 (`OTEL_BSP_MAX_QUEUE_SIZE`); more are dropped. */
export function openOtlpExport({ settings, program, instanceId, metrics, log }: TelemetryOptions) {
  const resource = resourceFromAttributes({
    'service.name': `antiphon-${program}`,
    'service.instance.id': instanceId,
  })
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(settings.OTEL_SERVICE_NAME ? { 'service.name': settings.OTEL_SERVICE_NAME } : {}));
  warnOfFailures(log);
  const closers: (() => Promise<void>)[] = [];

  if (settings.OTEL_TRACES_EXPORTER === 'otlp') {
    /** Of the span that is started next. */
    let next = { traceId: '', spanId: '' };
    const provider = new BasicTracerProvider({
      resource,
      idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
      spanProcessors: [
        new BatchSpanProcessor(new OTLPTraceExporter(), {
          ...(process.env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ? {} : { maxExportBatchSize: BATCH_SPANS }),
          ...(process.env.OTEL_BSP_SCHEDULE_DELAY ? {} : { scheduledDelayMillis: BATCH_MS }),
        }),
      ],
    });
    const tracer = provider.getTracer(`antiphon.${program}`);
    let asked = { traceId: '', sampled: false };
    /** The sampler decides by the trace's id, for all of its spans and in both programs alike. */
    const isSampled = (traceId: string): boolean => {
      if (asked.traceId === traceId) return asked.sampled;
      next = { traceId, spanId: newSpanId() };
      const { traceFlags } = tracer.startSpan('call', { root: true }, ROOT_CONTEXT).spanContext();
      asked = { traceId, sampled: (traceFlags & TraceFlags.SAMPLED) > 0 };
      return asked.sampled;
    };
    setSpanExport((given: CallSpan) => {
      const { call_id, span_id, parent_id, name, kind, start_ms, end_ms, attributes, links = [], error_type } = given;
      if (!isSampled(call_id)) return;
      next = { traceId: call_id, spanId: span_id };
      const parent = { traceId: call_id, spanId: parent_id ?? '', traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const context = parent_id === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          startTime: new Date(start_ms),
          links: links.map(linkTo),
          attributes: error_type === undefined ? attributes : { ...attributes, 'error.type': error_type },
        },
        context,
      );
      if (error_type !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(Math.max(start_ms, end_ms)));
    });
    closers.push(() => provider.shutdown());
  }

  if (settings.OTEL_METRICS_EXPORTER === 'otlp') {
    const interval = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL) || 60_000;
    const timeout = Math.min(interval, Number(process.env.OTEL_METRIC_EXPORT_TIMEOUT) || 30_000);
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter(),
      exportIntervalMillis: interval,
      exportTimeoutMillis: timeout,
      metricProducers: [metricProducer(metrics, `antiphon.${program}`)],
    });
    const provider = new MeterProvider({ resource, readers: [reader] });
    closers.push(() => provider.shutdown());
  }

  if (settings.OTEL_LOGS_EXPORTER === 'otlp') closers.push(openLogExport(resource, `antiphon.${program}`));

  return {
    async close(deadlineMs: number) {
      setSpanExport(null);
      await withTimeout(Promise.allSettled(closers.map((close) => close())), deadlineMs, systemClock, () => {});
    },
  };
}

const linkTo = ({ trace_id, span_id }: LinkedSpan) => ({
  context: { traceId: trace_id, spanId: span_id, traceFlags: TraceFlags.NONE, isRemote: true },
});

/** Logs what the packages complain of, at most once a minute. */
function warnOfFailures(log: TelemetryOptions['log']): void {
  let warnedMs = Number.NEGATIVE_INFINITY;
  const warn = (message: unknown) => {
    if (Date.now() - warnedMs < WARN_AT_MOST_EVERY_MS) return;
    warnedMs = Date.now();
    log.warn({ error: errorText(message).slice(0, 500) }, 'telemetry could not be sent');
  };
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
