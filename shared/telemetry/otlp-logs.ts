import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { setLogExport } from '../log.ts';
import { maskNumber } from '../phone.ts';
import { callSpanId } from './spans.ts';

/** The processor reads no variables of the environment. More lines than the queue holds are dropped. */
const QUEUE_LINES = 2_048;
/** Small batches: to serialize one takes no noticeable part of a 20 ms tick. */
const BATCH_LINES = 64;
const BATCH_MS = 1_000;

/** By pino's levels. What is below may hold speech, and stays on standard output. */
const SEVERITIES: Record<number, { severityNumber: SeverityNumber; severityText: string }> = {
  30: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
  40: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
  50: { severityNumber: SeverityNumber.ERROR, severityText: 'ERROR' },
  60: { severityNumber: SeverityNumber.FATAL, severityText: 'FATAL' },
};
/** A remote service may answer with one in its error. */
const PHONE_NUMBER = /\+[1-9][0-9]{6,14}/g;
const CALL_ID = /^[0-9a-f]{32}$/;

/**
 * Sends the log's lines over OTLP, from info upward: the message as body, the fields as attributes. A line with `call_id` belongs to the
 * call's trace.
 *
 * @returns what sends the rest and stops.
 */
export function openLogExport(resource: Resource, scope: string): () => Promise<void> {
  const processor = new BatchLogRecordProcessor({
    exporter: new OTLPLogExporter(),
    ...{ maxQueueSize: QUEUE_LINES, maxExportBatchSize: BATCH_LINES, scheduledDelayMillis: BATCH_MS },
  });
  const provider = new LoggerProvider({ resource, processors: [processor] });
  const logger = provider.getLogger(scope);
  setLogExport((line) => {
    const { level, time, msg, ...attributes } = JSON.parse(line.replace(PHONE_NUMBER, maskNumber));
    const severity = SEVERITIES[level];
    if (!severity) return;
    const { call_id } = attributes;
    logger.emit({
      ...{ ...severity, timestamp: new Date(time), body: msg, attributes },
      ...(CALL_ID.test(call_id) ? { context: contextOf(call_id) } : {}),
    });
  });
  return async () => {
    setLogExport(null);
    await provider.shutdown();
  };
}

const contextOf = (callId: string) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId: callId, spanId: callSpanId(callId), traceFlags: TraceFlags.NONE });
