import { z } from 'zod';
import type { ProcessMetrics } from '../labelled-metrics.ts';
import type { Logger } from '../log.ts';

/**
 * Settings of OpenTelemetry, by their standard names (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 * What is not named here is read from the environment by its packages.
 */
export const TELEMETRY_SETTINGS = {
  /** Where OTLP is sent over HTTP; empty: OpenTelemetry is off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().default(''),
  OTEL_SDK_DISABLED: z.string().default('false'),
  OTEL_SERVICE_NAME: z.string().default(''),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_LOGS_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
};

export type TelemetrySettings = {
  [Name in keyof typeof TELEMETRY_SETTINGS]: z.output<(typeof TELEMETRY_SETTINGS)[Name]>;
};

export interface TelemetryOptions {
  settings: TelemetrySettings;
  program: 'control' | 'media';
  /** Of this process among those of the program. */
  instanceId: string;
  /** What Prometheus reads of this process. */
  metrics(): Promise<ProcessMetrics>;
  log: Logger;
}
